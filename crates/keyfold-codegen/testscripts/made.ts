// Made by keyfold (test) of the model made, version 1.
// The plan document's hash: 3ceebac73974e439e9d2bc1a23826ab5.
// Changes here are lost: change the model, and run `keyfold generate`.

import * as keyfold from "@keyfold/client";

declare const of: unique symbol;

/**
 * A value of `Cart.id`. Other values are none until `CartId` makes them
 * one.
 */
export type CartId = string & { readonly [of]: "Cart.id" };

/** Makes a value one of `Cart.id`. */
export function CartId(value: string): CartId {
  return value as CartId;
}

/**
 * A value of `Line.lineId`. Other values are none until `LineId` makes them
 * one.
 */
export type LineId = string & { readonly [of]: "Line.lineId" };

/** Makes a value one of `Line.lineId`. */
export function LineId(value: string): LineId {
  return value as LineId;
}

/**
 * A value of `Task.taskId`. Other values are none until `TaskId` makes them
 * one.
 */
export type TaskId = string & { readonly [of]: "Task.taskId" };

/** Makes a value one of `Task.taskId`. */
export function TaskId(value: string): TaskId {
  return value as TaskId;
}

/**
 * A value of `Track.trackId`. Other values are none until `TrackId` makes
 * them one.
 */
export type TrackId = string & { readonly [of]: "Track.trackId" };

/** Makes a value one of `Track.trackId`. */
export function TrackId(value: string): TrackId {
  return value as TrackId;
}

/** The words of `Task.state`. */
export type TaskState = "open" | "closed";

/** The record `Wanted`. */
export interface Wanted {
  readonly amount: number;
  readonly lineId?: string | undefined;
}

/** The record `Which`. */
export interface Which {
  readonly taskId: string;
}

/** The entity `Cart` as it is stored, under `"CART#{id}" "CART"`. */
export interface Cart {
  readonly kind: "Cart";
  readonly id: CartId;
  readonly at: string;
  readonly note?: string;
}

/** The attributes of a `Cart` that is created or put. */
export interface NewCart {
  /** Default: `new`. */
  readonly id?: CartId | undefined;
  /** Default: `now`. */
  readonly at?: string | undefined;
  readonly note?: string | undefined;
}

/** The key of a `Cart`. */
export interface CartKey {
  readonly id: CartId;
}

/**
 * Changes of a `Cart`: what is not named stays as it is, and `null` removes
 * an optional attribute.
 */
export interface CartPatch {
  readonly at?: string | undefined;
  readonly note?: string | null | undefined;
}

/** What a `Cart` gets that is created or put: as given, or made. */
export interface CartMade {
  readonly id: CartId;
  readonly at: string;
}

/**
 * The entity `Line` as it is stored, under `"CART#{cartId}"
 * "LINE#{lineId}"`.
 */
export interface Line {
  readonly kind: "Line";
  readonly cartId: CartId;
  readonly lineId: LineId;
  readonly at: string;
  readonly amount: number;
}

/** The attributes of a `Line` that is created or put. */
export interface NewLine {
  readonly cartId: CartId;
  /** Default: `new`. */
  readonly lineId?: LineId | undefined;
  /** Default: `now`. */
  readonly at?: string | undefined;
  readonly amount: number;
}

/** The key of a `Line`. */
export interface LineKey {
  readonly cartId: CartId;
  readonly lineId: LineId;
}

/** Changes of a `Line`: what is not named stays as it is. */
export interface LinePatch {
  readonly at?: string | undefined;
  readonly amount?: number | undefined;
}

/** What a `Line` gets that is created or put: as given, or made. */
export interface LineMade {
  readonly lineId: LineId;
  readonly at: string;
}

/** The entity `Visit` as it is stored, under `"VISITS" "{day}"`. */
export interface Visit {
  readonly kind: "Visit";
  readonly day: string;
  readonly count: number;
  readonly firstAt: string;
}

/** The attributes of a `Visit` that is created or put. */
export interface NewVisit {
  readonly day: string;
  readonly count: number;
  /** Default: `now`. */
  readonly firstAt?: string | undefined;
}

/** The key of a `Visit`. */
export interface VisitKey {
  readonly day: string;
}

/** Changes of a `Visit`: what is not named stays as it is. */
export interface VisitPatch {
  readonly count?: number | undefined;
  readonly firstAt?: string | undefined;
}

/** What a `Visit` gets that is created or put: as given, or made. */
export interface VisitMade {
  readonly firstAt: string;
}

/** The entity `Task` as it is stored, under `"TASK#{taskId}" "TASK"`. */
export interface Task {
  readonly kind: "Task";
  readonly taskId: TaskId;
  readonly state: TaskState;
  readonly closedAt?: string;
  readonly seenAt?: string;
  readonly changedAt: string;
}

/** The attributes of a `Task` that is created or put. */
export interface NewTask {
  readonly taskId: TaskId;
  /** Default: `open`. */
  readonly state?: TaskState | undefined;
  readonly closedAt?: string | undefined;
  readonly seenAt?: string | undefined;
  /** Default: `now always`. */
  readonly changedAt?: string | undefined;
}

/** The key of a `Task`. */
export interface TaskKey {
  readonly taskId: TaskId;
}

/**
 * Changes of a `Task`: what is not named stays as it is, and `null` removes
 * an optional attribute.
 */
export interface TaskPatch {
  readonly state?: TaskState | undefined;
  readonly closedAt?: string | null | undefined;
  readonly seenAt?: string | null | undefined;
  readonly changedAt?: string | undefined;
}

/** What a `Task` gets that is created or put: as given, or made. */
export interface TaskMade {
  readonly changedAt: string;
}

/** What an update of a `Task` sets. */
export interface TaskTouched {
  readonly changedAt: string;
}

/**
 * The entity `Track` as it is stored, under `"TRACK#{trackId}"
 * "TRACK##‹part›"`.
 */
export interface Track {
  readonly kind: "Track";
  readonly trackId: TrackId;
  readonly title: string;
  readonly points: readonly number[];
}

/** The attributes of a `Track` that is created or put. */
export interface NewTrack {
  readonly trackId: TrackId;
  readonly title: string;
  readonly points: readonly number[];
}

/** The key of a `Track`. */
export interface TrackKey {
  readonly trackId: TrackId;
}

/** Changes of a `Track`: what is not named stays as it is. */
export interface TrackPatch {
  readonly title?: string | undefined;
  readonly points?: readonly number[] | undefined;
}

/** The arguments of `cart`. */
export type CartArguments = {
  readonly id: CartId;
};

/** The arguments of `lines`. */
export type LinesArguments = {
  readonly cartId: CartId;
};

/** The arguments of `task`. */
export type TaskArguments = {
  readonly taskId: TaskId;
};

/** The arguments of `track`. */
export type TrackArguments = {
  readonly trackId: TrackId;
};

/** The arguments of `fill`. */
export type FillArguments = {
  readonly lines: readonly Wanted[];
  readonly id?: CartId | undefined;
  readonly at?: string | undefined;
  readonly note?: string | undefined;
  readonly cartId: CartId;
};

/** What `fill` writes of itself: as given, or made. */
export interface FillMade {
  readonly id: CartId;
  readonly "Cart.at": string;
  readonly lineId: readonly LineId[];
  readonly "Line.at": readonly string[];
}

/** The arguments of `buy`. */
export type BuyArguments = {
  readonly lines: readonly Wanted[];
  readonly id?: CartId | undefined;
  readonly at?: string | undefined;
  readonly note?: string | undefined;
};

/** What `buy` writes of itself: as given, or made. */
export interface BuyMade {
  readonly id: CartId;
  readonly "Cart.at": string;
  readonly lineId: readonly LineId[];
  readonly "Line.at": readonly string[];
}

/** The arguments of `pair`. */
export type PairArguments = {
  readonly "one.id"?: CartId | undefined;
  readonly "one.at"?: string | undefined;
  readonly "one.note"?: string | undefined;
  readonly "two.id"?: CartId | undefined;
  readonly "two.at"?: string | undefined;
  readonly "two.note"?: string | undefined;
};

/** What `pair` writes of itself: as given, or made. */
export interface PairMade {
  readonly "one.id": CartId;
  readonly "one.at": string;
  readonly "two.id": CartId;
  readonly "two.at": string;
}

/** The arguments of `add`. */
export type AddArguments = {
  readonly cartId: CartId;
  readonly lineId?: LineId | undefined;
  readonly at?: string | undefined;
  readonly amount: number;
};

/** What `add` writes of itself: as given, or made. */
export interface AddMade {
  readonly lineId: LineId;
  readonly at: string;
}

/** The arguments of `visit`. */
export type VisitArguments = {
  readonly day: string;
  readonly firstAt?: string | undefined;
};

/** What `visit` writes of itself: as given, or made. */
export interface VisitMade_ {
  readonly firstAt?: string;
}

/** The arguments of `close`. */
export type CloseArguments = {
  readonly taskId: TaskId;
  readonly changedAt?: string | undefined;
  readonly now?: string | undefined;
};

/** What `close` writes of itself: as given, or made. */
export interface CloseMade {
  readonly closedAt: string;
  readonly changedAt: string;
}

/** The arguments of `close_both`. */
export type CloseBothArguments = {
  readonly "one.taskId": TaskId;
  readonly "one.changedAt"?: string | undefined;
  readonly "two.taskId": TaskId;
  readonly "two.changedAt"?: string | undefined;
  readonly now?: string | undefined;
};

/** What `close_both` writes of itself: as given, or made. */
export interface CloseBothMade {
  readonly "one.closedAt": string;
  readonly "one.changedAt": string;
  readonly "two.closedAt": string;
  readonly "two.changedAt": string;
}

/** The arguments of `close_each`. */
export type CloseEachArguments = {
  readonly tasks: readonly Which[];
  readonly changedAt?: string | undefined;
  readonly now?: string | undefined;
};

/** What `close_each` writes of itself: as given, or made. */
export interface CloseEachMade {
  readonly closedAt: readonly string[];
  readonly changedAt: readonly string[];
}

/** The arguments of `born_closed`. */
export type BornClosedArguments = {
  readonly taskId: TaskId;
  readonly state?: TaskState | undefined;
  readonly seenAt?: string | undefined;
  readonly changedAt?: string | undefined;
  readonly now?: string | undefined;
};

/** What `born_closed` writes of itself: as given, or made. */
export interface BornClosedMade {
  readonly closedAt: string;
  readonly changedAt: string;
}

/** The arguments of `see`. */
export type SeeArguments = {
  readonly taskId: TaskId;
  readonly at: string;
  readonly state?: TaskState | undefined;
  readonly changedAt?: string | undefined;
  readonly now?: string | undefined;
};

/** What `see` writes of itself: as given, or made. */
export interface SeeMade {
  readonly seenAt: string;
  readonly changedAt: string;
}

/**
 * The entity `Track` as a stream record shows it: `points` only where one
 * item holds all of it.
 */
export interface TrackImage {
  readonly kind: "Track";
  readonly trackId: TrackId;
  readonly title: string;
  readonly points?: readonly number[];
}

/** A change that a stream reports; `kind` says of what. */
export type MadeEvent =
  | keyfold.Change<"Cart", Cart>
  | keyfold.Change<"Line", Line>
  | keyfold.Change<"Visit", Visit>
  | keyfold.Change<"Task", Task>
  | keyfold.Change<"Track", TrackImage>;

/** The patterns, named writes and entities of the model `made`, version 1. */
export class MadeClient {
  /** The client that carries out the plans, for calls by name. */
  readonly client: keyfold.Client;
  /** Writes a `Cart` with all that follows from it. */
  readonly Cart: keyfold.BatchWriter<
    NewCart,
    CartKey,
    CartPatch,
    NewCart,
    Cart,
    CartMade
  >;
  /** Writes a `Line` with all that follows from it. */
  readonly Line: keyfold.BatchWriter<
    NewLine,
    LineKey,
    LinePatch,
    NewLine,
    Line,
    LineMade
  >;
  /** Writes a `Visit` with all that follows from it. */
  readonly Visit: keyfold.BatchWriter<
    NewVisit,
    VisitKey,
    VisitPatch,
    NewVisit,
    Visit,
    VisitMade
  >;
  /** Writes a `Task` with all that follows from it. */
  readonly Task: keyfold.BatchWriter<
    NewTask,
    TaskKey,
    TaskPatch,
    NewTask,
    Task,
    TaskMade,
    TaskTouched
  >;
  /** Writes a `Track` with all that follows from it. */
  readonly Track: keyfold.Writer<
    NewTrack,
    TrackKey,
    TrackPatch,
    NewTrack,
    Track
  >;
  /** The named writes as parts of a transaction. */
  readonly part: MadeParts;

  /**
   * Takes `http://localhost:8000`, `dynamodb://eu-west-1`, an endpoint, a
   * transport, or what `connect` of `@keyfold/client/node` makes of
   * `keyfold:./data`.
   */
  constructor(connection: keyfold.Connection, options?: keyfold.TypedOptions) {
    this.client = new keyfold.Client(plan, connection, {
      ...options,
      numbers: "number",
    });
    this.Cart = new keyfold.BatchWriter(this.client, "Cart", made);
    this.Line = new keyfold.BatchWriter(this.client, "Line", made);
    this.Visit = new keyfold.BatchWriter(this.client, "Visit", made);
    this.Task = new keyfold.BatchWriter(this.client, "Task", made);
    this.Track = new keyfold.Writer(this.client, "Track");
    this.part = new MadeParts();
  }

  /**
   * `cart(id) -> Cart?`
   *
   * GetItem of Main: `PK = "CART#{id}" AND SK = "CART"`; 1 request, about
   * 0.5 read units.
   */
  cart(
    args: CartArguments,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<Cart | undefined> {
    return this.client.one<Cart>("cart", args, options);
  }

  /**
   * `lines(cartId) -> Line[]`
   *
   * Query of Main: `PK = "CART#{cartId}" AND begins_with(SK, "LINE#")`; 1
   * request a page.
   */
  lines(
    args: LinesArguments,
  ): keyfold.Query<Line, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Query(this.client, "lines", args);
  }

  /**
   * `task(taskId) -> Task?`
   *
   * GetItem of Main: `PK = "TASK#{taskId}" AND SK = "TASK"`; 1 request,
   * about 0.5 read units.
   */
  task(
    args: TaskArguments,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<Task | undefined> {
    return this.client.one<Task>("task", args, options);
  }

  /**
   * `track(trackId) -> Track?`
   *
   * Query of Main: `PK = "TRACK#{trackId}" AND begins_with(SK, "TRACK##")`;
   * 1 request, about 0.5 read units.
   */
  track(
    args: TrackArguments,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<Track | undefined> {
    return this.client.one<Track>("track", args, options);
  }

  /**
   * The write `fill`:
   * - create Cart
   * - create Line for each of lines
   * Requests: TransactWriteItems.
   */
  fill(
    args: FillArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<FillMade>> {
    return keyfold.run(this.client, this.part.fill(args), options);
  }

  /**
   * The write `buy`:
   * - create Cart
   * - create Line for each of lines (cartId = Cart.id)
   * Requests: TransactWriteItems.
   */
  buy(
    args: BuyArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<BuyMade>> {
    return keyfold.run(this.client, this.part.buy(args), options);
  }

  /**
   * The write `pair`:
   * - create Cart as one
   * - create Cart as two
   * Requests: TransactWriteItems.
   */
  pair(
    args: PairArguments = {},
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<PairMade>> {
    return keyfold.run(this.client, this.part.pair(args), options);
  }

  /**
   * The write `add`:
   * - check Cart where id = cartId
   * - create Line
   * Requests: TransactWriteItems.
   */
  add(
    args: AddArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<AddMade>> {
    return keyfold.run(this.client, this.part.add(args), options);
  }

  /**
   * The write `visit`:
   * - create or update Visit (count = count + 1) else (count = 1)
   * Requests: UpdateItem.
   */
  visit(
    args: VisitArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<VisitMade_>> {
    return keyfold.run(this.client, this.part.visit(args), options);
  }

  /**
   * The write `close`:
   * - update Task (state = "closed", closedAt = now)
   * Requests: UpdateItem.
   */
  close(
    args: CloseArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<CloseMade>> {
    return keyfold.run(this.client, this.part.close(args), options);
  }

  /**
   * The write `close_both`:
   * - update Task as one (closedAt = now)
   * - update Task as two (closedAt = now)
   * Requests: TransactWriteItems.
   */
  closeBoth(
    args: CloseBothArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<CloseBothMade>> {
    return keyfold.run(this.client, this.part.closeBoth(args), options);
  }

  /**
   * The write `close_each`:
   * - update Task for each of tasks (closedAt = now)
   * Requests: TransactWriteItems.
   */
  closeEach(
    args: CloseEachArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<CloseEachMade>> {
    return keyfold.run(this.client, this.part.closeEach(args), options);
  }

  /**
   * The write `born_closed`:
   * - create Task
   * Requests: PutItem.
   */
  bornClosed(
    args: BornClosedArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<BornClosedMade>> {
    return keyfold.run(this.client, this.part.bornClosed(args), options);
  }

  /**
   * The write `see`:
   * - create or update Task (seenAt = now, closedAt = now) else (closedAt =
   * at)
   * Requests: GetItem, then PutItem or UpdateItem.
   */
  see(
    args: SeeArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<SeeMade>> {
    return keyfold.run(this.client, this.part.see(args), options);
  }

  /**
   * Carries several writes out in one transaction, as if one happened after
   * the other: all of them or none.
   */
  transact<Made extends readonly unknown[]>(
    writes: keyfold.Parted<Made>,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Done<Made>> {
    return keyfold.transact(this.client, writes, options);
  }

  /**
   * The change that a stream's record reports, of a reader or of Lambda;
   * `undefined` for an item that follows from an entity. `onUnknown` says
   * what becomes of an item that the model does not know.
   */
  event(
    record: keyfold.StreamRecord,
    options?: keyfold.EntityEventOptions,
  ): Promise<MadeEvent | undefined> {
    return keyfold.change(this.client, record, options);
  }

  /**
   * Creates the tables that do not exist, and compares the others with the
   * model.
   */
  ensureTables(options?: keyfold.CallOptions): Promise<keyfold.TableOutcome[]> {
    return this.client.ensureTables(options);
  }
}

/**
 * The named writes as parts of a transaction: nothing is sent before
 * `transact` takes them.
 */
export class MadeParts {
  /** The write `fill`. */
  fill(args: FillArguments): keyfold.NamedPart<FillMade> {
    return keyfold.part("fill", args, made);
  }

  /** The write `buy`. */
  buy(args: BuyArguments): keyfold.NamedPart<BuyMade> {
    return keyfold.part("buy", args, made);
  }

  /** The write `pair`. */
  pair(args: PairArguments = {}): keyfold.NamedPart<PairMade> {
    return keyfold.part("pair", args, made);
  }

  /** The write `add`. */
  add(args: AddArguments): keyfold.NamedPart<AddMade> {
    return keyfold.part("add", args, made);
  }

  /** The write `visit`. */
  visit(args: VisitArguments): keyfold.NamedPart<VisitMade_> {
    return keyfold.part("visit", args, made);
  }

  /** The write `close`. */
  close(args: CloseArguments): keyfold.NamedPart<CloseMade> {
    return keyfold.part("close", args, made);
  }

  /** The write `close_both`. */
  closeBoth(args: CloseBothArguments): keyfold.NamedPart<CloseBothMade> {
    return keyfold.part("close_both", args, made);
  }

  /** The write `close_each`. */
  closeEach(args: CloseEachArguments): keyfold.NamedPart<CloseEachMade> {
    return keyfold.part("close_each", args, made);
  }

  /** The write `born_closed`. */
  bornClosed(args: BornClosedArguments): keyfold.NamedPart<BornClosedMade> {
    return keyfold.part("born_closed", args, made);
  }

  /** The write `see`. */
  see(args: SeeArguments): keyfold.NamedPart<SeeMade> {
    return keyfold.part("see", args, made);
  }
}

const made: keyfold.MadeTable = {
  "create Cart": {
    id: ["Cart", "id", "argument"],
    at: ["Cart", "at", "argument"],
  },
  "create Line": {
    lineId: ["Line", "lineId", "argument"],
    at: ["Line", "at", "argument"],
  },
  "create Visit": {
    firstAt: ["Visit", "firstAt", "argument"],
  },
  "create Task": {
    changedAt: ["Task", "changedAt", "argument"],
  },
  "update Task": {
    changedAt: ["Task", "changedAt", "argument"],
  },
  fill: {
    id: ["Cart", "id", "argument"],
    "Cart.at": ["Cart", "at", "argument"],
    lineId: ["Line", "lineId", "element", "lines"],
    "Line.at": ["Line", "at", "argument", "lines"],
  },
  buy: {
    id: ["Cart", "id", "argument"],
    "Cart.at": ["Cart", "at", "argument"],
    lineId: ["Line", "lineId", "element", "lines"],
    "Line.at": ["Line", "at", "argument", "lines"],
  },
  pair: {
    "one.id": ["Cart", "one.id", "argument"],
    "one.at": ["Cart", "one.at", "argument"],
    "two.id": ["Cart", "two.id", "argument"],
    "two.at": ["Cart", "two.at", "argument"],
  },
  add: {
    lineId: ["Line", "lineId", "argument"],
    at: ["Line", "at", "argument"],
  },
  visit: {
    firstAt: ["Visit", "firstAt", "never"],
  },
  close: {
    closedAt: ["Task", "closedAt", "argument", undefined, "now"],
    changedAt: ["Task", "changedAt", "argument"],
  },
  close_both: {
    "one.closedAt": ["Task", "one.closedAt", "argument", undefined, "now"],
    "one.changedAt": ["Task", "one.changedAt", "argument"],
    "two.closedAt": ["Task", "two.closedAt", "argument", undefined, "now"],
    "two.changedAt": ["Task", "two.changedAt", "argument"],
  },
  close_each: {
    closedAt: ["Task", "closedAt", "argument", "tasks", "now"],
    changedAt: ["Task", "changedAt", "argument", "tasks"],
  },
  born_closed: {
    closedAt: ["Task", "closedAt", "argument", undefined, "now"],
    changedAt: ["Task", "changedAt", "argument"],
  },
  see: {
    seenAt: ["Task", "seenAt", "argument", undefined, "now"],
    changedAt: ["Task", "changedAt", "argument"],
  },
};

const plan: keyfold.Plan = JSON.parse(String.raw`
{
"entities": [
  {"alone":true,"attributes":[{"default":"new","name":"id","type":"ulid"},{"default":"now","name":"at","type":"time.ms"},{"name":"note","optional":true,"type":"string"}],"key":[{"attribute":"PK","matches":"CART#[0-9A-HJ-KM-NP-TV-Z]{26}","parts":["CART#",{"field":"id","type":"ulid"}]},{"attribute":"SK","matches":"CART","parts":["CART"]}],"name":"Cart","table":"Main"},
  {"alone":true,"attributes":[{"name":"cartId","refers":{"attribute":"id","entity":"Cart"},"type":"ulid"},{"default":"new","name":"lineId","type":"uuid"},{"default":"now","name":"at","type":"time.ms"},{"name":"amount","type":"int"}],"key":[{"attribute":"PK","matches":"CART#[0-9A-HJ-KM-NP-TV-Z]{26}","parts":["CART#",{"field":"cartId","type":"ulid"}]},{"attribute":"SK","matches":"LINE#[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}","parts":["LINE#",{"field":"lineId","type":"uuid"}]}],"name":"Line","table":"Main"},
  {"alone":true,"attributes":[{"name":"day","type":"date"},{"name":"count","type":"int"},{"default":"now","name":"firstAt","type":"time.ms"}],"key":[{"attribute":"PK","matches":"VISITS","parts":["VISITS"]},{"attribute":"SK","matches":"[0-9]{4}-[0-9]{2}-[0-9]{2}","parts":[{"field":"day","type":"date"}]}],"name":"Visit","table":"Main"},
  {"alone":true,"attributes":[{"name":"taskId","type":"string"},{"default":{"value":{"S":"open"}},"name":"state","type":{"words":["open","closed"]}},{"name":"closedAt","optional":true,"type":"time.ms"},{"name":"seenAt","optional":true,"type":"time.ms"},{"default":"always","name":"changedAt","type":"time.ms"}],"key":[{"attribute":"PK","matches":"TASK#[^\u0000]+","parts":["TASK#",{"field":"taskId","type":"string"}]},{"attribute":"SK","matches":"TASK","parts":["TASK"]}],"name":"Task","table":"Main"},
  {"attributes":[{"name":"trackId","type":"string"},{"name":"title","type":"string"},{"name":"points","type":{"list":"int"}}],"followed":["points"],"key":[{"attribute":"PK","matches":"TRACK#[^\u0000]+","parts":["TRACK#",{"field":"trackId","type":"string"}]},{"attribute":"SK","matches":"TRACK##[0-9]{4}","parts":["TRACK#","#",{"part":4}]}],"name":"Track","split":{"attribute":"points","size":100},"table":"Main"}
],
"keyfoldPlan": 1,
"model": {"hash":"3ceebac73974e439e9d2bc1a23826ab5","name":"made","version":1},
"patterns": [
  {"name":"cart","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"ulid"}],"plan":{"partition":[{"attribute":"PK","parts":["CART#",{"field":"id","type":"ulid"}]}],"request":"GetItem","sort":{"at":["CART"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Cart","name":"Cart","optional":true}]},
  {"name":"lines","parameters":[{"attribute":"cartId","limit":"equal","name":"cartId","type":"ulid"}],"plan":{"partition":[{"attribute":"PK","parts":["CART#",{"field":"cartId","type":"ulid"}]}],"request":"Query","sort":{"at":["LINE#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Line","many":true,"name":"Line"}]},
  {"name":"task","parameters":[{"attribute":"taskId","limit":"equal","name":"taskId","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["TASK#",{"field":"taskId","type":"string"}]}],"request":"GetItem","sort":{"at":["TASK"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Task","name":"Task","optional":true}]},
  {"name":"track","parameters":[{"attribute":"trackId","limit":"equal","name":"trackId","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["TRACK#",{"field":"trackId","type":"string"}]}],"request":"Query","sort":{"at":["TRACK#","#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Track","name":"Track","optional":true}]}
],
"records": [
  {"fields":[{"name":"amount","type":"int"},{"name":"lineId","optional":true,"type":"uuid"}],"name":"Wanted"},
  {"fields":[{"name":"taskId","type":"string"}],"name":"Which"}
],
"tables": [
  {"create":{"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]},"name":"Main","partition":{"name":"PK","type":"S"},"sort":{"name":"SK","type":"S"}}
],
"writes": [
  {"actions":[{"entity":"Cart","verb":"create"},{"each":"lines","entity":"Line","verb":"create"}],"name":"fill","parameters":[{"name":"lines","type":{"list":{"record":"Wanted"}}},{"name":"id","optional":true,"type":"ulid"},{"name":"at","optional":true,"type":"time.ms"},{"name":"note","optional":true,"type":"string"},{"name":"cartId","type":"ulid"}]},
  {"actions":[{"entity":"Cart","verb":"create"},{"each":"lines","entity":"Line","set":[{"attribute":"cartId","left":{"lent":{"action":0,"attribute":"id"}}}],"verb":"create"}],"name":"buy","parameters":[{"name":"lines","type":{"list":{"record":"Wanted"}}},{"name":"id","optional":true,"type":"ulid"},{"name":"at","optional":true,"type":"time.ms"},{"name":"note","optional":true,"type":"string"}]},
  {"actions":[{"as":"one","entity":"Cart","taken":[{"attribute":"id","from":{"parameter":"one.id"}},{"attribute":"at","from":{"parameter":"one.at"}},{"attribute":"note","from":{"parameter":"one.note"}}],"verb":"create"},{"as":"two","entity":"Cart","taken":[{"attribute":"id","from":{"parameter":"two.id"}},{"attribute":"at","from":{"parameter":"two.at"}},{"attribute":"note","from":{"parameter":"two.note"}}],"verb":"create"}],"name":"pair","parameters":[{"name":"one.id","optional":true,"type":"ulid"},{"name":"one.at","optional":true,"type":"time.ms"},{"name":"one.note","optional":true,"type":"string"},{"name":"two.id","optional":true,"type":"ulid"},{"name":"two.at","optional":true,"type":"time.ms"},{"name":"two.note","optional":true,"type":"string"}]},
  {"actions":[{"entity":"Cart","taken":[{"attribute":"id","declared":true,"from":{"parameter":"cartId"}}],"verb":"check"},{"entity":"Line","verb":"create"}],"name":"add","parameters":[{"name":"cartId","type":"ulid"},{"name":"lineId","optional":true,"type":"uuid"},{"name":"at","optional":true,"type":"time.ms"},{"name":"amount","type":"int"}]},
  {"actions":[{"entity":"Visit","otherwise":[{"attribute":"count","left":{"value":{"N":"1"}}}],"set":[{"attribute":"count","joint":"plus","left":{"attribute":"count"},"right":{"value":{"N":"1"}}}],"upserts":[{"attributes":{"count":"moved","day":"first","firstAt":"first"}}],"verb":"upsert"}],"name":"visit","parameters":[{"name":"day","type":"date"},{"name":"firstAt","optional":true,"type":"time.ms"}]},
  {"actions":[{"entity":"Task","set":[{"attribute":"state","left":{"value":{"S":"closed"}}},{"attribute":"closedAt","left":{"parameter":"now"}},{"attribute":"changedAt","left":{"parameter":"changedAt"}}],"verb":"update"}],"name":"close","parameters":[{"name":"taskId","type":"string"},{"name":"changedAt","now":true,"optional":true,"type":"time.ms"},{"name":"now","now":true,"optional":true,"type":"time.ms"}]},
  {"actions":[{"as":"one","entity":"Task","set":[{"attribute":"closedAt","left":{"parameter":"now"}},{"attribute":"changedAt","left":{"parameter":"one.changedAt"}}],"taken":[{"attribute":"taskId","from":{"parameter":"one.taskId"}},{"attribute":"changedAt","from":{"parameter":"one.changedAt"}}],"verb":"update"},{"as":"two","entity":"Task","set":[{"attribute":"closedAt","left":{"parameter":"now"}},{"attribute":"changedAt","left":{"parameter":"two.changedAt"}}],"taken":[{"attribute":"taskId","from":{"parameter":"two.taskId"}},{"attribute":"changedAt","from":{"parameter":"two.changedAt"}}],"verb":"update"}],"name":"close_both","parameters":[{"name":"one.taskId","type":"string"},{"name":"one.changedAt","now":true,"optional":true,"type":"time.ms"},{"name":"two.taskId","type":"string"},{"name":"two.changedAt","now":true,"optional":true,"type":"time.ms"},{"name":"now","now":true,"optional":true,"type":"time.ms"}]},
  {"actions":[{"each":"tasks","entity":"Task","set":[{"attribute":"closedAt","left":{"parameter":"now"}},{"attribute":"changedAt","left":{"parameter":"changedAt"}}],"verb":"update"}],"name":"close_each","parameters":[{"name":"tasks","type":{"list":{"record":"Which"}}},{"name":"changedAt","now":true,"optional":true,"type":"time.ms"},{"name":"now","now":true,"optional":true,"type":"time.ms"}]},
  {"actions":[{"entity":"Task","set":[{"attribute":"closedAt","left":{"parameter":"now"}}],"verb":"create"}],"name":"born_closed","parameters":[{"name":"taskId","type":"string"},{"name":"state","optional":true,"type":{"words":["open","closed"]}},{"name":"seenAt","optional":true,"type":"time.ms"},{"name":"changedAt","now":true,"optional":true,"type":"time.ms"},{"name":"now","now":true,"optional":true,"type":"time.ms"}]},
  {"actions":[{"entity":"Task","otherwise":[{"attribute":"closedAt","left":{"parameter":"at"}}],"set":[{"attribute":"seenAt","left":{"parameter":"now"}},{"attribute":"closedAt","left":{"parameter":"now"}},{"attribute":"changedAt","left":{"parameter":"changedAt"}}],"verb":"upsert"}],"name":"see","parameters":[{"name":"taskId","type":"string"},{"name":"at","type":"time.ms"},{"name":"state","optional":true,"type":{"words":["open","closed"]}},{"name":"changedAt","now":true,"optional":true,"type":"time.ms"},{"name":"now","now":true,"optional":true,"type":"time.ms"}]}
]
}
`) as keyfold.Plan;
