/** What the scripts of all applications share: elements, requests, charts. */

/** An element with attributes and children, which are elements or texts. */
export function h(name, attributes = {}, ...children) {
  const svg = ["svg", "path", "line", "text", "title"].includes(name);
  const element = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.flat());
  return element;
}

/** What stands in the way, as the server says it. */
export class Problem extends Error {}

/** The answer of the API; a `Problem` with the server's sentence if it is none. */
export async function call(path, body) {
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  let response;
  try {
    response = await fetch(path, { ...sent, headers });
  } catch {
    throw new Problem("The server does not answer. Is it still running?");
  }
  const answer = await response.json();
  if (!response.ok) throw new Problem(answer.detail);
  return answer;
}

/** Shows an error in a place for it, and hides it again when there is none. */
export function complain(place, error) {
  place.textContent = error === undefined ? "" : error.message;
  if (error !== undefined && !(error instanceof Problem)) throw error;
}

export const number = (value) => value.toLocaleString("en");

/** What people know an element by. */
const nameOf = (element) => element.getAttribute("aria-label") ?? element.textContent;

/** Changes what a place holds. A focus in it stays with its element or with the one of the same name, and is on the
 * place itself where there is none any more: Tab goes on from there. */
export function keepFocus(place, change) {
  const had = document.activeElement;
  const isInside = had !== place && place.contains(had);
  const name = isInside && nameOf(had);
  change();
  if (!isInside || document.activeElement === had) return;
  const next = had.isConnected ? had : [...place.querySelectorAll("a, button")].find((one) => nameOf(one) === name);
  if (next === undefined) place.tabIndex = -1;
  (next ?? place).focus({ preventScroll: true });
}

/** A list of figures: `[name, value, class]`. */
export function figures(list) {
  return h(
    "dl",
    { class: "figures" },
    list.map(([name, value, kind]) => h("div", {}, h("dt", {}, name), h("dd", { class: kind }, value))),
  );
}

/** As wide as the page, so that its letters have their own size. */
const WIDTH = Math.max(240, Math.min(880, document.documentElement.clientWidth - 84));
const HEIGHT = 220;
const LEFT = 44;
const BELOW = 24;

/** A chart of lines over the same steps. `labels` are those of the first and of the last step. */
export function chart(lines, { title, labels, caption }) {
  const all = lines.flatMap(({ points }) => points);
  const top = Math.max(10, Math.ceil(Math.max(...all, 0) / 10) * 10);
  const steps = Math.max(...lines.map(({ points }) => points.length), 2);
  const x = (at) => LEFT + ((WIDTH - LEFT - 4) * at) / (steps - 1);
  const y = (value) => HEIGHT - BELOW - ((HEIGHT - BELOW - 8) * value) / top;
  const path = (points) =>
    points.map((value, at) => `${at ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const level = (value) => [
    h("line", { class: "axis", x1: LEFT, x2: WIDTH, y1: y(value), y2: y(value) }),
    h("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, number(value)),
  ];
  return h(
    "figure",
    { class: "chart" },
    h(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title },
      [0, top / 2, top].flatMap(level),
      h("text", { x: LEFT, y: HEIGHT - 6 }, labels[0]),
      h("text", { x: WIDTH, y: HEIGHT - 6, "text-anchor": "end" }, labels[1]),
      lines.map(({ points, kind = "" }) => h("path", { class: `line ${kind}`, d: path(points) })),
    ),
    h("figcaption", {}, caption),
  );
}
