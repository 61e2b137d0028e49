/** Entities for tests: random by a seed, and valid for their model.
 *
 * Values have the forms that keys demand: texts without the characters that a key excludes, numbers with as many
 * digits as one has room for. Each text, moment and number of a key is another one, so that entities do not
 * meet, and says its seed, so that those of two seeds do not meet either: as far as its type has room. What a write
 * would fill in, identifiers, moments and defaults, is there; what the model keeps, counts and versions, is not. */

import type { Client, Given } from "./client.js";
import { invalid } from "./error.js";
import { isNumber } from "./key/make.js";
import type { AttributePlan, AttributeValue, EntityPlan, FieldPart, Part, Plan, Type } from "./plan.js";
import { shownText } from "./value/text.js";
import { digitsOf } from "./value/time.js";
import { setOwn } from "./value/value.js";

/** A writer of a generated client, such as `shop.Order`. */
export interface Creates<New, Made = unknown> {
  readonly entity: string;
  create(values: New): Promise<{ readonly made: Made }>;
}

/** Entities by their names, to which new ones refer: `{ User: user }`. */
export type Related = Readonly<Record<string, object>>;

/** The first moment: those that follow are a minute later each. Expiry lies far behind it. */
const START_MS: number = Date.UTC(2024, 0, 1);
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
/** The minutes between the first moments of two seeds, and the seeds that have moments of their own. */
const SEED_MINUTES: number = 4 * DAY_MINUTES;
const SEED_MOMENTS = 4096;
/** The days between the first dates of two seeds, and the seeds that have dates of their own. */
const SEED_DAYS = 200;
const SEED_DATES = 128;
/** The numbers between the first ones of two seeds. */
const SEED_NUMBERS = 100_003n;
const EXPIRY = "2099";
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** The most digits of a number that is no key's, and of one that is. */
const DIGITS = 4;
const KEY_DIGITS = 9;

/** What keys demand of the values of an attribute. */
interface Demand {
  /** Characters that its texts must not have. */
  excluded: string;
  whole: number;
  decimals: number;
  isInKey: boolean;
}

/** Makes entities of a model. The same seed makes the same ones. */
export class Fakes {
  readonly #plan: Plan;
  readonly #isExact: boolean;
  readonly #seed: number;
  #state: number;
  #count = 0;

  /** Takes a client, or a generated one. The seed is a whole number from 0 on. */
  constructor(of: Client | { readonly client: Client }, { seed = 1 }: { readonly seed?: number } = {}) {
    const client = "client" in of ? of.client : of;
    this.#plan = client.plan;
    this.#isExact = client.numbers === "exact";
    if (!Number.isSafeInteger(seed) || seed < 0) throw invalid(`a seed is a whole number from 0 on, not ${seed}`, "seed");
    this.#seed = seed;
    this.#state = seed;
  }

  /** The attributes of a new entity, of which some are given: `fakes.of(shop.Order, { total: 5 })`. Those that
   * refer to one of `related` have its values. The identifiers and moments that a write would make are there. */
  of<New extends object, Made = unknown>(
    writer: Creates<New, Made>,
    values: Partial<New> = {},
    related: Related = {},
  ): New & Made {
    return this.entity(writer.entity, values as Given, related) as New & Made;
  }

  /** The same by the name of the entity. */
  entity(name: string, values: Given = {}, related: Related = {}): Record<string, unknown> {
    const entity = this.#entity(name);
    for (const other of Object.keys(related)) this.#entity(other);
    checkNames(entity, values);
    this.#count += 1;
    const made: Record<string, unknown> = {};
    for (const attribute of entity.attributes) {
      const { default: preset, optional, kept } = attribute;
      if (kept === true || (preset === undefined && optional === true && this.#below(2) === 0)) continue;
      // The first of an entity that refers to its own kind refers to itself.
      const others = { [name]: made, ...related };
      const own = typeof preset === "object" ? this.#fixed(attribute.type, preset.value) : this.#attribute(entity, attribute);
      const value = linked(attribute, others) ?? own;
      if (value !== undefined) setOwn(made, attribute.name, value);
    }
    return { ...made, ...values };
  }

  #entity(name: string): EntityPlan {
    const entity = this.#plan.entities.find((one) => one.name === name);
    if (entity === undefined) throw invalid(`the model has no entity \`${shownText(name)}\``, undefined, shownText(name));
    return entity;
  }

  /** A fixed default; of a collection it is left to the write. */
  #fixed(type: Type, { S, N, BOOL }: AttributeValue): unknown {
    if (N === undefined) return S ?? BOOL;
    if (!this.#isExact) return Number(N);
    return type === "int" ? BigInt(N) : N;
  }

  #attribute(entity: EntityPlan, { name, type }: AttributePlan): unknown {
    const value = this.#value(name, type, demandOf(entity, name));
    return entity.ttl === name ? String(value).replace(/^[0-9]{4}/, EXPIRY) : value;
  }

  #value(name: string, type: Type, demand: Demand): unknown {
    if (typeof type === "string") return this.#scalar(name, type, demand);
    const many = 1 + this.#below(3);
    const each = <T>(one: (at: number) => T): T[] => Array.from({ length: many }, (_, at) => one(at));
    const { words, list, set, map } = type;
    if (words !== undefined) return words[this.#below(words.length)];
    if (list !== undefined) return each(() => this.#value(name, list, FREE));
    if (map !== undefined) return Object.fromEntries(each((at) => [`key${at}`, this.#value(name, map, FREE)]));
    if (set !== undefined) {
      if (typeof set === "object") return new Set(set.words?.slice(0, many));
      // Each element is another one.
      const elements = each(() => this.#scalar(name, set, { ...FREE, isInKey: true }));
      return set === "binary" ? elements : new Set(elements);
    }
    const { fields = [] } = this.#plan.records?.find((one) => one.name === type.record) ?? {};
    const held = fields.filter((one) => one.optional !== true || this.#below(2) === 0);
    return Object.fromEntries(held.map((one) => [one.name, this.#value(one.name, one.type, FREE)]));
  }

  #scalar(name: string, type: string, demand: Demand): unknown {
    if (demand.isInKey) this.#count += 1;
    if (isNumber(type)) return this.#number(type, demand);
    const digits = digitsOf(type);
    const seed = this.#seed;
    const moment = momentOf((seed % SEED_MOMENTS) * SEED_MINUTES + this.#count);
    if (digits !== undefined) return `${moment.slice(0, 19)}${digits === 0 ? "" : `.${"0".repeat(digits)}`}Z`;
    switch (type) {
      case "bool":
        return this.#below(2) === 1;
      case "binary":
        return Uint8Array.from([...bytesOf(seed, 7), ...bytesOf(this.#count, 4), this.#below(256)]);
      case "date":
        return momentOf(((seed % SEED_DATES) * SEED_DAYS + this.#count) * DAY_MINUTES).slice(0, 10);
      case "ulid":
        return `0${spelled(seed, CROCKFORD).padStart(11, "0")}${this.#text(CROCKFORD, 14)}`;
      case "uuid": {
        const start = seed.toString(16).padStart(12, "0").slice(-12);
        return `${start.slice(0, 8)}-${start.slice(8)}-4${this.#hex(3)}-8${this.#hex(3)}-${this.#hex(12)}`;
      }
      default:
        return this.#word(name, demand.excluded);
    }
  }

  /** A text that begins with the attribute's name and ends with the seed and a number, as far as its characters
   * may. */
  #word(name: string, excluded: string): string {
    const isFree = (one: string): boolean => !excluded.includes(one);
    if ([..."0123456789"].every(isFree)) {
      const between = [...`-${LETTERS}`].find(isFree) ?? "";
      return [[...name].filter(isFree).join(""), this.#seed, this.#count].join(between);
    }
    const [between = "", ...letters] = [...LETTERS].filter(isFree);
    const digits = letters.join("");
    return `${spelled(this.#seed, digits)}${between}${spelled(this.#count, digits)}`;
  }

  #number(type: string, { whole, decimals, isInKey }: Demand): unknown {
    const most = 10 ** Math.min(whole, isInKey ? KEY_DIGITS : DIGITS);
    const own = BigInt(this.#seed) * SEED_NUMBERS + BigInt(this.#count);
    const size = isInKey ? Number(own % BigInt(most)) : this.#below(most);
    if (type === "int") return this.#isExact ? BigInt(size) : size;
    const places = Math.min(decimals, 2);
    const number = places === 0 ? size : size + this.#below(10 ** places) / 10 ** places;
    return this.#isExact ? String(number) : number;
  }

  #hex(length: number): string {
    return this.#text("0123456789abcdef", length);
  }

  #text(letters: string, length: number): string {
    return Array.from({ length }, () => letters[this.#below(letters.length)]).join("");
  }

  /** The next random number below `most`: mulberry32. */
  #below(most: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 0x1_0000_0000) * most);
  }
}

/** Refuses values of attributes that an entity does not have. */
function checkNames({ name, attributes }: EntityPlan, values: Given): void {
  const known = attributes.map((one) => one.name);
  const wrong = Object.keys(values).find((one) => !known.includes(one) && values[one] !== undefined);
  if (wrong === undefined) return;
  throw invalid(`${name} has no \`${shownText(wrong)}\`; it has ${known.join(", ")}`, wrong, name);
}

/** A moment, so many minutes behind the first one. */
function momentOf(minutes: number): string {
  return new Date(START_MS + minutes * MINUTE_MS).toISOString();
}

/** A number as so many bytes. */
function bytesOf(number: number, length: number): number[] {
  return Array.from({ length }, (_, at) => Math.floor(number / 256 ** (length - 1 - at)) % 256);
}

/** A number in the digits of an alphabet. */
function spelled(number: number, digits: string): string {
  let text = "";
  for (let rest = number; text === "" || rest > 0; rest = Math.floor(rest / digits.length)) {
    text = (digits[rest % digits.length] ?? "") + text;
    if (digits.length < 2) break;
  }
  return text;
}

const FREE: Demand = { excluded: "", whole: KEY_DIGITS, decimals: 2, isInKey: false };

/** The value that an attribute has of an entity to which it refers. */
function linked({ refers }: AttributePlan, related: Related): unknown {
  const other = refers && (related[refers.entity] as Given | undefined);
  return refers && other?.[refers.attribute];
}

/** What the keys of an entity demand of an attribute. */
function demandOf(entity: EntityPlan, name: string): Demand {
  const { copies = [], indexes = [], uniques = [] } = entity;
  const columns = [...entity.key, ...[...indexes, ...copies].flatMap((one) => one.key)];
  const demand = { ...FREE };
  for (const part of [...columns.flatMap((one) => one.parts), ...uniques.flatMap((one) => one.key)].flatMap(fieldsIn)) {
    if (part.field !== name) continue;
    demand.isInKey = true;
    demand.excluded += part.not ?? "";
    const padded = typeof part.format === "object" ? part.format.padded : undefined;
    if (padded === undefined) continue;
    demand.whole = Math.min(demand.whole, padded.whole);
    demand.decimals = Math.min(demand.decimals, padded.decimals ?? 0);
  }
  return demand;
}

/** The fields of a part. */
function fieldsIn(part: Part): readonly FieldPart[] {
  if (typeof part === "string") return [];
  if ("field" in part) return [part];
  return "of" in part ? part.of.flatMap(fieldsIn) : [];
}
