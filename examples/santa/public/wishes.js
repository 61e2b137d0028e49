/** Helps to fill in the form of a letter: steps, the total, and a search. The form works without. */

const euros = new Intl.NumberFormat("en", { style: "currency", currency: "EUR" });
const form = document.getElementById("letter");
const rows = [...form.querySelectorAll("li[data-price]")].map((row) => ({
  row,
  name: row.dataset.name.toLocaleLowerCase("en"),
  price: Number(row.dataset.price),
  input: row.querySelector(".pieces"),
}));

const piecesOf = ({ input }) => (input.checkValidity() ? input.valueAsNumber || 0 : 0);

function total() {
  const chosen = rows.filter((row) => piecesOf(row) > 0);
  const pieces = chosen.reduce((sum, row) => sum + piecesOf(row), 0);
  const cents = chosen.reduce((sum, row) => sum + piecesOf(row) * row.price, 0);
  const text = `${pieces} ${pieces === 1 ? "piece" : "pieces"}, ${euros.format(cents / 100)}`;
  document.getElementById("sum").textContent = pieces === 0 ? "Nothing chosen yet" : text;
  for (const row of rows) row.row.classList.toggle("chosen", piecesOf(row) > 0);
}

function find() {
  const text = document.getElementById("find").value.trim().toLocaleLowerCase("en");
  // What is chosen stays in sight.
  for (const one of rows) one.row.hidden = !one.name.includes(text) && piecesOf(one) === 0;
  document.getElementById("none").hidden = rows.some(({ name }) => name.includes(text));
}

form.addEventListener("click", ({ target }) => {
  const step = Number(target.closest("[data-step]")?.dataset.step ?? 0);
  if (step === 0) return;
  const { input } = rows.find(({ row }) => row.contains(target));
  if (step > 0) input.stepUp();
  else input.stepDown();
  total();
});
form.addEventListener("input", ({ target }) => (target.id === "find" ? find() : total()));
form.addEventListener("keydown", (event) => {
  // Enter in the search looks; it does not send the letter.
  if (event.key === "Enter" && event.target.id === "find") event.preventDefault();
});
// A page that the browser shows again keeps what was typed.
window.addEventListener("pageshow", total);
total();
