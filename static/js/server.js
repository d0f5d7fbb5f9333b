/* Settings of a server: the list of parts follows what is on the screen. */
import { $$ } from "./dom.js";
import "./stops.js";

const links = new Map($$(".subnav a").map((link) => [link.hash.slice(1), link]));
const parts = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);

function mark() {
  const line = innerHeight / 3;
  const passed = parts.filter((part) => part.getBoundingClientRect().top < line);
  const atEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 4;
  const here = atEnd ? parts.at(-1) : passed.at(-1) ?? parts[0];
  for (const [id, link] of links) {
    if (id === here?.id) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

addEventListener("scroll", mark, { passive: true });
mark();
