/** The pages of the club: classes, a class with its races, a race as it runs, a racer. */

import { Problem, call, chart, complain, figures, h, keepFocus, number } from "/page.js";

const main = document.getElementById("main");
const part = encodeURIComponent;
/** The pause before the events of a race are asked for again. */
const AGAIN_MS = 2000;

/** Shows a page: its title, then its content. */
function show(title, ...content) {
  document.title = title === "Alleycat" ? title : `${title} · Alleycat`;
  main.replaceChildren(h("h1", {}, title), ...content);
}

const racePath = ({ classId, raceId }) => `/classes/${part(classId)}/races/${part(raceId)}`;

async function home() {
  const { classes } = await call("/api/classes");
  const card = ({ classId, name }) =>
    h("li", { class: "panel" }, h("a", { href: `/classes/${part(classId)}` }, name), h("p", {}, "Races and the best of each racer"));
  show(
    "Alleycat",
    h("p", { class: "lead" }, "Racers at home, each second of whom is one write. Choose a class, and start a race."),
    h("ul", { class: "cards" }, classes.map(card)),
  );
}

function startForm(classId, problem) {
  const field = (label, name, value, max) =>
    h("label", {}, label, h("input", { name, type: "number", min: 1, max, value, required: "" }));
  const submit = async (event) => {
    event.preventDefault();
    const values = Object.fromEntries([...new FormData(event.target)].map(([name, text]) => [name, Number(text)]));
    try {
      const race = await call(`/api/classes/${part(classId)}/races`, values);
      location.assign(racePath(race));
    } catch (error) {
      complain(problem, error);
    }
  };
  return h(
    "form",
    { class: "panel fields", submit },
    field("Racers", "racers", 100, 1000),
    field("Seconds", "seconds", 300, 600),
    field("Times as fast", "speed", 10, 100),
    h("button", {}, "Start a race"),
  );
}

const rows = (heads, lines) =>
  h(
    "div",
    { class: "scroll" },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, heads.map(([text, kind]) => h("th", { scope: "col", class: kind }, text)))),
      h("tbody", {}, lines.map((cells) => h("tr", {}, cells.map((cell, at) => h("td", { class: heads[at][1] }, cell))))),
    ),
  );

async function ofClass(classId) {
  const [{ classes }, { races }, { best }] = await Promise.all([
    call("/api/classes"),
    call(`/api/classes/${part(classId)}/races`),
    call(`/api/classes/${part(classId)}/best`),
  ]);
  const name = classes.find((one) => one.classId === classId)?.name ?? classId;
  const problem = h("p", { class: "alert", role: "alert" });
  const race = (one) => [
    h("a", { href: racePath(one) }, `Race ${one.number}`),
    new Date(one.startsAt).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" }),
    number(one.racers),
    one.isOver ? "over" : "running",
  ];
  const racer = ({ racerId, score }, at) => [String(at + 1), h("a", { href: `/racers/${part(racerId)}` }, `Racer ${racerId}`), number(score)];
  show(
    name,
    problem,
    startForm(classId, problem),
    h("h2", {}, "Races"),
    races.length === 0
      ? h("p", { class: "quiet" }, "There is no race yet. Start one.")
      : rows([["Race"], ["Start"], ["Racers", "number"], ["", "number"]], races.map(race)),
    h("h2", {}, "The best of each racer"),
    best.length === 0
      ? h("p", { class: "quiet" }, "Nobody has finished yet.")
      : rows([["Place"], ["Racer"], ["Score", "number"]], best.map(racer)),
  );
}

/** Puts a leaderboard's rows in their new order, and lets them move there. */
function reorder(board, list, highest) {
  const before = new Map([...board.children].map((row) => [row.dataset.racer, row]));
  const tops = new Map([...before].map(([racer, row]) => [racer, row.getBoundingClientRect().top]));
  const next = list.map(({ racerId, name, score }, at) => {
    const row =
      before.get(racerId) ??
      h("li", { "data-racer": racerId }, h("span", { class: "place" }), h("a", {}, name), h("span", { class: "score" }), h("span", { class: "bar" }));
    const [place, link, points, bar] = row.children;
    place.textContent = String(at + 1);
    link.href = `/racers/${part(racerId)}`;
    points.textContent = number(score);
    bar.style.width = `${(100 * score) / highest}%`;
    return row;
  });
  keepFocus(board, () => board.replaceChildren(...next));
  for (const row of next) {
    const moved = (tops.get(row.dataset.racer) ?? 0) - row.getBoundingClientRect().top;
    if (!tops.has(row.dataset.racer) || moved === 0) continue;
    row.classList.remove("moves");
    row.style.transform = `translateY(${moved}px)`;
    requestAnimationFrame(() => {
      row.classList.add("moves");
      row.style.transform = "";
    });
  }
}

const ms = (value) => `${value.toLocaleString("en", { maximumFractionDigits: 2 })} ms`;

function outcome(of) {
  const isRight = of.lost === 0 && of.rightReaders === of.readers;
  return [
    h("h2", {}, "The run"),
    figures([
      ["Writes", number(of.writes)],
      ["Writes a second", number(of.writesASecond)],
      ["Write, median", ms(of.write.medianMs)],
      ["Write, p99", ms(of.write.p99Ms)],
      ["Leaderboard, median", ms(of.read.medianMs)],
      ["Leaderboard, p99", ms(of.read.p99Ms)],
      ["Units a write", number(of.unitsAWrite)],
      ["Units a leaderboard", number(of.unitsARead)],
      ["Sent again", number(of.repeated)],
      ["Writes lost", number(of.lost), of.lost === 0 ? "good" : "bad"],
      ["Right leaderboards", `${of.rightReaders} of ${of.readers}`, isRight ? "good" : "bad"],
      ["Took", `${number(of.tookSeconds)} s`],
    ]),
  ];
}

async function ofRace(classId, raceId) {
  const path = `/api/classes/${part(classId)}/races/${part(raceId)}`;
  const race = await call(path);
  const problem = h("p", { class: "alert", role: "alert" });
  const status = h("p", { class: "lead", role: "status" }, "Waiting for the first second …");
  const board = h("ol", { class: "board", "aria-label": "Leaderboard" });
  const end = h("section", { "aria-label": "Figures" });
  show(`Race ${race.number}`, problem, status, h("div", { class: "panel" }, board), end);
  document.querySelector(".lead").before(h("p", {}, h("a", { href: `/classes/${part(classId)}` }, "All races of the class")));
  let highest = 1;
  const receive = (events, state) => {
    problem.textContent = state.problem ?? "";
    highest = Math.max(highest, ...state.rows.map(({ score }) => score));
    reorder(board, state.rows, highest);
    const running = `${number(race.racers)} racers, ${number(race.seconds)} seconds. `;
    if (status.dataset.over !== String(state.isOver)) {
      status.dataset.over = String(state.isOver);
      status.textContent = running + (state.isOver ? "The race is over." : "The race is running.");
    }
    if (!state.isOver) return;
    events.close();
    if (state.figures === null) status.textContent = `${running}The race was given up.`;
    else end.replaceChildren(...outcome(state.figures));
  };
  const listen = () => {
    const events = new EventSource(`${path}/events`);
    events.onmessage = ({ data }) => receive(events, JSON.parse(data));
    events.onerror = () => {
      problem.textContent = "The connection is lost. It is tried again.";
      // A browser tries a lost connection again by itself, but not one that was refused.
      if (events.readyState === EventSource.CLOSED) setTimeout(listen, AGAIN_MS);
    };
    events.onopen = () => {
      problem.textContent = "";
    };
  };
  listen();
}

const minutes = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

function track({ raceId, points }) {
  const sum = points.reduce((total, watts) => total + watts, 0);
  const mean = Math.round(sum / Math.max(points.length, 1));
  const caption = `${number(points.length)} seconds, ${number(mean)} watts on average, ${number(Math.max(...points, 0))} at most`;
  const title = `Race ${raceId}: watts second by second. ${caption}.`;
  const labels = ["0:00", minutes(points.length)];
  return [h("h2", {}, `Race ${raceId}`), h("div", { class: "panel" }, chart([{ points }], { title, labels, caption }))];
}

async function ofRacer(racerId) {
  const { results, next } = await call(`/api/racers/${part(racerId)}/results${location.search}`);
  const ridden = await Promise.all(
    results.map(({ raceId }) => call(`/api/racers/${part(racerId)}/performance?race=${part(raceId)}`)),
  );
  const line = ({ classId, raceId, score, seconds }) => [h("a", { href: racePath({ classId, raceId }) }, raceId), number(seconds), number(score)];
  show(
    `Racer ${racerId}`,
    results.length === 0
      ? h("p", { class: "lead" }, "No race yet.")
      : rows([["Race"], ["Seconds", "number"], ["Score", "number"]], results.map(line)),
    ...(next === null ? [] : [h("p", {}, h("a", { href: `?after=${part(next)}` }, "More races"))]),
    ...ridden.flatMap((one) => one.tracks).flatMap(track),
  );
}

/** A part of the address as text. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Problem("There is no such page: its address has a broken character. Begin at the classes.");
  }
}

async function open() {
  const parts = location.pathname.split("/").filter(Boolean).map(decoded);
  const [kind, id, , race] = parts;
  if (kind === undefined) return home();
  if (kind === "racers") return ofRacer(id);
  return race === undefined ? ofClass(id) : ofRace(id, race);
}

open().catch((error) => {
  const place = h("p", { class: "alert", role: "alert" });
  show("Alleycat", place);
  complain(place, error);
});
