/** Two devices of one reader. Each has what the table has, and nothing of the other. */

import { PAGES } from "./book.js";

const COPY = "/api/copies/reader-1/alice/epub";
const LOOK_MS = 1000;

/** An element with attributes and children. Texts are texts, never HTML. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** Calls the API. An answer that does not come is a status of its own. */
async function call(method, path, body) {
  const sent = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const from = performance.now();
  try {
    const response = await fetch(`${COPY}${path}`, { method, ...sent });
    const value = await response.json();
    const units = response.headers.get("x-table-units");
    return { status: response.status, value, units, ms: performance.now() - from };
  } catch {
    return { status: 0, value: {} };
  }
}

/** A device: where it is, and what it has last seen of the copy. */
class Device {
  constructor(name) {
    this.name = name;
    this.page = 1;
    /** The edition of the last position that this device has seen. */
    this.edition = 0;
    /** The page of another device that this one did not follow yet. */
    this.elsewhere = undefined;
    this.marks = new Set();
    this.highlights = new Set();
    /** Writes happen one after the other. */
    this.queue = Promise.resolve();
    this.build();
  }

  build() {
    const id = `device-${this.name.toLowerCase()}`;
    this.notice = element("div", { class: "notice", role: "status" });
    this.text = element("div", { class: "text" });
    this.place = element("p", { class: "place" });
    this.mark = element("button", { type: "button", class: "mark", onclick: () => this.toggleMark() }, "Mark");
    this.back = element("button", { type: "button", onclick: () => this.turn(-1) }, "Back");
    this.next = element("button", { type: "button", onclick: () => this.turn(1) }, "Next");
    const head = element("div", { class: "head" }, element("h2", { id }, this.name), this.place);
    const bar = element("div", { class: "bar" }, this.back, this.mark, this.next);
    const kind = `device ${this.name.toLowerCase()}`;
    this.root = element("section", { class: kind, "aria-labelledby": id }, head, this.notice, this.text, bar);
  }

  /** Shows the page with its mark and its highlights. */
  show() {
    this.place.textContent = `Page ${this.page} of ${PAGES.length}`;
    this.back.disabled = this.page === 1;
    this.next.disabled = this.page === PAGES.length;
    this.mark.setAttribute("aria-pressed", String(this.marks.has(this.page)));
    const shown = PAGES[this.page - 1].map((words, offset) => {
      const isLit = this.highlights.has(`${this.page}/${offset}`);
      const toggle = () => this.toggleHighlight(offset, words);
      const attributes = { type: "button", class: "light", "aria-pressed": String(isLit), onclick: toggle };
      const button = element("button", { ...attributes, "aria-label": `Highlight paragraph ${offset + 1}` }, "✎");
      const paragraph = element("p", {}, isLit ? element("mark", {}, words) : words);
      return element("div", { class: "paragraph" }, paragraph, button);
    });
    // A button that has the focus keeps it.
    const focused = [...this.text.querySelectorAll("button")].indexOf(document.activeElement);
    this.text.replaceChildren(...shown);
    if (focused >= 0) this.text.querySelectorAll("button")[focused]?.focus();
  }

  say(text, button) {
    this.notice.replaceChildren(...(text === undefined ? [] : [element("p", {}, text), ...(button ?? [])]));
  }

  fail({ status, value }) {
    if (status === 0) this.say("Offline: nothing is saved until there is a connection.");
    else this.say(`This was not saved. ${value.detail ?? `The answer is ${status}.`} Try it again.`);
  }

  /** Reads all annotations of the copy, by one query, and follows them. */
  async look() {
    const answer = await call("GET", "");
    if (answer.status !== 200) return this.fail(answer);
    if (this.notice.textContent.startsWith("Offline")) this.say();
    const of = (kind) => answer.value.annotations.find((one) => one.kind === kind);
    const last = of("lastread");
    const marks = new Set((of("mark")?.positions ?? []).map(({ page }) => page));
    const highlights = new Set((of("highlight")?.positions ?? []).map(({ page, offset }) => `${page}/${offset}`));
    const before = JSON.stringify([this.page, [...this.marks], [...this.highlights]]);
    [this.marks, this.highlights] = [marks, highlights];
    if (last !== undefined && last.edition !== this.edition) this.heard(last);
    if (JSON.stringify([this.page, [...marks], [...highlights]]) !== before) this.show();
  }

  /** A last position that this device has not seen. Its own one is where it is. */
  heard(last) {
    const [{ page }] = last.positions;
    const isFirst = this.edition === 0;
    this.edition = last.edition;
    if (last.device === this.name || isFirst || page === this.page) {
      if (isFirst) this.page = page;
      this.elsewhere = undefined;
      return this.say();
    }
    this.elsewhere = page;
    this.ask(last.device, page);
  }

  ask(device, page) {
    const go = element("button", { type: "button", onclick: () => this.follow(page) }, `Go to page ${page}`);
    const stay = element("button", { type: "button", class: "quiet", onclick: () => this.stay() }, "Stay here");
    this.say(`The ${device.toLowerCase()} is on page ${page}.`, [element("div", { class: "choice" }, go, stay)]);
  }

  follow(page) {
    this.page = page;
    this.elsewhere = undefined;
    this.say();
    this.show();
    this.next.focus();
  }

  stay() {
    this.elsewhere = undefined;
    this.say();
    this.save(true);
  }

  turn(by) {
    this.page = Math.min(PAGES.length, Math.max(1, this.page + by));
    this.show();
    this.save(false);
  }

  /** Writes where the device is: one small write for each turn, in their order. */
  save(stay) {
    const position = { page: this.page };
    this.queue = this.queue.then(async () => {
      const answer = await call("PUT", "/lastread", {
        device: this.name,
        position,
        edition: this.edition,
        stay,
      });
      if (answer.status === 409 && answer.value.now) return this.heard(answer.value.now);
      if (answer.status !== 200) return this.fail(answer);
      const cost = `The last turn of a page was one write of ${Number(answer.units)} unit, in ${Math.round(answer.ms)} ms.`;
      document.querySelector("#cost").textContent = cost;
      // A checked write counts by one; the edition of one that was not is read.
      if (stay) await this.look();
      else this.edition += 1;
    });
  }

  toggleMark() {
    this.toggle("mark", this.marks, this.page, { page: this.page });
  }

  toggleHighlight(offset, words) {
    const position = { page: this.page, offset, text: words.slice(0, 60) };
    this.toggle("highlight", this.highlights, `${this.page}/${offset}`, position);
  }

  /** Adds a position or takes it away, at once on this device and then in the table. */
  toggle(kind, set, key, position) {
    const isThere = set.has(key);
    if (isThere) set.delete(key);
    else set.add(key);
    this.show();
    this.queue = this.queue.then(async () => {
      const { page, offset } = position;
      const query = new URLSearchParams({ device: this.name, page, ...(offset !== undefined && { offset }) });
      const answer = isThere
        ? await call("DELETE", `/${kind}?${query}`)
        : await call("POST", `/${kind}`, { device: this.name, position });
      // What another device has taken away is away.
      if (answer.status !== 200 && answer.status !== 404) this.fail(answer);
    });
  }
}

const only = new URLSearchParams(location.search).get("device");
const NAMES = ["Phone", "Tablet"];
const names = NAMES.filter((name) => only === null || only === name.toLowerCase());
const devices = names.map((name) => new Device(name));
const shown = names.length === 0 ? [absent(only)] : devices.map(({ root }) => root);
document.querySelector("#devices").replaceChildren(...shown);

/** What is shown where the address names a device that there is not. */
function absent(device) {
  const links = NAMES.map((name) => element("a", { href: `?device=${name.toLowerCase()}` }, name));
  const both = element("a", { href: "/" }, "Both");
  const places = [...links, both].flatMap((link) => [" ", link]);
  return element("p", { class: "alert", role: "alert" }, `There is no device “${device}”. Choose one:`, ...places);
}

for (const device of devices) device.show();

/** Looks when nothing is being written, and again after a while. */
async function looking(device) {
  await device.queue;
  if (!document.hidden) {
    device.queue = device.queue.then(() => device.look());
    await device.queue;
  }
  setTimeout(() => void looking(device), LOOK_MS);
}
for (const device of devices) void looking(device);
