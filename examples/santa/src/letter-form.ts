/** The form of a letter: a new one, or a change of one. */

import { type Html, html } from "./html.js";
import { alert, marked, money, type Page, present } from "./layout.js";
import { type Asked, type GivenLetter, letterIdOf, type WholeLetter } from "./letters.js";
import type { Problem } from "./problem.js";
import type { LetterId, Toy, ToyId } from "./santa.js";
import { type Choice, toyIdOf } from "./toys.js";

/** What the form of a letter holds. */
export interface FilledIn extends GivenLetter {
  readonly version: number;
}

/** The toys that letters name. */
export function toysOf(...letters: readonly Pick<GivenLetter, "wishes">[]): ToyId[] {
  return letters.flatMap(({ wishes }) => wishes.map(({ toyId }) => toyId));
}

/** What a browser sends of the form: `pieces.train=2` with `price.train=1200`, the price that it shows. */
export function letterForm(form: URLSearchParams): FilledIn {
  const wishes: Asked[] = [];
  for (const [name, value] of form) {
    if (!name.startsWith("pieces.") || value.trim() === "" || value.trim() === "0") continue;
    const toyId = toyIdOf(name.slice("pieces.".length));
    const price = form.get(`price.${toyId}`);
    wishes.push({ toyId, quantity: Number(value), price: price === null ? undefined : Number(price) });
  }
  return {
    letterId: letterIdOf(form.get("letterId") ?? ""),
    version: Number(form.get("version")),
    child: form.get("child") ?? "",
    // Browsers send lines as CR LF.
    address: (form.get("address") ?? "").replaceAll("\r\n", "\n"),
    wishes,
  };
}

interface FormPage {
  readonly letterId: LetterId;
  readonly choice: Choice;
  /** The letter that is changed. */
  readonly stored?: WholeLetter;
  /** The form as it was sent, where it is shown again. */
  readonly given?: FilledIn;
  readonly problem?: Problem;
  readonly differences?: readonly Html[];
}

/** The page of the form. */
export function letterFormPage({ letterId, choice, stored, given, problem, differences = [] }: FormPage): Page {
  const title = stored === undefined ? "Write a letter" : `Change the letter of ${stored.child}`;
  const action = stored === undefined ? "/letters" : `/letters/${letterId}/change`;
  const { child = "", address = "" } = given ?? stored ?? {};
  const quantities = new Map((given ?? stored)?.wishes.map(({ toyId, quantity }) => [toyId, quantity]));
  // A toy that the letter has keeps its price.
  const prices = new Map(stored?.wishes.map(({ toyId, price }) => [toyId, price]));
  const name =
    stored === undefined
      ? html`<label for="child">Your name</label>
<input id="child" name="child" required maxlength="60" autocomplete="name" value="${child}"${marked(problem, "child")}>`
      : html`<input type="hidden" name="version" value="${stored.version}">`;
  const { toys, cutAt } = choice;
  const more = cutAt === undefined ? "" : html`<p>The first ${cutAt.toLocaleString("en")} toys are shown; there are more.</p>`;
  const rows = toys.map((toy) => toyRow(toy, prices.get(toy.toyId) ?? toy.price, quantities.get(toy.toyId)));
  const main = html`<h1>${title}</h1>${alert(problem, differences)}
<form method="post" action="${action}" class="fields" id="letter">
<input type="hidden" name="letterId" value="${letterId}">
${name}
<label for="address">Address</label>
<textarea id="address" name="address" required maxlength="300" rows="2" autocomplete="street-address"${marked(problem, "address")}>
${address}</textarea>
<fieldset id="wishes" tabindex="-1"><legend>Wishes</legend>
<p class="find"><label for="find">Find a toy</label> <input id="find" type="search" autocomplete="off"></p>
<ul class="choices">${rows}</ul>
<p class="empty" id="none" hidden>No toy has this in its name.</p>${more}
</fieldset>
<div class="sum"><p id="sum" role="status"><noscript>The total is shown when the letter is sent.</noscript></p>
<button>${stored === undefined ? "Send the letter" : "Save the letter"}</button></div>
</form>`;
  return { title, at: stored === undefined ? "write" : "letters", main, script: true };
}

function toyRow({ toyId, name }: Toy, price: number, quantity: number | undefined): Html {
  const id = `pieces.${toyId}`;
  return html`
<li data-name="${name}" data-price="${price}">${present(toyId)}
<label for="${id}">${name} <span class="price">${money(price)}</span></label>
<input type="hidden" name="price.${toyId}" value="${price}">
<span class="steps"><button type="button" class="step" data-step="-1" tabindex="-1" aria-label="One ${name} less">−</button>
<input id="${id}" name="${id}" type="number" min="0" max="99" step="1" inputmode="numeric" class="pieces"
 value="${Number.isFinite(quantity) ? quantity : 0}">
<button type="button" class="step" data-step="1" tabindex="-1" aria-label="One ${name} more">+</button></span></li>`;
}

/** What another elf has made of a letter that somebody wants to change, compared with what is sent. */
export function seenDifferences(given: FilledIn, stored: WholeLetter): Html[] {
  const mine = new Map(given.wishes.map(({ toyId, quantity }) => [toyId, quantity]));
  const lines = stored.wishes
    .filter(({ toyId, quantity }) => mine.get(toyId) !== quantity)
    .map(
      ({ toyId, name, quantity }) =>
        html`${name}: the letter has ${quantity} now, you sent ${mine.get(toyId) ?? 0}.`,
    );
  const theirs = new Set(stored.wishes.map(({ toyId }) => toyId));
  for (const { toyId, quantity } of given.wishes) {
    if (!theirs.has(toyId))
      lines.push(html`${toyId}: the letter does not have it now, you sent ${quantity}.`);
  }
  if (given.address.trim() !== stored.address) lines.push(html`The address is now: ${stored.address}`);
  lines.push(
    html`<a href="/letters/${stored.letterId}">Keep the letter as it is now</a>, or send yours below.`,
  );
  return lines;
}
