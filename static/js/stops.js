/* Stop strings: what the escapes turn into, shown as text nodes and marks, never as markup; rows added and removed. */
import { $, $$ } from "./dom.js";

const NAMES = { n: "line break", r: "return", t: "tab" };

function pieces(typed) {
  return (typed.match(/\\[^]|[^\\]+|\\$/g) || []).map((piece) => {
    if (piece[0] !== "\\") return document.createTextNode(piece);
    if (piece[1] === "\\") return document.createTextNode("\\");
    const name = NAMES[piece[1]];
    const element = document.createElement(name ? "i" : "mark");
    if (name) element.className = "glyph";
    element.textContent = name || piece;
    return element;
  });
}

function preview(row) {
  $("[data-preview]", row).replaceChildren(...pieces($("[data-stop]", row).value));
}

/* Numbers stand in ids and names for assistive tools, so they follow the rows. */
function number(block) {
  $$("[data-stop-row]", block).forEach((row, index) => {
    const n = index + 1;
    const [input, select] = [$("[data-stop]", row), $("select", row)];
    [input.id, select.id] = [`stop-${n}`, `stop-mode-${n}`];
    const [name, what] = $$("label", row);
    [name.htmlFor, what.htmlFor] = [input.id, select.id];
    name.textContent = `Stop string ${n}`;
    what.textContent = `What to do with stop string ${n}`;
    $("[data-stop-remove]", row).setAttribute("aria-label", `Remove stop string ${n}`);
  });
}

function clear(row) {
  const input = $("[data-stop]", row);
  input.value = "";
  for (const name of ["aria-invalid", "aria-describedby", "autofocus"]) input.removeAttribute(name);
  $(".error", row)?.remove();
  preview(row);
}

function add(block) {
  const rows = $$("[data-stop-row]", block);
  if (rows.length >= Number(block.dataset.max)) return;
  const row = rows.at(-1).cloneNode(true);
  clear(row);
  rows.at(-1).after(row);
  number(block);
  $("[data-stop]", row).focus();
}

function remove(block, row) {
  const near = row.nextElementSibling ?? row.previousElementSibling;
  if (near) row.remove();
  else clear(row);
  number(block);
  $("[data-stop]", near ?? row).focus();
}

/* Spare rows are for browsers without script; with it, one is enough to begin. */
function tidy(block) {
  for (const row of $$("[data-stop-row]", block)) preview(row);
  const empty = $$("[data-stop-row]", block).filter((row) => !$("[data-stop]", row).value);
  for (const row of empty.slice(1)) row.remove();
  number(block);
}

document.addEventListener("input", (event) => {
  const row = event.target.closest("[data-stop-row]");
  if (row) preview(row);
});

document.addEventListener("click", (event) => {
  const block = event.target.closest("[data-stops]");
  if (!block) return;
  if (event.target.closest("[data-stop-add]")) add(block);
  const gone = event.target.closest("[data-stop-remove]");
  if (gone) remove(block, gone.closest("[data-stop-row]"));
});

/* Rows that come with a swap are tidied like those that came with the page. */
document.addEventListener("htmx:afterSettle", (event) => $$("[data-stops]", event.target).forEach(tidy));
$$("[data-stops]").forEach(tidy);
