/** What is done with letters. */

import { KeyfoldError } from "@keyfold/client";
import { pieces, texted } from "./given.js";
import { changedMeanwhile, Problem } from "./problem.js";
import {
  type Letter,
  LetterId,
  type LetterItem,
  type Quote,
  type SantaClient,
  type Snapshot,
  type Toy,
  type ToyId,
  type Wish,
} from "./santa.js";
import { noToy } from "./toys.js";

/** The most toys of a letter: a transaction has 100 items, two for each toy. */
export const WISHES_MAX = 40;

/** A letter with its toys. */
export interface WholeLetter extends Omit<Letter, "kind"> {
  readonly wishes: readonly Wish[];
}

/** The letter's id that an address or a form names. */
export function letterIdOf(text: string): LetterId {
  if (!/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text)) {
    throw new Problem(
      "invalid",
      "The letter’s id has another form. Look for the letter in the list of letters.",
      "letterId",
    );
  }
  return LetterId(text);
}

/** S3: a page of all letters with their toys, the latest first. */
export async function letters(
  santa: SantaClient,
  after?: string,
): Promise<{ readonly letters: readonly WholeLetter[]; readonly next?: string }> {
  const { items, next } = await santa.letters().page({ after });
  const groups = grouped(items);
  // A page may end within a letter: the letter is shown on the page of its summary, which comes last.
  const first = groups[0];
  if (after !== undefined && first?.letter !== undefined) {
    const whole = await letter(santa, first.letter.letterId);
    groups[0] = { letter: whole, wishes: [...whole.wishes] };
  }
  const found = groups.flatMap(({ letter: one, wishes }) => (one === undefined ? [] : [joined(one, wishes)]));
  return { letters: found, ...(next !== undefined && { next }) };
}

interface Group {
  letter?: Letter | WholeLetter;
  readonly wishes: Wish[];
}

/** The rows of each letter, from descending order. */
function grouped(items: readonly LetterItem[]): Group[] {
  const groups = new Map<LetterId, Group>();
  for (const item of items) {
    const group = groups.get(item.letterId) ?? { wishes: [] };
    groups.set(item.letterId, group);
    if (item.kind === "Letter") group.letter = item;
    else group.wishes.unshift(item);
  }
  return [...groups.values()];
}

function joined(letter: Letter | WholeLetter, wishes: readonly Wish[]): WholeLetter {
  const { letterId, child, address, receivedAt, total, version } = letter;
  return { letterId, child, address, receivedAt, total, version, wishes };
}

/** S4: one letter with its toys. */
export async function letter(
  santa: SantaClient,
  letterId: LetterId,
  options: { strong?: boolean } = {},
): Promise<WholeLetter> {
  let summary: Letter | undefined;
  const wishes: Wish[] = [];
  try {
    for await (const item of santa.letter({ letterId }).items(options)) {
      if (item.kind === "Letter") summary = item;
      else wishes.push(item);
    }
  } catch (error) {
    // The pattern promises a letter.
    if (!(error instanceof KeyfoldError) || error.code !== "not_found") throw error;
  }
  if (summary === undefined) throw noLetter();
  return joined(summary, wishes);
}

/** A toy of a letter, at its price then and now. */
export interface Priced {
  readonly toyId: ToyId;
  readonly name: string;
  readonly quantity: number;
  readonly price: number;
  readonly priceNow: number;
}

/** S8: a letter's information and the toys' prices, those of the letter and those of today. */
export async function prices(
  santa: SantaClient,
  letterId: LetterId,
): Promise<{ readonly letter: WholeLetter; readonly toys: readonly Priced[] }> {
  const found = await letter(santa, letterId);
  return { letter: found, toys: await today(santa, found.wishes) };
}

/** Toys of a letter with the prices of today. */
export async function today(
  santa: SantaClient,
  asked: readonly Omit<Priced, "priceNow">[],
): Promise<readonly Priced[]> {
  const toys = await santa.Toy.getMany(asked.map(({ toyId }) => ({ toyId })));
  return asked.map(({ toyId, name, quantity, price }, at) => {
    const found = toys[at];
    if (found === undefined) throw noToy(toyId);
    return { toyId, name, quantity, price, priceNow: found.price };
  });
}

/** A letter as it was received. */
export interface History extends Omit<Snapshot, "kind"> {
  readonly total: number;
}

/** S9: the letter and its prices as they were when it was received. */
export async function history(santa: SantaClient, letterId: LetterId): Promise<History> {
  const found = await santa.history({ letterId });
  if (found === undefined) throw noLetter();
  const { child, address, receivedAt, toys } = found;
  const total = toys.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
  return { letterId, child, address, receivedAt, toys, total };
}

/** A toy that a letter asks for. */
export interface Asked {
  readonly toyId: ToyId;
  readonly quantity: number;
  /** The price that the person has seen, in cents. Another one is a problem; without it, none is compared. */
  readonly price?: number | undefined;
}

export interface GivenLetter {
  /** Made by the caller: the same letter sent again is the same letter. */
  readonly letterId: LetterId;
  readonly child: string;
  readonly address: string;
  readonly wishes: readonly Asked[];
  /** By default this moment. */
  readonly receivedAt?: string;
}

/** S5: creates a letter: its summary, its toys, their total price and its history, all or nothing. */
export async function createLetter(santa: SantaClient, given: GivenLetter): Promise<void> {
  const { letterId, receivedAt = new Date().toISOString() } = given;
  const child = texted(given.child, "child", 60, "name");
  const address = texted(given.address, "address", 300);
  const lines = await quoted(santa, checked(given.wishes));
  const toys = lines.map(({ toyId, name, price, quantity }) => ({ toyId, name, price, quantity }));
  try {
    await santa.createLetter({ letterId, child, address, receivedAt, wishes: lines, toys });
  } catch (error) {
    if (isAbout(error, "exists", "Letter")) {
      const before = await history(santa, letterId);
      const isSame = before.child === child && before.address === address && sameToys(before.toys, toys);
      if (isSame) return;
      throw new Problem(
        "exists",
        "This letter was sent before, with other wishes. Open it in the list to change it.",
      );
    }
    throw isToyChanged(error) ? priceChanged("a toy") : error;
  }
}

/** Changes the address and the toys of a letter that is still as somebody has seen it. Toys that it had keep
 * their price, and its history stays as it is. */
export async function changeLetter(
  santa: SantaClient,
  given: {
    readonly letterId: LetterId;
    readonly version: number;
    readonly address: string;
    readonly wishes: readonly Asked[];
  },
): Promise<void> {
  const { letterId, version } = given;
  const address = texted(given.address, "address", 300);
  const asked = checked(given.wishes);
  const stored = await letter(santa, letterId, { strong: true });
  if (stored.version !== version) throw changedMeanwhile();
  const before = new Map(stored.wishes.map((wish) => [wish.toyId, wish]));
  const added = await quoted(
    santa,
    asked.filter(({ toyId }) => !before.has(toyId)),
  );
  const kept = new Map(asked.map(({ toyId, quantity }) => [toyId, quantity]));
  const wishes = stored.wishes.flatMap(({ toyId, quantity: was, price }) => {
    const quantity = kept.get(toyId);
    if (quantity === undefined) return [santa.Wish.part.delete({ letterId, toyId })];
    if (quantity === was) return [];
    return [santa.Wish.part.update({ letterId, toyId }, { quantity, amount: quantity * price })];
  });
  const summary = santa.Letter.part.update({ letterId, version }, { address });
  const more = added.map((line) => santa.part.addWish({ letterId, child: stored.child, ...line }));
  try {
    await santa.transact([summary, ...wishes, ...more]);
  } catch (error) {
    if (isToyChanged(error)) throw priceChanged("a toy");
    const isRaced = ["exists", "not_found", "refused"].some((code) => isAbout(error, code, "Wish"));
    throw isRaced || isAbout(error, "stale_version", "Letter") ? changedMeanwhile() : error;
  }
}

/** Whether a toy has another price than the letter has seen, or has gone. */
function isToyChanged(error: unknown): boolean {
  return isAbout(error, "refused", "Toy") || isAbout(error, "not_found", "Toy");
}

/** Whether two letters ask for the same, whatever the order and the prices. */
function sameToys(one: readonly Quote[], other: readonly Quote[]): boolean {
  const quantities = new Map(one.map(({ toyId, quantity }) => [toyId, quantity]));
  return (
    one.length === other.length && other.every(({ toyId, quantity }) => quantities.get(toyId) === quantity)
  );
}

/** Refuses too few, too many and repeated toys, and quantities that are none. */
function checked(wishes: readonly Asked[]): readonly Asked[] {
  if (wishes.length === 0)
    throw new Problem("invalid", "The letter asks for no toy. Choose at least one.", "wishes");
  if (wishes.length > WISHES_MAX) {
    throw new Problem(
      "invalid",
      `The letter asks for more than ${WISHES_MAX} toys. Take some out.`,
      "wishes",
    );
  }
  const seen = new Set<ToyId>();
  for (const { toyId, quantity } of wishes) {
    pieces(quantity, toyId);
    if (seen.has(toyId))
      throw new Problem("invalid", `The letter has ${toyId} twice. Name it once.`, "wishes");
    seen.add(toyId);
  }
  return wishes;
}

interface Line {
  readonly toyId: ToyId;
  readonly name: string;
  readonly quantity: number;
  readonly price: number;
  readonly amount: number;
}

/** The names and prices of toys, which must be those that were seen. */
async function quoted(santa: SantaClient, wishes: readonly Asked[]): Promise<Line[]> {
  if (wishes.length === 0) return [];
  const toys = await santa.Toy.getMany(
    wishes.map(({ toyId }) => ({ toyId })),
    { strong: true },
  );
  return wishes.map(({ toyId, quantity, price: seen }, at) => {
    const found: Toy | undefined = toys[at];
    if (found === undefined) throw noToy(toyId);
    const { name, price } = found;
    if (seen !== undefined && seen !== price) throw priceChanged(name);
    return { toyId, name, quantity, price, amount: quantity * price };
  });
}

function isAbout(error: unknown, code: string, entity: string): boolean {
  return error instanceof KeyfoldError && error.code === code && error.place?.entity === entity;
}

function priceChanged(toy: string): Problem {
  return new Problem(
    "price_changed",
    `The price of ${toy} was changed while you were writing. Nothing was saved: look at the new total, and send again.`,
    "wishes",
  );
}

function noLetter(): Problem {
  return new Problem("not_found", "There is no such letter. Look for it in the list of letters.");
}
