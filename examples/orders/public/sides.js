/** Both answers to one question, beside each other. */

/** An element with attributes and children. Texts are texts, never HTML. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const choice = document.querySelector("#customer");
const said = document.querySelector("#said");

/** The value of an answer; undefined, with a sentence on the page, where it is none. */
async function call(method, path, body) {
  try {
    const headers = { "content-type": "application/json" };
    const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
    const response = await fetch(`/api${path}`, { method, ...sent });
    const value = await response.json();
    if (response.ok) return value;
    say(`This did not work. ${value.detail}`, false);
  } catch {
    say("The program does not answer. Is it still open?", false);
  }
  return undefined;
}

function say(text, isGood) {
  said.textContent = text;
  said.className = isGood ? "good" : "bad";
}

const COLUMNS = ["Order", "Day", "Amount", "Zip", "Street", "City", "Country"];

/** One of the two answers as a table. */
function side(title, { rows, how }, reads, other) {
  const cells = (row) => [
    row.transaction_id,
    row.ordered_at.slice(0, 10),
    Number(row.amount).toLocaleString("en", { minimumFractionDigits: 2 }),
    row.zip,
    row.street,
    row.city,
    row.country,
  ];
  const head = COLUMNS.map((name) => element("th", { scope: "col", class: name === "Amount" ? "number" : undefined }, name));
  const body = rows.map((row) => {
    const made = cells(row).map((text, at) => element("td", { class: at === 2 ? "number" : undefined }, text));
    return element("tr", { class: other.has(row.transaction_id) ? "other" : undefined }, ...made);
  });
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
  const id = `side-${title.toLowerCase()}`;
  const facts = `${rows.length} orders, ${reads}`;
  const scroll = element("div", { class: "scroll", tabindex: "0", role: "group", "aria-labelledby": id }, table);
  return element("section", { "aria-labelledby": id }, element("h2", { id }, title), element("p", {}, facts), element("pre", { tabindex: "0" }, how), scroll);
}

async function show() {
  const found = await call("GET", `/customers/${encodeURIComponent(choice.value)}/orders`);
  if (found === undefined) return;
  const other = new Set(found.other);
  document.querySelector("#sides").replaceChildren(side("SQL", found.sql, "joined from two tables", other), side("Keyfold", found.keyfold, "read from one table", other));
  if (found.same) say("Both answers are the same.", true);
  else say(`${other.size} ${other.size === 1 ? "order is" : "orders are"} not the same: the old system has changed since the import.`, false);
}

document.querySelector("#import").addEventListener("click", async () => {
  const done = await call("POST", "/import");
  if (done === undefined) return;
  await show();
  const { rows, written, deleted, without_address } = done;
  said.textContent += ` Of ${rows} rows, ${written} were written and ${deleted} deleted; ${without_address} orders have no address.`;
});
choice.addEventListener("change", () => void show());

const address = document.querySelector("#address");
const street = document.querySelector("#street");

/** The addresses to choose from. The choice stays. */
async function list() {
  const chosen = address.value;
  const found = await call("GET", "/addresses");
  const option = ({ zip, street: of, city }) => element("option", { value: zip }, `${of}, ${zip} ${city}`);
  address.replaceChildren(...(found?.addresses ?? []).map(option));
  if (chosen !== "") address.value = chosen;
}

document.querySelector("#rename").addEventListener("submit", async (event) => {
  event.preventDefault();
  const changed = await call("POST", `/addresses/${encodeURIComponent(address.value)}`, { street: street.value });
  if (changed === undefined) return;
  street.value = "";
  await Promise.all([list(), show()]);
  said.textContent = `The street in ${changed.zip} ${changed.city} is ${changed.street} in PostgreSQL. ${said.textContent}`;
});

const all = await call("GET", "/customers");
for (const custid of all?.customers ?? []) choice.append(element("option", {}, custid));
if (all !== undefined) await Promise.all([list(), show()]);
