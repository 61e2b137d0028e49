/** The pages of toys. */

import type { Page as Found } from "@keyfold/client";
import { html } from "./html.js";
import { alert, counted, marked, money, notice, type Page, pager, present } from "./layout.js";
import type { Problem } from "./problem.js";
import type { Toy } from "./santa.js";
import type { Demand } from "./toys.js";

/** The cents of an amount in a form, `12.50` or `12,50`; what is none is `NaN`. */
export function cents(text: string | null): number {
  const match = /^(\d{1,7})(?:[.,](\d{1,2}))?$/.exec((text ?? "").trim().replace(/^€\s*/, ""));
  if (match === null) return Number.NaN;
  return Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
}

/** An amount as a form has it. */
function amount(price: number): string {
  return (price / 100).toFixed(2);
}

const pathOf = (toyId: string): string => `/toys/${encodeURIComponent(toyId)}`;

/** S1: all toys. */
export function toysPage({ items, next }: Found<Toy>, after: string | undefined): Page {
  const main = html`<div class="head"><h1>Toys</h1><a class="button" href="/toys/new">New toy</a></div>
${items.length === 0 ? html`<p class="empty">There is no toy yet. <a href="/toys/new">Make the first one.</a></p>` : ""}
<ul class="cards">${items.map(
    ({ toyId, name, description, price, wanted }) => html`
<li class="card toy">${present(toyId)}
<div><h2><a href="${pathOf(toyId)}">${name}</a></h2><p>${description}</p></div>
<p class="facts"><span class="price">${money(price)}</span> <span>${counted(wanted, "piece")} to deliver</span></p></li>`,
  )}
</ul>${pager("/toys", after, next)}`;
  return { title: "Toys", at: "toys", main };
}

const DONE: Readonly<Record<string, string>> = {
  created: "The toy is in the catalogue. Letters can ask for it now.",
  repriced: "The price is changed. Letters keep the price that they were sent with.",
};

/** S2 and S7: one toy, who asks for it, and how many to deliver. */
export function toyPage({ toy, wishes, next }: Demand, after: string | undefined, done?: string): Page {
  const { toyId, name, description, price, wanted } = toy;
  const rows = wishes.map(
    ({ letterId, child, quantity, price: then }) => html`
<tr><th scope="row"><a href="/letters/${letterId}">${child}</a></th>
<td class="number">${quantity}</td><td class="number">${money(then)}</td></tr>`,
  );
  const table = html`<table><thead><tr><th scope="col">Letter of</th><th scope="col" class="number">Pieces</th>
<th scope="col" class="number">Price then</th></tr></thead><tbody>${rows}</tbody></table>`;
  const main = html`${notice(done === undefined ? undefined : DONE[done])}
<div class="head">${present(toyId)}<h1>${name}</h1></div>
<p class="lead">${description}</p>
<dl class="figures">
<div><dt>Price</dt><dd>${money(price)}</dd></div>
<div><dt>To deliver</dt><dd>${wanted.toLocaleString("en")}</dd></div>
</dl>
<p><a class="button" href="${pathOf(toyId)}/price">Change the price</a></p>
<h2>Who asks for it</h2>
${wishes.length === 0 ? html`<p class="empty">No letter asks for it yet.</p>` : table}
${pager(pathOf(toyId), after, next)}`;
  return { title: name, at: "toys", main };
}

/** S6: a new toy. */
export function newToyPage(given: URLSearchParams = new URLSearchParams(), problem?: Problem): Page {
  const main = html`<h1>New toy</h1>${alert(problem)}
<form method="post" action="/toys" class="fields">
<label for="name">Name</label>
<input id="name" name="name" required maxlength="60" autocomplete="off" value="${given.get("name") ?? ""}"${marked(problem, "name")}>
<label for="description">Description</label>
<textarea id="description" name="description" required maxlength="300" rows="3"${marked(problem, "description")}>
${given.get("description") ?? ""}</textarea>
<label for="price">Price in euros</label>
<input id="price" name="price" required inputmode="decimal" autocomplete="off" class="short" placeholder="12.50" value="${given.get("price") ?? ""}"${marked(problem, "price")}>
<p class="actions"><button>Add the toy</button> <a href="/toys">Back to the toys</a></p>
</form>`;
  return { title: "New toy", at: "toys", main };
}

/** Another price of a toy. */
export function pricePage({ toyId, name, price }: Toy, given?: URLSearchParams, problem?: Problem): Page {
  const value = given?.get("price") ?? amount(price);
  const now =
    problem?.code === "changed_meanwhile" ? [html`The price of ${name} is ${money(price)} now.`] : [];
  const main = html`<h1>The price of ${name}</h1>${alert(problem, now)}
<p class="lead">It is ${money(price)} now. Letters keep the price that they were sent with.</p>
<form method="post" action="${pathOf(toyId)}/price" class="fields">
<input type="hidden" name="seen" value="${price}">
<label for="price">New price in euros</label>
<input id="price" name="price" required inputmode="decimal" autocomplete="off" class="short" value="${value}"${marked(problem, "price")}>
<p class="actions"><button>Change the price</button> <a href="${pathOf(toyId)}">Back to the toy</a></p>
</form>`;
  return { title: `The price of ${name}`, at: "toys", main };
}
