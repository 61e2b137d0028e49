/** What is done with toys. */

import { KeyfoldError, type Page } from "@keyfold/client";
import { priced, texted } from "./given.js";
import { changedMeanwhile, Problem } from "./problem.js";
import { type DemandItem, type SantaClient, type Toy, ToyId, type Wish } from "./santa.js";

/** The most toys of the catalogue that a form lists. */
const TOYS_MAX = 500;
/** The most toys beside them, which a form names: more than a letter can have. */
const NAMED_MAX = 100;

const ID_LENGTH_MAX = 100;

/** S1: a page of all toys. */
export function toys(santa: SantaClient, after?: string): Promise<Page<Toy>> {
  return santa.toys().page({ after });
}

/** The toys of which a letter chooses. */
export interface Choice {
  readonly toys: readonly Toy[];
  /** How many toys of the catalogue are among them, where it has more. */
  readonly cutAt?: number;
}

/** S1: the first toys of the catalogue, and those that a letter or its form names already. */
export async function choice(santa: SantaClient, named: readonly ToyId[] = []): Promise<Choice> {
  const { items, next } = await santa.toys().page({ limit: TOYS_MAX });
  const listed = new Set(items.map(({ toyId }) => toyId));
  const others = [...new Set(named.filter((toyId) => !listed.has(toyId)))].slice(0, NAMED_MAX);
  const found = others.length === 0 ? [] : await santa.Toy.getMany(others.map((toyId) => ({ toyId })));
  const toys = [...items, ...found.filter((toy) => toy !== undefined)];
  return { toys, ...(next !== undefined && { cutAt: items.length }) };
}

/** S2: one toy. */
export async function toy(santa: SantaClient, toyId: ToyId): Promise<Toy> {
  const found = await santa.toy({ toyId });
  if (found === undefined) throw noToy(toyId);
  return found;
}

export interface Demand {
  /** With `wanted`, the number of pieces to deliver. */
  readonly toy: Toy;
  /** Who asks for it, the latest letter first. */
  readonly wishes: readonly Wish[];
  readonly next?: string;
}

/** S7: a toy, how many to deliver, and a page of those who ask for it. The toy is in the first page; the index
 * of a table may be late with a new one. */
export async function demand(santa: SantaClient, toyId: ToyId, after?: string): Promise<Demand> {
  const { items, next } = await demandPage(santa, toyId, after);
  const found = items.find((item) => item.kind === "Toy") ?? (await toy(santa, toyId));
  const wishes = items.filter((item) => item.kind === "Wish");
  return { toy: found, wishes, ...(next !== undefined && { next }) };
}

async function demandPage(
  santa: SantaClient,
  toyId: ToyId,
  after: string | undefined,
): Promise<{ readonly items: readonly DemandItem[]; readonly next?: string }> {
  try {
    return await santa.demand({ toyId }).page({ after });
  } catch (error) {
    if (error instanceof KeyfoldError && error.code === "not_found") return { items: [] };
    throw error;
  }
}

export interface GivenToy {
  readonly name: string;
  readonly description: string;
  readonly price: number;
  /** What the price was given in; by default cents. */
  readonly filledIn?: "cents" | "euros";
}

/** S6: creates a toy. Its id follows from its name, so that no two have the same. */
export async function createToy(santa: SantaClient, given: GivenToy): Promise<ToyId> {
  const name = texted(given.name, "name", 60);
  const description = texted(given.description, "description", 300);
  const price = priced(given.price, "price", given.filledIn);
  const toyId = idOf(name);
  try {
    await santa.createToy({ toyId, name, description, price });
  } catch (error) {
    if (!(error instanceof KeyfoldError) || error.code !== "exists") throw error;
    throw new Problem("exists", `There is a toy named ${name} already. Choose another name.`, "name");
  }
  return toyId;
}

/** Changes the price that somebody has seen, and no other. */
export async function reprice(
  santa: SantaClient,
  toyId: ToyId,
  given: { seen: number; price: number; filledIn?: "cents" | "euros" },
): Promise<void> {
  if (!Number.isInteger(given.seen)) {
    throw new Problem(
      "invalid",
      "The seen price is no whole number of cents. Send the price that you have read as `seen`.",
      "seen",
    );
  }
  const price = priced(given.price, "price", given.filledIn);
  const { price: now } = await toy(santa, toyId);
  if (now !== given.seen) throw changedMeanwhile();
  try {
    await santa.reprice({ toyId, seen: given.seen, price });
  } catch (error) {
    if (error instanceof KeyfoldError && ["refused", "not_found"].includes(error.code)) throw changedMeanwhile();
    throw error;
  }
}

/** The id of a toy of this name: its letters and digits in small letters. */
function idOf(name: string): ToyId {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const id = plain.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  if (id === "")
    throw new Problem("invalid", "The name has no letter. Give the toy a name of letters.", "name");
  return ToyId(id);
}

/** The toy's id that an address or a form names. */
export function toyIdOf(text: string): ToyId {
  if (text === "" || text.length > ID_LENGTH_MAX) throw noToy(ToyId(text.slice(0, ID_LENGTH_MAX)));
  return ToyId(text);
}

/** There is no such toy. */
export function noToy(toyId: ToyId): Problem {
  return new Problem("not_found", `There is no toy “${toyId}”. Look for it in the list of toys.`);
}
