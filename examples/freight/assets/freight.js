/** The quay: containers with what is in them, items without one, and a rush. */

import { call, complain, figures, h, keepFocus, number } from "/page.js";

const by = (id) => document.getElementById(id);
const part = encodeURIComponent;
const SHOWN = 6;

/** Carries something out, says so, and shows the quay as it is then. */
async function act(work, said) {
  let problem;
  by("done").textContent = "";
  try {
    const answer = await work();
    by("done").textContent = said(answer);
  } catch (error) {
    problem = error;
  }
  await refresh();
  complain(by("problem"), problem);
}

function unload(itemId, containerId) {
  const click = () =>
    act(
      () => call(`/api/items/${part(itemId)}/unload`, { containerId }),
      () => `${itemId} is on the quay.`,
    );
  return h("button", { type: "button", click, "aria-label": `Unload ${itemId}` }, itemId);
}

function card({ containerId, free, shipments }) {
  const places = free + shipments.length;
  const more = shipments.length > SHOWN ? ` and ${shipments.length - SHOWN} more` : "";
  return h(
    "li",
    { class: "panel" },
    h("strong", {}, containerId),
    h("p", {}, `${number(free)} of ${number(places)} places are free`),
    h("meter", { min: 0, max: places, value: shipments.length, "aria-label": `${containerId}: places taken` }),
    h("p", { class: "chips" }, shipments.slice(0, SHOWN).map((itemId) => unload(itemId, containerId)), more),
  );
}

/** The choices of a list, of which the chosen one stays chosen. */
function choose(select, values, texts = values) {
  const chosen = select.value;
  select.replaceChildren(...values.map((value, at) => h("option", { value }, texts[at])));
  if (values.includes(chosen)) select.value = chosen;
}

async function refresh() {
  try {
    const [stood, lain] = await Promise.all([call("/api/containers"), call("/api/items")]);
    const [{ containers }, { items }] = [stood, lain];
    by("more-containers").textContent = stood.next === null ? "" : `The first ${number(containers.length)} containers are shown; there are more.`;
    by("more-items").textContent = lain.next === null ? "" : `The first ${number(items.length)} items are looked at; there are more.`;
    keepFocus(by("containers"), () => by("containers").replaceChildren(...containers.map(card)));
    const ids = containers.map(({ containerId }) => containerId);
    for (const select of document.querySelectorAll(".choice")) choose(select, ids);
    const waiting = items.filter(({ containerId }) => containerId === null);
    const texts = waiting.map(({ itemId, description }) => `${itemId}: ${description}`);
    choose(by("assign").elements.itemId, waiting.map(({ itemId }) => itemId), texts);
    complain(by("problem"));
  } catch (error) {
    complain(by("problem"), error);
  }
}

/** What a form does with its fields when it is sent. */
function onSubmit(form, work, said) {
  by(form).addEventListener("submit", (event) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(event.target));
    void act(
      () => work(fields),
      (answer) => said(fields, answer),
    );
  });
}

onSubmit(
  "assign",
  ({ itemId, containerId }) => call(`/api/items/${part(itemId)}/assign`, { containerId }),
  ({ itemId, containerId }) => `${itemId} is in ${containerId}.`,
);
onSubmit(
  "item",
  (fields) => call("/api/items", fields),
  ({ itemId }) => `${itemId} is on the quay.`,
);
onSubmit(
  "container",
  ({ containerId, places }) => call("/api/containers", { containerId, places: Number(places) }),
  ({ containerId }) => `${containerId} is there.`,
);
onSubmit(
  "rush",
  async ({ containerId, dispatchers }) => {
    const path = `/api/containers/${part(containerId)}/rush`;
    const rush = await call(path, { dispatchers: Number(dispatchers) });
    const list = [
      ["Found a place", number(rush.loaded)],
      ["Found none", number(rush.refused)],
      ["Places left", number(rush.free)],
      ["Sent again", number(rush.repeated)],
      ["Took", `${number(rush.milliseconds)} ms`],
      ["Container and items agree", rush.isRight ? "yes" : "no", rush.isRight ? "good" : "bad"],
    ];
    by("outcome").replaceChildren(h("p", {}), h("div", { class: "panel" }, figures(list)));
    return rush;
  },
  ({ containerId }, { dispatchers }) => `${number(dispatchers)} dispatchers were at ${containerId} at once.`,
);
void refresh();
