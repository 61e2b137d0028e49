/** The pages of letters. */

import { type Html, html } from "./html.js";
import { day, money, notice, type Page, pager } from "./layout.js";
import type { History, Priced, WholeLetter } from "./letters.js";

/** S3: all letters with their toys. */
export function lettersPage(
  { letters, next }: { readonly letters: readonly WholeLetter[]; readonly next?: string },
  after: string | undefined,
): Page {
  const main = html`<div class="head"><h1>Letters</h1><a class="button" href="/letters/new">Write a letter</a></div>
${letters.length === 0 ? html`<p class="empty">There is no letter yet. <a href="/letters/new">Write the first one.</a></p>` : ""}
<ul class="cards">${letters.map(
    ({ letterId, child, address, receivedAt, total, wishes }) => html`
<li class="card letter"><h2><a href="/letters/${letterId}">${child}</a></h2>
<p>${lastLine(address)}</p>
<ul class="wishes">${wishes.map(({ name, quantity }) => html`<li>${quantity} × ${name}</li>`)}</ul>
<p class="facts"><span class="price">${money(total)}</span> <span>${day(receivedAt)}</span></p></li>`,
  )}
</ul>${pager("/letters", after, next)}`;
  return { title: "Letters", at: "letters", main };
}

/** The town, as a rule. */
function lastLine(address: string): string {
  return address.split("\n").at(-1) ?? "";
}

const DONE: Readonly<Record<string, string>> = {
  sent: "The letter is on its way.",
  changed: "The letter is changed. Its history stays as it was.",
};

/** S4 and S8: one letter with its toys, their prices then and today, and its total. */
export function letterPage(letter: WholeLetter, toys: readonly Priced[], done?: string): Page {
  const { letterId, child, address, receivedAt, total } = letter;
  const main = html`${notice(done === undefined ? undefined : DONE[done])}
<article class="paper">
<h1>The letter of ${child}</h1>
<p class="address">${address}</p>
<p>Received on ${day(receivedAt)}</p>
${priceTable(toys, total, "Price")}
</article>
<p class="actions"><a class="button" href="/letters/${letterId}/change">Change the letter</a>
<a href="/letters/${letterId}/history">As it was received</a></p>`;
  return { title: `The letter of ${child}`, at: "letters", main };
}

/** S9: a letter as it was when it was received, beside the prices of today. */
export function historyPage(history: History, toys: readonly Priced[]): Page {
  const { letterId, child, address, receivedAt, total } = history;
  const now = toys.reduce((sum, { quantity, priceNow }) => sum + quantity * priceNow, 0);
  const compared =
    now === total
      ? html`<p>The same toys cost as much today.</p>`
      : html`<p>The same toys cost <strong>${money(now)}</strong> today. The letter keeps its prices.</p>`;
  const main = html`<article class="paper old">
<h1>The letter of ${child}, as it was received</h1>
<p class="address">${address}</p>
<p>Received on ${day(receivedAt)}</p>
${priceTable(toys, total, "Price then")}
</article>
${compared}
<p class="actions"><a class="button" href="/letters/${letterId}">The letter as it is now</a>
<a href="/api/letters/${letterId}/history">As JSON</a></p>`;
  return { title: `The letter of ${child}, as it was received`, at: "letters", main };
}

function priceTable(toys: readonly Priced[], total: number, heading: string): Html {
  const rows = toys.map(
    ({ toyId, name, quantity, price, priceNow }) => html`
<tr><th scope="row"><a href="/toys/${encodeURIComponent(toyId)}">${name}</a>
${priceNow === price ? "" : html`<span class="now">${money(priceNow)} today</span>`}</th>
<td class="number">${quantity}</td><td class="number">${money(price)}</td><td class="number">${money(quantity * price)}</td></tr>`,
  );
  return html`<table><thead><tr><th scope="col">Toy</th><th scope="col" class="number">Pieces</th>
<th scope="col" class="number">${heading}</th><th scope="col" class="number">Amount</th></tr></thead>
<tbody>${rows}</tbody>
<tfoot><tr><th scope="row" colspan="3">Total</th><td class="number" id="total">${money(total)}</td></tr></tfoot></table>`;
}
