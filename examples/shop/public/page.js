/** The shop's page: products with their stock as it is now, a basket, and an order. */

const CATEGORIES = ["writing", "paper", "desk"];
const REFRESH_MS = 2000;

const content = document.querySelector("#content");
const said = document.querySelector("#said");
/** How many pieces are in the basket, by product. */
const basket = new Map();
/** The order that the basket becomes: sent twice, it is one order. */
let orderId = crypto.randomUUID();
let timer;

/** An element with attributes and children. Texts are texts, never HTML. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

const money = (cents) => `€${(cents / 100).toLocaleString("en", { minimumFractionDigits: 2 })}`;
const counted = (number, thing) => `${number} ${thing}${number === 1 ? "" : "s"}`;
const titled = (word) => word[0].toUpperCase() + word.slice(1);

/** Calls the API, whose answer is a status and a value. One that does not come is a status of its own. */
async function call(method, path, body) {
  const sent = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  try {
    const response = await fetch(`/api${path}`, { method, ...sent });
    const requests = response.headers.get("x-table-requests");
    if (requests) document.querySelector("#cost").textContent = `The last answer took ${requests}.`;
    return { status: response.status, value: await response.json() };
  } catch {
    return { status: 0, value: {} };
  }
}

function say(text, kind = "notice") {
  said.replaceChildren(element("p", { class: kind }, text));
  // The form is below a list that may be longer than the screen.
  if (kind === "alert") said.scrollIntoView({ block: "center" });
}

/** What an answer that is no success means to a person. */
function meaning({ status, value }) {
  if (status === 0) return "The shop cannot be reached. Look at your connection, and try again.";
  if (status >= 500) return "The shop is very busy or has a fault. Nothing is lost: try again in a moment.";
  switch (value.code) {
    case "out_of_stock":
      return lacking(value.productId);
    case "unknown_product":
      return `“${nameOf(value.productId)}” is not sold any more. Take it out.`;
    default:
      return `This was not taken. ${value.detail}`;
  }
}

const names = new Map();
const prices = new Map();
/** How many pieces there are, as far as the page knows. */
const stocks = new Map();
const nameOf = (productId) => names.get(productId) ?? productId;

/** What is there of a product of which more is wanted. */
function lacking(productId) {
  const [name, stock, taken] = [nameOf(productId), stocks.get(productId), basket.get(productId) ?? 0];
  if (stock === undefined) return `There are too few pieces of “${name}”. Take fewer.`;
  const away = stock === 0 ? "Take it out of the basket." : "Take fewer.";
  const next = taken > stock ? ` The basket has ${taken}. ${away}` : "";
  if (stock === 0) return `“${name}” is sold out.${next}`;
  if (taken > stock || taken === 0) return `Only ${counted(stock, "piece")} of “${name}” can be had now.${next}`;
  return `The basket has all of “${name}” that there is: ${counted(stock, "piece")}.`;
}

/** Takes note of a product as the shop has it now. */
function learn({ productId, name, price, stock }) {
  names.set(productId, name);
  prices.set(productId, price);
  stocks.set(productId, stock);
}

/** Asks the shop for products, and takes note of them. One that is not there stays unknown. */
async function learnOf(productIds) {
  const found = await Promise.all(productIds.map((one) => call("GET", `/products/${encodeURIComponent(one)}`)));
  for (const { status, value } of found) if (status === 200) learn(value);
}

/** The products of a category, with their stock, which is read again while the page is seen. */
async function products(category) {
  const list = element("ul", { class: "cards" });
  content.replaceChildren(element("h1", {}, titled(category)), list, checkout());
  const refresh = async () => {
    const answer = await call("GET", `/products?category=${encodeURIComponent(category)}`);
    if (!list.isConnected) return;
    if (answer.status !== 200) return say(meaning(answer), "alert");
    for (const product of answer.value.products) show(list, product);
    if (list.children.length === 0) list.append(element("li", { class: "empty" }, "There is nothing here yet."));
  };
  await refresh();
  timer = setInterval(() => document.hidden || refresh(), REFRESH_MS);
  count();
}

/** Shows a product, or what is new of it. */
function show(list, product) {
  learn(product);
  const { productId, name, price, stock } = product;
  const left = stock === 0 ? "Sold out" : `${stock} in stock`;
  const before = list.querySelector(`[data-id="${CSS.escape(productId)}"]`);
  if (before !== null) {
    const shown = before.querySelector(".stock");
    if (shown.textContent !== left) shown.textContent = left;
    shown.classList.toggle("low", stock < 5);
    before.querySelector(".price").textContent = money(price);
    bound(productId);
    return;
  }
  const step = (by, label, sign) =>
    element("button", { type: "button", class: "step", "aria-label": label, onclick: () => take(productId, by) }, sign);
  const pieces = element("output", { "aria-label": `Pieces of ${name}` }, String(basket.get(productId) ?? 0));
  const low = stock < 5 ? "stock low" : "stock";
  const facts = element("p", { class: "facts" }, element("span", { class: "price" }, money(price)), element("span", { class: low }, left));
  const steps = element("div", { class: "steps" }, step(-1, `One ${name} less`, "−"), pieces, step(1, `One ${name} more`, "+"));
  list.append(element("li", { class: "card", "data-id": productId }, element("h2", {}, name), facts, steps));
  bound(productId);
}

const cardOf = (productId) => content.querySelector(`[data-id="${CSS.escape(productId)}"]`);

/** No more is taken than there is: the button says so. */
function bound(productId) {
  const isAll = (basket.get(productId) ?? 0) >= (stocks.get(productId) ?? 0);
  cardOf(productId)?.querySelector(".step:last-child").setAttribute("aria-disabled", String(isAll));
}

function take(productId, by) {
  const pieces = Math.max(0, (basket.get(productId) ?? 0) + by);
  if (by > 0 && pieces > (stocks.get(productId) ?? 0)) return say(lacking(productId));
  said.replaceChildren();
  if (pieces === 0) basket.delete(productId);
  else basket.set(productId, pieces);
  const shown = cardOf(productId)?.querySelector("output");
  if (shown) shown.textContent = String(pieces);
  bound(productId);
  count();
}

function count() {
  const sum = document.querySelector("#sum");
  if (sum === null) return;
  let [pieces, cents] = [0, 0];
  for (const [productId, quantity] of basket) {
    pieces += quantity;
    cents += quantity * prices.get(productId);
  }
  document.querySelector(".checkout button").setAttribute("aria-disabled", String(pieces === 0));
  sum.textContent = pieces === 0 ? "The basket is empty" : `${counted(pieces, "piece")}, ${money(cents)}`;
}

/** The basket's sum, and who orders it. */
function checkout() {
  const field = (name, label, type) => [
    element("label", { for: name }, label),
    element("input", { id: name, name, type, required: "", autocomplete: name, value: localStorage.getItem(name) ?? "" }),
  ];
  const form = element("form", { class: "checkout", onsubmit: (event) => void order(event) });
  form.append(element("h2", {}, "Your order"), element("p", { id: "sum", "aria-live": "polite" }));
  form.append(...field("name", "Name", "text"), ...field("email", "E-mail", "email"), element("button", { "aria-disabled": String(basket.size === 0) }, "Order"));
  return form;
}

/** Who orders: a new person, or the one who has the e-mail. */
async function person(email, name) {
  const made = await call("POST", "/users", { email, name });
  if (made.status !== 409) return made;
  return call("GET", `/users?email=${encodeURIComponent(email)}`);
}

async function order(event) {
  event.preventDefault();
  if (basket.size === 0) return say("The basket is empty. Take something first.", "alert");
  const button = event.target.querySelector("button");
  button.disabled = true;
  try {
    const { name, email } = Object.fromEntries(new FormData(event.target));
    for (const [key, value] of Object.entries({ name, email })) localStorage.setItem(key, value);
    const who = await person(email, name);
    if (who.status >= 400 || who.status === 0) return say(meaning(who), "alert");
    const lines = [...basket].map(([productId, quantity]) => ({ productId, quantity }));
    const answer = await call("PUT", `/orders/${orderId}`, { userId: who.value.userId, lines });
    if (answer.value.code === "out_of_stock") {
      await learnOf([answer.value.productId]);
      bound(answer.value.productId);
    }
    if (answer.status !== 200 && answer.status !== 201) return say(meaning(answer), "alert");
    basket.clear();
    location.hash = `#/orders/${orderId}`;
    orderId = crypto.randomUUID();
    say("Thank you. The order is placed.");
  } finally {
    button.disabled = false;
  }
}

const NEXT = { pending: ["paid", "Pay"], paid: ["shipped", "Ship"] };

/** An order with its items, and what can be done next. */
async function shown(id) {
  const answer = await call("GET", `/orders/${encodeURIComponent(id)}`);
  if (answer.status !== 200) {
    content.replaceChildren(element("h1", {}, "Order"));
    return say(meaning(answer), "alert");
  }
  const { order: one, items } = answer.value;
  // Whoever comes by the address has seen none of the products.
  await learnOf(items.map(({ productId }) => productId).filter((productId) => !names.has(productId)));
  const rows = items.map(({ productId, quantity, price }) => {
    const cells = [quantity, money(price), money(quantity * price)];
    const numbers = cells.map((cell) => element("td", { class: "number" }, String(cell)));
    return element("tr", {}, element("th", { scope: "row" }, nameOf(productId)), ...numbers);
  });
  const heads = ["Product", "Pieces", "Price", "Amount"].map((name, at) =>
    element("th", { scope: "col", class: at > 0 ? "number" : undefined }, name),
  );
  const total = element("tr", {}, element("th", { scope: "row", colspan: "3" }, "Total"));
  total.append(element("td", { class: "number", id: "total" }, money(one.total)));
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)));
  table.append(element("tbody", {}, ...rows), element("tfoot", {}, total));
  const step = NEXT[one.status];
  const onward = step && element("button", { type: "button", onclick: () => void proceed(id, step[0]) }, step[1]);
  const actions = element("p", { class: "actions" }, onward, element("a", { href: "#/" }, "Back to the products"));
  const state = element("p", { class: "lead" }, "It is ", element("strong", { id: "status" }, one.status), ".");
  content.replaceChildren(element("h1", {}, "Order"), state, table, actions);
}

async function proceed(id, status) {
  const answer = await call("PUT", `/orders/${encodeURIComponent(id)}/status`, { status });
  if (answer.status !== 200) return say(meaning(answer), "alert");
  say(`The order is ${status}.`);
  await shown(id);
}

/** A part of an address. One that is none is that of no order. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Shows what the address asks for. */
async function visit() {
  clearInterval(timer);
  const [kind = "", id = ""] = location.hash.replace(/^#\/?/, "").split("/");
  const category = CATEGORIES.includes(kind) ? kind : CATEGORIES[0];
  for (const link of document.querySelectorAll("#categories a")) {
    const isHere = kind !== "orders" && link.hash === `#/${category}`;
    if (isHere) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  if (kind === "orders") await shown(decoded(id));
  else await products(category);
}

for (const category of CATEGORIES) {
  const link = element("a", { href: `#/${category}` }, titled(category));
  document.querySelector("#categories").append(element("li", {}, link));
}
addEventListener("hashchange", (event) => {
  // What was said of an order stays beside the order.
  if (!location.hash.startsWith("#/orders/") || event.oldURL.includes("#/orders/")) said.replaceChildren();
  void visit();
});
// The skip link is no address of a page.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.querySelector("#main").focus();
});
void visit();
