/** The sales: views as they follow, workers as they come and go, proofs, the legacy system. */

import { call, chart, complain, figures, h, number } from "/page.js";

const by = (id) => document.getElementById(id);
const part = encodeURIComponent;
const money = (cents) => (cents / 100).toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const seconds = (ms) => `${(ms / 1000).toLocaleString("en", { maximumFractionDigits: 1 })} s`;
let month = "";

/** Does something, and says what came of it. */
async function doing(work) {
  try {
    by("done").textContent = await work();
    complain(by("problem"));
  } catch (error) {
    complain(by("problem"), error);
  }
}

function onSubmit(form, work) {
  by(form).addEventListener("submit", (event) => {
    event.preventDefault();
    void doing(() => work(Object.fromEntries(new FormData(event.target)), event.target));
  });
}

/** A table, whose content is replaced as a whole. */
const rows = (place, heads, lines, nothing) =>
  by(place).replaceChildren(
    lines.length === 0
      ? h("p", { class: "quiet" }, nothing)
      : h(
          "table",
          {},
          h("thead", {}, h("tr", {}, heads.map(([text, kind]) => h("th", { scope: "col", class: kind }, text)))),
          h("tbody", {}, lines.map((cells) => h("tr", {}, cells.map((cell, at) => h("td", { class: heads[at][1] }, cell))))),
        ),
  );

onSubmit("selling", async ({ orders }) => {
  const { ordersASecond } = await call("/api/selling", { ordersASecond: Number(orders) });
  return ordersASecond === 0 ? "Nothing is sold." : `${number(ordersASecond)} orders a second are placed.`;
});
onSubmit("rename", async ({ product, name }, form) => {
  const renamed = await call(`/api/legacy/products/${part(product)}`, { name });
  form.reset();
  await catalogue();
  return `${renamed.productId} is called ${renamed.name} in PostgreSQL. The rows follow with the next import.`;
});

by("chaos").addEventListener("click", () =>
  doing(async () => {
    const wanted = by("chaos").getAttribute("aria-pressed") !== "true";
    const { isOn } = await call("/api/chaos", { isOn: wanted });
    return isOn ? "A worker is killed every few seconds." : "Workers are left alone.";
  }),
);

const kill = (worker) =>
  doing(async () => {
    await call(`/api/workers/${worker}/kill`, {});
    return `Worker ${worker} was killed. The other one takes its work over.`;
  });

/** The workers have buttons, which stay where they are. */
function workers(list) {
  const place = by("workers");
  for (const { number: worker } of list.slice(place.children.length)) {
    const button = h("button", { type: "button", click: () => kill(worker) }, `Kill worker ${worker}`);
    place.append(h("li", { class: "panel" }, h("strong", {}, `Worker ${worker}`), h("p", {}), h("p", {}), h("p", {}, button)));
  }
  list.forEach(({ pid, shards, handled, kills }, at) => {
    const [, state, past] = place.children[at].children;
    state.textContent = pid === null ? "is started again" : `process ${pid}, ${shards} shards of the views' streams`;
    past.textContent = `Records handled: ${number(handled)}. Kills: ${number(kills)}.`;
  });
}

/** A proof: a button that is pressed once, and what it has shown. */
function proof(id, words, shown) {
  by(id).addEventListener("click", async () => {
    if (by(id).getAttribute("aria-disabled") === "true") return;
    by(id).setAttribute("aria-disabled", "true");
    by("proof").replaceChildren(h("p", {}, words));
    try {
      const found = await call(`/api/${id}`, {});
      const differences = found.differences.map((text) => h("li", {}, text));
      by("proof").replaceChildren(...shown(found), h("ul", {}, differences));
    } catch (error) {
      by("proof").replaceChildren(h("p", { class: "bad" }, error.message));
    }
    by(id).removeAttribute("aria-disabled");
  });
}
const verdict = (isSame, good, bad) => h("p", { class: isSame ? "good" : "bad" }, h("strong", {}, isSame ? good : bad));
proof("compare", "Comparing: no orders are placed meanwhile. PostgreSQL computes each row again from all orders.", (found) => [
  verdict(found.isSame, "All rows are what SQL makes of the orders.", "Some rows are not what SQL makes of the orders:"),
  figures([
    ["Rows compared", number(found.rows)],
    ["Orders in table A", number(found.orders)],
    ["Orders in the views", number(found.sold)],
    ["Turnover", money(found.turnoverCents)],
    ["Took", seconds(found.milliseconds)],
  ]),
]);
proof("rebuild", "Rebuilding: no orders are placed meanwhile. The workers compute the rows of each view again from all orders, as a new generation. The tables below show the old one until the new one is complete; then both are compared.", (found) => [
  verdict(found.isSame, `Generation ${found.generation} has the same numbers as the one before.`, "Some rows are not as before:"),
  figures([
    ["Rows before", number(found.rowsBefore)],
    ["Rows after", number(found.rowsAfter)],
    ["Turnover before", money(found.turnoverCentsBefore)],
    ["Turnover after", money(found.turnoverCentsAfter)],
    ["Took", seconds(found.milliseconds)],
  ]),
]);

/** The names of a select, which keeps its choice. */
function options(select, list) {
  const chosen = select.value;
  select.replaceChildren(...list.map(([value, text]) => h("option", { value }, text)));
  if (list.some(([value]) => value === chosen)) select.value = chosen;
}

async function catalogue() {
  const { products } = await call("/api/legacy/products");
  const names = products.map(({ productId, name }) => [productId, name]);
  options(by("product"), names.sort(([, one], [, other]) => one.localeCompare(other)));
}

async function best() {
  const region = by("region").value;
  if (region === "" || month === "") return;
  const { rows: list } = await call(`/api/months/${month}/regions/${part(region)}/top`);
  const most = Math.max(...list.map((one) => one.turnoverCents), 1);
  const row = ({ product, productId, turnoverCents }, at) => {
    const bar = h("span", { class: "bar" });
    bar.style.width = `${(100 * turnoverCents) / most}%`;
    return h("li", {}, h("span", { class: "place" }, String(at + 1)), h("span", {}, product ?? productId), h("span", { class: "score" }, money(turnoverCents)), bar);
  };
  by("top").replaceChildren(...list.map(row));
}
by("region").addEventListener("change", () => doing(async () => (await best(), "")));

function follow(looks, last) {
  const behind = looks.map((one) => one.behind);
  const placed = looks.map((one) => one.placed);
  const caption = [h("span", { class: "key" }, "records behind"), " ", h("span", { class: "key warm" }, "orders a second")];
  const title = `Records that the views are behind: ${last.behind} now, at most ${Math.max(...behind, 0)}`;
  const labels = [`${looks.length} s ago`, "now"];
  by("lag").replaceChildren(chart([{ points: placed, kind: "warm" }, { points: behind }], { title, labels, caption }));
}

function show({ day, sold, views, workers: crew, isDisturbed, isResting, daily, regions, looks, news, problem }) {
  const last = looks.at(-1);
  // Where nothing could be read since the page is open, there are no numbers to show.
  if (problem !== null && views.length === 0) by("problem").textContent = problem;
  if (last === undefined || views.length === 0) return;
  month = day.slice(0, 7);
  by("figures").replaceChildren(
    figures([
      ["Orders placed", number(sold.placed)],
      ["Paid", number(sold.paid)],
      ["Taken back", number(sold.returned)],
      ["Failed", number(sold.failed), sold.failed > 0 ? "bad" : "good"],
      ["Records behind", number(last.behind), last.behind > 0 ? "bad" : "good"],
      ["Lag", seconds(last.lagMs), last.lagMs > 1000 ? "bad" : "good"],
      ["Sales", isResting ? "paused" : `${number(sold.wanted)} a second`],
    ]),
  );
  follow(looks, last);
  workers(crew);
  by("chaos").setAttribute("aria-pressed", String(isDisturbed));
  by("chaos").textContent = isDisturbed ? "Leave them alone" : "Kill one now and then";
  rows(
    "views",
    [["View", "name"], ["Generation", "number"], ["Behind", "number"], ["Lag", "number"]],
    views.map((one) => [
      one.building === null ? one.view : `${one.view} (${one.building})`,
      one.generation === null ? "none yet" : String(one.generation),
      number(one.behind),
      seconds(one.lagMs),
    ]),
    "There is no view.",
  );
  rows(
    "daily",
    [["Product", "name"], ["Orders", "number"], ["Pieces", "number"], ["Turnover", "number"], ["Mean", "number"], ["Buyers", "number"], ["Best order", "number"]],
    daily.map((row) => [
      row.product ?? row.productId,
      number(row.orders),
      number(row.sold),
      money(row.turnoverCents),
      money(row.meanCents),
      number(row.buyers),
      money(row.best[0].totalCents),
    ]),
    "Nothing was sold today.",
  );
  rows(
    "regions",
    [["Region", "name"], ["Manager", "name"], ["Orders", "number"], ["Turnover", "number"], ["Mean", "number"], ["Buyers", "number"]],
    regions.map((row) => [
      row.region ?? row.regionId,
      row.manager ?? "",
      number(row.orders),
      money(row.turnoverCents),
      money(row.meanCents),
      number(row.buyers),
    ]),
    "Nothing was sold this month.",
  );
  if (by("region").children.length !== regions.length) {
    options(by("region"), regions.map(({ regionId, region }) => [regionId, region ?? regionId]));
    void doing(async () => (await best(), by("done").textContent));
  }
  by("news").replaceChildren(...news.map(({ at, text }) => h("li", {}, h("time", { datetime: at }, at.slice(11, 19)), " ", text)));
  if (sold.problem !== null) by("problem").textContent = `The last order that failed: ${sold.problem}`;
  if (problem !== null) by("problem").textContent = problem;
}

const events = new EventSource("/api/events");
events.onmessage = ({ data }) => show(JSON.parse(data));
events.onerror = () => {
  by("problem").textContent = "The connection is lost. It is tried again.";
};
events.onopen = () => {
  by("problem").textContent = "";
};
setInterval(() => best().catch((error) => complain(by("problem"), error)), 2000);
catalogue().catch((error) => complain(by("problem"), error));
