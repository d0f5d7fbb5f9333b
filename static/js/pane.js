/* A pane of streamed text. Text goes in as text nodes, into blocks of bounded size: the browser lays out only the block
   that grows and those in view, so a megabyte, even one without a space, costs no more than a page of it. A block ends
   with a line of the text; where none ends for long, it ends with a line of the screen, so that no seam is to be seen. */
import { icon } from "./dom.js";
import { visible } from "./visible.js";

const BLOCK = 8192;
const LONGEST_BLOCK = 16384;
const A_FRAME = 65536;
const AT_END = 4;

export class Pane {
  constructor(element, follow) {
    this.element = element;
    this.follow = follow;
    this.pending = [];
    this.chars = element.textContent.length;
    this.block = element.lastElementChild;
    this.node = this.block?.lastChild ?? null;
    this.size = this.node?.length ?? 0;
    element.addEventListener("wheel", (event) => { if (event.deltaY < 0) this.stay(); }, { passive: true });
    element.addEventListener("scroll", () => { if (this.isAtEnd()) this.follow.checked = true; }, { passive: true });
    element.addEventListener("keydown", (event) => { if (["ArrowUp", "PageUp", "Home"].includes(event.key)) this.stay(); });
  }

  stay() { this.follow.checked = false; }

  isAtEnd() {
    return this.element.scrollTop + this.element.clientHeight >= this.element.scrollHeight - AT_END;
  }

  clear() {
    this.element.replaceChildren();
    this.pending = [];
    this.chars = 0;
    this.block = this.node = null;
    this.size = 0;
  }

  text(value) {
    this.pending.push(value);
    this.chars += value.length;
  }

  /* A note between pieces of text, such as a guard that fired there. */
  note(words, sign) { this.pending.push({ words, sign }); }

  get isDrawn() { return this.pending.length === 0; }

  /* Writes at most a frame's worth of what is pending, in order. */
  draw() {
    let budget = A_FRAME;
    let at = 0;
    let text = "";
    while (at < this.pending.length && budget > 0) {
      const piece = this.pending[at];
      if (typeof piece !== "string") {
        this.write(text);
        text = "";
        this.writeNote(piece);
        budget -= 200;
      } else if (piece.length > budget) {
        const cut = safeCut(piece, budget);
        text += piece.slice(0, cut);
        this.pending[at] = piece.slice(cut);
        break;
      } else {
        text += piece;
        budget -= piece.length;
      }
      at += 1;
    }
    this.pending.splice(0, at);
    this.write(text);
  }

  write(text) {
    let rest = visible(text);
    while (rest) {
      if (this.size >= LONGEST_BLOCK) rest = this.close() + rest;
      if (!this.node) this.open();
      const cut = this.fit(rest);
      this.node.appendData(rest.slice(0, cut));
      this.size += cut;
      rest = rest.slice(cut);
      if (rest) rest = this.close() + rest;
    }
  }

  /* Ends the block. Unless its text ends a line, the last line on the screen is taken back, to begin the next block. */
  close() {
    const { node } = this;
    this.node = null;
    if (!node?.length || node.data.endsWith("\n")) return "";
    const at = lastLine(node);
    if (at === 0) return "";
    const line = node.data.slice(at);
    node.deleteData(at, line.length);
    return line;
  }

  /* How much still goes into this block: to the first line end past BLOCK, at most LONGEST_BLOCK in all. */
  fit(text) {
    const room = LONGEST_BLOCK - this.size;
    const line = text.indexOf("\n", Math.max(0, BLOCK - this.size));
    if (this.size + text.length <= BLOCK || (line < 0 && text.length <= room)) return text.length;
    return line >= 0 && line < room ? line + 1 : safeCut(text, room);
  }

  open() {
    if (!this.block || this.size > 0) {
      this.block = document.createElement("p");
      this.block.className = "block";
      this.element.append(this.block);
      this.size = 0;
    }
    this.node = this.block.appendChild(document.createTextNode(""));
  }

  writeNote({ words, sign }) {
    if (!this.block) this.open();
    const note = document.createElement("span");
    note.className = "guardnote";
    note.append(icon(sign), words);
    this.block.append(note);
    this.node = this.block.appendChild(document.createTextNode(""));
  }

  scroll() {
    if (this.follow.checked) this.element.scrollTop = this.element.scrollHeight;
  }
}

/* Where the last line begins as the browser wraps it; 0 if all is on one line, or nothing is laid out. */
function lastLine(node) {
  const range = document.createRange();
  const top = (at) => {
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    return range.getBoundingClientRect().top;
  };
  let [low, high] = [0, node.length - 1];
  const bottom = top(high);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (top(middle) < bottom) low = middle + 1;
    else high = middle;
  }
  return low > 0 ? safeCut(node.data, low) : 0;
}

/* Never between the halves of a surrogate pair. */
function safeCut(text, at) {
  const code = text.charCodeAt(at - 1);
  return at > 1 && at < text.length && code >= 0xd800 && code <= 0xdbff ? at - 1 : Math.max(1, at);
}
