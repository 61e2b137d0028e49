/** What callers give for writes and entities, as values of their types. */

import { checked, type Given, requireAll, typedAll } from "../arguments.js";
import { invalid, looked } from "../error.js";
import { fieldsOf } from "../key/make.js";
import { kindName, type Model } from "../model.js";
import type { CopyPlan, EntityPlan, WritePlan } from "../plan.js";
import { shownText, spoken } from "../value/text.js";
import type { Values } from "../value/value.js";

/** The arguments of a named write. Optional attributes and those with a default may be left out. */
export function argumentsOfWrite(model: Model, write: WritePlan, given: Given): Values {
  const parameters = write.parameters ?? [];
  const of = `the write ${write.name}`;
  const values = looked("args", () => typedAll(model, given, parameters, of), of);
  requireAll(values, parameters.filter((one) => one.optional !== true).map((one) => one.name), of);
  return values;
}

/** The attributes of a whole entity. A version is the one that the stored entity must have. */
export function wholeEntity(model: Model, entity: EntityPlan, whole: Given): Values {
  const values = looked("values", () => {
    const given = withoutKind(model, entity, whole);
    refuseKept(entity, given);
    return typedAll(model, given, entity.attributes, entity.name);
  }, entity.name);
  const needed = entity.attributes.filter(
    (one) => one.optional !== true && one.kept !== true && one.default === undefined,
  );
  requireAll(values, needed.map((one) => one.name), entity.name);
  return values;
}

/** Whether what a caller gives is an item that was read: it has its `kind`, that of the entity or of one of these
 * copies. */
export function isRead(
  { kindMember: member }: Model,
  entity: EntityPlan,
  given: Given,
  copies: readonly CopyPlan[] = [],
): boolean {
  if (!isGiven(checked(given, entity.name), member)) return false;
  const kind = given[member];
  if ([undefined, ...copies].some((copy) => kindName(entity, copy) === kind)) return true;
  throw invalid(`${entity.name}: an item of the kind \`${shownText(spoken(kind))}\` is none`, member, entity.name);
}

/** What a caller gives for an entity. An item that was read has its `kind`, and what the model keeps: both are left
 * out, and a version stays. */
export function withoutKind(model: Model, entity: EntityPlan, given: Given): Given {
  if (!isRead(model, entity, given)) return given;
  const kept = entity.attributes.filter((one) => one.kept === true && one.name !== entity.version);
  const left = new Set<string>([model.kindMember, ...kept.map((one) => one.name)]);
  return Object.fromEntries(Object.entries(given).filter(([name]) => !left.has(name)));
}

/** Some attributes of an entity, among them all of its key. */
export function someOfEntity(model: Model, entity: EntityPlan, given: Given): Values {
  refuseKept(entity, given);
  const values = typedAll(model, given, entity.attributes, entity.name);
  requireAll(values, identityOf(entity), `the key of ${entity.name}`, entity.name);
  return values;
}

/** Whether a value is given. What an object inherits is not. */
export function isGiven(given: Given, name: string): boolean {
  return Object.hasOwn(given, name) && given[name] !== undefined;
}

/** The attributes of an entity's key, each once. */
export function keyFields(entity: EntityPlan): string[] {
  return [...new Set(entity.key.flatMap((one) => fieldsOf(one.parts)))];
}

/** The attributes that identify an item: its `id`, or those of its key. */
export function identityOf(entity: EntityPlan): readonly string[] {
  return entity.id ?? keyFields(entity);
}

function refuseKept(entity: EntityPlan, given: Given): void {
  for (const { name, kept } of entity.attributes) {
    if (kept === true && entity.version !== name && isGiven(checked(given, entity.name), name)) {
      throw invalid(`${name} of ${entity.name} is kept by the model and not written by hand`, name, entity.name);
    }
  }
}
