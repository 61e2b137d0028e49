/** Named writes: actions that happen together or not at all. */

import type { MadeValue } from "../complete.js";
import { placeOf } from "../derive.js";
import { KeyfoldError, retold } from "../error.js";
import type { Changed } from "../expression.js";
import { types } from "../features.js";
import type { Io } from "../io.js";
import type { Model } from "../model.js";
import type { ActionPlan, EntityPlan, WritePlan } from "../plan.js";
import type { Values } from "../value/value.js";
import { changeOf } from "./assignment.js";
import { blindPut } from "./blind.js";
import { addConditions, judged, termsOf, unfulfilled } from "./conditions.js";
import type { Context } from "./context.js";
import { fatesOf, isDirectCheck, isDirectPut, isDirectUpdate, withoutAbsent } from "./direct.js";
import { addCreate, addDelete, addPutOver, unchanged } from "./entity.js";
import {
  argumentsOfAction,
  fieldsOfEach,
  GivenItems,
  type Inputs,
  lentOf,
  nameOf,
  ofAlias,
  ofArgument,
  ownValues,
  parameterOf,
  withLent,
} from "./inputs.js";
import { withOutside } from "./left-behind.js";
import { handOver } from "./meeting.js";
import { exists, notFound, notFoundText, placeOfEntity, subject } from "./refusal.js";
import { type Draft, type Step, type StepAction, step, unlessStale } from "./step.js";
import { read, requireReadable, type StoredEntity } from "./stored-entity.js";
import { addChange, addUpsert, newValues } from "./upsert.js";
import { unreadOf } from "./unread.js";

/** What the actions of a write become: steps, the items that they are given, and what is made for them. */
export interface Composed {
  readonly draft: Draft;
  readonly given: GivenItems;
  readonly made: MadeValue[];
}

/** The arguments of a write: as the caller gave them, and with the present moment. */
export type Arguments = readonly [Values, Values];

/** Adds the steps of all actions of a write. */
export function composeWrite(context: Context, write: WritePlan, args: Arguments, into: Composed): Promise<void> {
  return new Composition(context, write, into).compose(args);
}

/** The arguments, with the present moment where a condition compares with `now` or a write sets it, and the
 * caller gave none. */
export function withNow(io: Io, { parameters = [] }: WritePlan, args: Values): Values {
  const all = new Map(args);
  for (const { name, type, now, optional } of parameters) {
    const present = now === true && optional === true ? types.timeOfEpochMs(type, io.now) : undefined;
    if (present !== undefined && !all.has(name)) all.set(name, { S: present });
  }
  return all;
}

/** The steps of all actions of one try of a write. */
class Composition {
  readonly #into: Composed;
  readonly #context: Context;
  readonly #write: WritePlan;

  constructor(context: Context, write: WritePlan, into: Composed) {
    this.#context = context;
    this.#write = write;
    this.#into = into;
  }

  /** Adds the steps of all actions. */
  async compose([asked, args]: Arguments): Promise<void> {
    const { model } = this.#context;
    const optional = (this.#write.parameters ?? []).filter((one) => one.optional === true && one.now !== true);
    const lenders: (Values | undefined)[] = [];
    for (const [at, action] of this.#write.actions.entries()) {
      const entity = model.entity(action.entity);
      const fields = fieldsOfEach(model, this.#write, action);
      const lent = lentOf(this.#write, at, entity);
      let lender: Values | undefined;
      for (const [number, own] of argumentsOfAction(action, fields, args).entries()) {
        const values = ownValues(entity, action, own, fields, lenders);
        if (values === undefined) continue;
        const absent = new Set(optional.map((one) => one.name).filter((name) => !own.has(name)));
        const given = withLent(model, this.#write, withoutAbsent(action, absent), own, lenders);
        const inputs = { own: values, args: given, lent };
        try {
          lender = await this.#addOne(entity, action, absent, inputs);
        } catch (error) {
          if (!(error instanceof KeyfoldError)) throw error;
          throw this.#placed(entity, action, inputs, ofArgument(action, fields, number, error));
        }
        const moments = this.#moments(entity, withoutAbsent(action, absent), fields, [asked, args]);
        this.#into.made.push(...moments.map((one) => ofAlias(action, one)));
      }
      lenders.push(lender);
    }
    this.#into.draft.steps = handOver(this.#into.draft.steps);
  }

  /** The attributes that an action sets to the present moment since the caller did not give one: those that it
   * assigns, whether its item is new or not, and those of a whole entity. */
  #moments(entity: EntityPlan, action: ActionPlan, own: readonly string[], [asked, args]: Arguments): MadeValue[] {
    const { parameters = [] } = this.#write;
    const { set = [], otherwise = [], verb } = action;
    const given = set.flatMap(({ attribute, fields = [], left, right }): [string, string | undefined][] =>
      "parameter" in left && right === undefined && fields.length === 0 ? [[attribute, left.parameter]] : [],
    );
    if (verb === "create" || verb === "put") {
      const others = entity.attributes.filter(({ name }) => !set.some((one) => one.attribute === name));
      given.push(...others.map(({ name }): [string, string | undefined] => [name, parameterOf(action, own, name)]));
    }
    const moments = parameters.filter(({ name, now, optional }) => now === true && optional === true && !asked.has(name));
    return given.flatMap(([attribute, parameter]): MadeValue[] => {
      const value = args.get(moments.find(({ name }) => name === parameter)?.name ?? "");
      const isOnlyStored = value === undefined || otherwise.some((one) => one.attribute === attribute);
      return isOnlyStored ? [] : [{ entity: entity.name, attribute, value }];
    });
  }

  /** The error of an action; a refusal says which action and item. */
  #placed(entity: EntityPlan, action: ActionPlan, { own }: Inputs, error: KeyfoldError): KeyfoldError {
    if (error.code !== "refused" || error.place !== undefined) return error;
    const place = placeOfEntity(this.#context.model, nameOf(action), entity, own);
    return retold(error, { place });
  }

  /** Adds the steps of one action, and returns the attributes that others may take. */
  async #addOne(
    entity: EntityPlan,
    whole: ActionPlan,
    absent: ReadonlySet<string>,
    given: Inputs,
  ): Promise<Values> {
    const action = withoutAbsent(whole, absent);
    const made: MadeValue[] = [];
    const isWhole = action.verb === "create" || action.verb === "put";
    const own = isWhole ? newValues(this.#context, entity, action, given, made) : given.own;
    const inputs = { ...given, own };
    this.#into.given.add(this.#context.model, entity, action, own);
    let lender = own;
    if (action.verb === "upsert") {
      const fates = fatesOf(whole, absent);
      made.push(...(await addUpsert(this.#context, entity, action, fates, inputs, this.#into.draft)));
    } else {
      lender = await addAction(this.#context, entity, action, inputs, this.#into.draft);
    }
    this.#into.made.push(...made.map((one) => ofAlias(action, one)));
    return lender;
  }
}

/** Adds the steps of one action that is no upsert. Returns the attributes of its entity that others may take:
 * as they are stored, or as they are created or put. */
async function addAction(
  context: Context,
  entity: EntityPlan,
  action: ActionPlan,
  inputs: Inputs,
  draft: Draft,
): Promise<Values> {
  const { own, args } = inputs;
  switch (action.verb) {
    case "create":
      await addCreate(context, entity, own, exists(entity, own), draft);
      return own;
    case "put": {
      if (isDirectPut(entity, action)) {
        const put = await blindPut(context, entity, own);
        const refusal = unfulfilled(entity, action, inputs);
        draft.steps.push({ ...put, conditions: termsOf(action, args), refusal });
        return own;
      }
      const old = await read(context, entity, own);
      const watched = judged(context, entity, action, inputs, old);
      await addPutOver(context, entity, own, old, watched, draft);
      return own;
    }
    case "delete": {
      const [old, watched] = await readJudged(context, entity, action, inputs);
      await addDelete(context, entity, old, watched, draft);
      return old.values;
    }
    case "check":
      return addCheck(context, entity, action, inputs, draft);
    case "update":
    case "upsert":
      return addUpdate(context, entity, action, inputs, draft);
  }
}

/** Reads an entity that must exist. */
async function readExisting(
  context: Context,
  entity: EntityPlan,
  action: ActionPlan,
  values: Values,
): Promise<StoredEntity> {
  const found = await read(context, entity, values);
  if (found !== undefined) return found;
  throw notFound(entity, values, placeOfEntity(context.model, nameOf(action), entity, values));
}

/** Reads an item that must exist and meet the action's conditions. Returns it with the attributes on which the action
 * rests. */
async function readJudged(
  context: Context,
  entity: EntityPlan,
  action: ActionPlan,
  inputs: Inputs,
): Promise<[StoredEntity, string[]]> {
  const old = await readExisting(context, entity, action, inputs.own);
  const watched = [...judged(context, entity, action, inputs, old), ...inputs.lent];
  requireReadable(context, entity, old, (name) => inputs.lent.includes(name));
  return [old, watched];
}

/** A check of the main item of an entity that must exist. */
function onMainItem({ model }: Context, entity: EntityPlan, action: ActionPlan, values: Values): Step {
  const { table, tableName, key } = placeOf(model, entity, values);
  return {
    ...step(nameOf(action), { table: tableName, key }, { is: "check" }),
    conditions: [{ exists: table.partition.name }],
    refusal: { code: "not_found", message: notFoundText(entity, values), of: subject(entity, values) },
  };
}

async function addCheck(
  context: Context,
  entity: EntityPlan,
  action: ActionPlan,
  inputs: Inputs,
  draft: Draft,
): Promise<Values> {
  if (isDirectCheck(entity, action) && inputs.lent.length === 0) {
    const made = onMainItem(context, entity, action, inputs.own);
    addConditions(made, action, inputs.args, { entity, own: inputs.own });
    draft.steps.push(made);
    return inputs.own;
  }
  const [old, watched] = await readJudged(context, entity, action, inputs);
  const key = entity.id === undefined ? inputs.own : old.values;
  const made = onMainItem(context, entity, action, key);
  draft.steps.push(unlessStale(made, unchanged(context, entity, old, watched)));
  return old.values;
}

async function addUpdate(
  context: Context,
  entity: EntityPlan,
  action: ActionPlan,
  inputs: Inputs,
  draft: Draft,
): Promise<Values> {
  if (isDirectUpdate(context.model, entity, action) && inputs.lent.length === 0) {
    const made = onMainItem(context, entity, action, inputs.own);
    addConditions(made, action, inputs.args, { entity, own: inputs.own });
    const update = updateOf(context.model, entity, action, inputs);
    if (update !== undefined) {
      made.action = update;
      draft.unread.push(unreadOf(context.model, entity, action, inputs.own, made));
    }
    draft.steps.push(made);
    return inputs.own;
  }
  const old = await readExisting(context, entity, action, inputs.own);
  await addChange(context, entity, action, inputs, old, draft);
  return old.values;
}

/** The update that the engine evaluates; `undefined` where nothing is given that it changes. */
function updateOf(model: Model, entity: EntityPlan, action: ActionPlan, { own, args }: Inputs): StepAction | undefined {
  const set = (action.set ?? []).map((one): Changed => [one.attribute, changeOf(model, entity, one, args)]);
  const version: Changed[] = entity.version === undefined ? [] : [[entity.version, { is: "add", number: "1" }]];
  const changes = [...set, ...version];
  const inner = (action.removeFields ?? []).map(({ attribute, fields }) => [attribute, ...fields]);
  const removed = [...(action.remove ?? []), ...inner];
  if (changes.length === 0 && removed.length === 0) return undefined;
  return { is: "update", changes, removed: withOutside(model, entity, own, removed) };
}
