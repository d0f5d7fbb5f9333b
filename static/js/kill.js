/* Kill: the first press asks in place, the second does it; Escape or "Keep" goes back.

   Below it lies a plain POST form (`form[data-kill]`), which works without this script and is sent as such when the
   network fails. Around the form, `[data-killable]` carries `data-name` and, where turns wait, `data-waiting`; the form
   may carry `data-clear`, the address that kills and clears the queue. "hub:kill" bubbles from it once the kill is sent;
   "hub:killed" on the document carries the markup that the hub answered with. */
import { $, csrfToken } from "./dom.js";
import { say, sayAnswer } from "./status.js";

export function askKill(form) {
  const card = form.closest("[data-killable]");
  const open = $(".confirm", card);
  if (open) { $(".btn-danger", open).focus(); return; }
  const box = $("#kill-confirm").content.firstElementChild.cloneNode(true);
  const button = $(".btn", form);
  const close = () => { box.remove(); button.focus(); };
  fill(box, form, card);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { event.stopPropagation(); close(); }
  });
  $("[data-keep]", box).addEventListener("click", close);
  box.addEventListener("submit", (event) => { event.preventDefault(); send(box, form, card); });
  card.append(box);
  $(".btn-danger", box).focus({ preventScroll: true });
}

function fill(box, form, card) {
  const waiting = Number(card.dataset.waiting || 0);
  $("[data-name]", box).textContent = card.dataset.name;
  $("[data-queue]", box).hidden = !waiting || !form.dataset.clear;
  $("[data-n]", box).textContent = waiting;
}

async function send(box, form, card) {
  const clear = $("[name=clear]", box).checked;
  const reason = $("[name=reason]", box).value;
  const action = clear ? form.dataset.clear : form.action;
  box.remove();
  card.dispatchEvent(new CustomEvent("hub:kill", { bubbles: true, detail: { reason, clear } }));
  try {
    const response = await fetch(action, {
      method: "POST",
      body: new URLSearchParams({ reason }),
      headers: { "X-CSRFToken": csrfToken(), "HX-Request": "true" },
    });
    if (!response.ok) throw new Error(`The hub answered ${response.status}.`);
    sayAnswer(response);
    document.dispatchEvent(new CustomEvent("hub:killed", { detail: { html: await response.text() } }));
    $(".btn", form)?.focus({ preventScroll: true });
  } catch (error) {
    say(`The kill is sent again as a plain form. ${error.message}`, "warn");
    form.action = action;
    HTMLFormElement.prototype.submit.call(form);
  }
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-kill]")) return;
  event.preventDefault();
  askKill(event.target);
});
