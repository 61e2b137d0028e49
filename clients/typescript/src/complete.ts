/** Defaults of an entity's attributes: fixed values, the present moment, new identifiers. */

import { need } from "./error.js";
import { types } from "./features.js";
import type { Io } from "./io.js";
import type { AttributeValue, EntityPlan } from "./plan.js";
import { sortedNames } from "./value/text.js";
import type { Values } from "./value/value.js";

/** An attribute that was made. */
export interface MadeValue {
  readonly entity: string;
  readonly attribute: string;
  readonly value: AttributeValue;
}

/** The values with defaults for absent attributes. Moments and identifiers are added to `made`. */
export function complete(io: Io, entity: EntityPlan, values: Values, made: MadeValue[]): Values {
  const all = new Map(values);
  for (const { name, type, kept, default: preset } of entity.attributes) {
    if (kept === true) all.delete(name);
    if (all.has(name) || preset === undefined) continue;
    if (typeof preset === "object") {
      all.set(name, preset.value);
      continue;
    }
    const text = preset === "new" ? identifier(io, type === "uuid") : types.timeOfEpochMs(type, io.now);
    if (text !== undefined) make(entity, name, { S: text }, all, made);
  }
  return all;
}

function make(entity: EntityPlan, attribute: string, value: AttributeValue, all: Values, made: MadeValue[]): void {
  all.set(attribute, value);
  made.push({ entity: entity.name, attribute, value });
}

/** The changes with the present moment for the attributes that each write sets. */
export function touch(io: Io, entity: EntityPlan, changes: Values, made: MadeValue[]): Values {
  const all = new Map(changes);
  for (const { name, type, default: preset } of entity.attributes) {
    const now = preset === "always" && !all.has(name) ? types.timeOfEpochMs(type, io.now) : undefined;
    if (now !== undefined) make(entity, name, { S: now }, all, made);
  }
  return all;
}

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

function identifier(io: Io, isUuid: boolean): string {
  const bytes = io.random();
  need(ArrayBuffer.isView(bytes) && bytes.length === 16, "random", "a function that gives 16 bytes");
  const random = bytes.reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
  if (isUuid) {
    const bits = (random & ~(0xfn << 76n) & ~(0x3n << 62n)) | (0x4n << 76n) | (0x2n << 62n);
    const text = bits.toString(16).padStart(32, "0");
    return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
  }
  const time = BigInt(Math.abs(Math.trunc(io.now))) & 0xffff_ffff_ffffn;
  const bits = (time << 80n) | (random >> 48n);
  let text = "";
  for (let place = 25n; place >= 0n; place -= 1n) text += DIGITS[Number((bits >> (5n * place)) & 31n)];
  return text;
}

/** Names of values in order. */
export function namesOf(values: Values): string[] {
  return sortedNames(values.keys());
}
