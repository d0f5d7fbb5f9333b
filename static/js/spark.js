/* The last 24 seconds of a stream's speed, as a line. One reading a second. */
import { $ } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const READINGS = 24;
const LEAST_TOP = 40;

export class Spark {
  constructor(place) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", "spark");
    svg.setAttribute("viewBox", "0 0 23 18");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    this.area = svg.appendChild(document.createElementNS(SVG, "polygon"));
    this.area.setAttribute("class", "area-fill");
    this.line = svg.appendChild(document.createElementNS(SVG, "polyline"));
    this.line.setAttribute("class", "line");
    const words = document.createElement("span");
    words.append(document.createElement("b"), " tok/s");
    place.replaceChildren(svg, words);
    this.number = $("b", words);
    this.readings = [];
  }

  draw(rate) {
    this.readings = [...this.readings.slice(1 - READINGS), rate];
    const top = Math.max(LEAST_TOP, ...this.readings);
    const from = READINGS - this.readings.length;
    const points = this.readings.map((value, index) => `${from + index},${(17 - (value / top) * 15).toFixed(1)}`);
    this.line.setAttribute("points", points.join(" "));
    this.area.setAttribute("points", `${from},18 ${points.join(" ")} 23,18`);
    this.number.textContent = String(Math.round(rate));
  }
}
