/* Small tools that every module shares. Nothing here writes markup: text goes in as text nodes. */
export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
export const calm = matchMedia("(prefers-reduced-motion: reduce)");

const SPRITE = document.documentElement.dataset.sprite;
const SVG = "http://www.w3.org/2000/svg";

/* A sign of the sprite; decoration, so say the same in words beside it. */
export function icon(name, extra = "") {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `icon ${extra}`.trim());
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${SPRITE}#${name}`);
  svg.append(use);
  return svg;
}

export function swapIcon(holder, name) {
  $("use", holder).setAttribute("href", `${SPRITE}#${name}`);
}

/* What survives a reload in this browser; storage may be blocked, which costs only the memory. */
export function remember(name, value) {
  try { localStorage.setItem(name, value); } catch { /* blocked */ }
}

export function recall(name) {
  try { return localStorage.getItem(name); } catch { return null; }
}

export const csrfToken = () => JSON.parse(document.body.getAttribute("hx-headers"))["x-csrftoken"];
