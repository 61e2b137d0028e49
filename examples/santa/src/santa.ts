// Made by keyfold 0.1.0 of the model santa, version 1.
// The plan document's hash: 4508fe17f8d64a7848a6843a42cb0e47.
// Changes here are lost: change the model, and run `keyfold generate`.

import * as keyfold from "@keyfold/client";

declare const of: unique symbol;

/**
 * A value of `Letter.letterId`. Other values are none until `LetterId`
 * makes them one.
 */
export type LetterId = string & { readonly [of]: "Letter.letterId" };

/** Makes a value one of `Letter.letterId`. */
export function LetterId(value: string): LetterId {
  return value as LetterId;
}

/**
 * A value of `Toy.toyId`. Other values are none until `ToyId` makes them
 * one.
 */
export type ToyId = string & { readonly [of]: "Toy.toyId" };

/** Makes a value one of `Toy.toyId`. */
export function ToyId(value: string): ToyId {
  return value as ToyId;
}

/** The record `Quote`. */
export interface Quote {
  readonly toyId: ToyId;
  readonly name: string;
  readonly price: number;
  readonly quantity: number;
}

/** The record `WishLine`. */
export interface WishLine {
  readonly toyId: ToyId;
  readonly name: string;
  readonly quantity: number;
  readonly price: number;
  readonly amount: number;
}

/**
 * The entity `Letter` as it is stored, under `"LETTER"
 * "LETTER#{letterId}#SUMMARY"`.
 */
export interface Letter {
  readonly kind: "Letter";
  readonly letterId: LetterId;
  readonly child: string;
  readonly address: string;
  readonly receivedAt: string;
  /** Kept by the model: a sum. */
  readonly total: number;
  /** Counts the versions of the item. */
  readonly version: number;
}

/** The attributes of a `Letter` that is created or put. */
export interface NewLetter {
  /** Default: `new`. */
  readonly letterId?: LetterId | undefined;
  readonly child: string;
  readonly address: string;
  /** Default: `now`. */
  readonly receivedAt?: string | undefined;
}

/** The attributes of a `Letter` that is put, and the version that is stored. */
export interface PutLetter {
  /** Default: `new`. */
  readonly letterId?: LetterId | undefined;
  readonly child: string;
  readonly address: string;
  /** Default: `now`. */
  readonly receivedAt?: string | undefined;
  /** The version that the stored item is expected to have. */
  readonly version?: number | undefined;
}

/** The key of a `Letter`. */
export interface LetterKey {
  readonly letterId: LetterId;
  /** The version that the stored item is expected to have. */
  readonly version?: number | undefined;
}

/** Changes of a `Letter`: what is not named stays as it is. */
export interface LetterPatch {
  readonly child?: string | undefined;
  readonly address?: string | undefined;
  readonly receivedAt?: string | undefined;
}

/** What a `Letter` gets that is created or put: as given, or made. */
export interface LetterMade {
  readonly letterId: LetterId;
  readonly receivedAt: string;
}

/**
 * The entity `Wish` as it is stored, under `"LETTER"
 * "LETTER#{letterId}#TOY#{toyId}"`.
 */
export interface Wish {
  readonly kind: "Wish";
  readonly letterId: LetterId;
  readonly toyId: ToyId;
  readonly child: string;
  readonly name: string;
  readonly quantity: number;
  readonly price: number;
  readonly amount: number;
}

/** The attributes of a `Wish` that is created or put. */
export interface NewWish {
  readonly letterId: LetterId;
  readonly toyId: ToyId;
  readonly child: string;
  readonly name: string;
  readonly quantity: number;
  readonly price: number;
  readonly amount: number;
}

/** The key of a `Wish`. */
export interface WishKey {
  readonly letterId: LetterId;
  readonly toyId: ToyId;
}

/** Changes of a `Wish`: what is not named stays as it is. */
export interface WishPatch {
  readonly child?: string | undefined;
  readonly name?: string | undefined;
  readonly quantity?: number | undefined;
  readonly price?: number | undefined;
  readonly amount?: number | undefined;
}

/** The entity `Toy` as it is stored, under `"TOY" "TOY#{toyId}"`. */
export interface Toy {
  readonly kind: "Toy";
  readonly toyId: ToyId;
  readonly name: string;
  readonly description: string;
  readonly price: number;
  /** Kept by the model: a sum. */
  readonly wanted: number;
}

/** The attributes of a `Toy` that is created or put. */
export interface NewToy {
  readonly toyId: ToyId;
  readonly name: string;
  readonly description: string;
  readonly price: number;
}

/** The key of a `Toy`. */
export interface ToyKey {
  readonly toyId: ToyId;
}

/** Changes of a `Toy`: what is not named stays as it is. */
export interface ToyPatch {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly price?: number | undefined;
}

/**
 * The entity `Snapshot` as it is stored, under `"HISTORY"
 * "LETTER#{letterId}"`.
 */
export interface Snapshot {
  readonly kind: "Snapshot";
  readonly letterId: LetterId;
  readonly child: string;
  readonly address: string;
  readonly receivedAt: string;
  readonly toys: readonly Quote[];
}

/** The attributes of a `Snapshot` that is created or put. */
export interface NewSnapshot {
  readonly letterId: LetterId;
  readonly child: string;
  readonly address: string;
  readonly receivedAt: string;
  readonly toys: readonly Quote[];
}

/** The key of a `Snapshot`. */
export interface SnapshotKey {
  readonly letterId: LetterId;
}

/** Changes of a `Snapshot`: what is not named stays as it is. */
export interface SnapshotPatch {
  readonly child?: string | undefined;
  readonly address?: string | undefined;
  readonly receivedAt?: string | undefined;
  readonly toys?: readonly Quote[] | undefined;
}

/** The arguments of `toy`. */
export type ToyArguments = {
  readonly toyId: ToyId;
};

/** An item of `letters`; `kind` says which. */
export type LettersItem = Letter | Wish;

/** The arguments of `letter`. */
export type LetterArguments = {
  readonly letterId: LetterId;
};

/** An item of `letter`; `kind` says which. */
export type LetterItem = Letter | Wish;

/** The whole answer of `letter`. */
export interface LetterAnswer {
  readonly letter: Letter;
  readonly wishes: readonly Wish[];
}

/** The kinds of `letter`. */
export const LetterAnswer = {
  letter: "Letter",
  wishes: ["Wish"],
} as const;

/** The arguments of `demand`. */
export type DemandArguments = {
  readonly toyId: ToyId;
};

/** An item of `demand`; `kind` says which. */
export type DemandItem = Toy | Wish;

/** The whole answer of `demand`. */
export interface DemandAnswer {
  readonly toy: Toy;
  readonly wishes: readonly Wish[];
}

/** The kinds of `demand`. */
export const DemandAnswer = {
  toy: "Toy",
  wishes: ["Wish"],
} as const;

/** The arguments of `history`. */
export type HistoryArguments = {
  readonly letterId: LetterId;
};

/** The arguments of `create_letter`. */
export type CreateLetterArguments = {
  readonly wishes: readonly WishLine[];
  readonly letterId: LetterId;
  readonly child: string;
  readonly address: string;
  readonly receivedAt: string;
  readonly toys: readonly Quote[];
};

/** The arguments of `add_wish`. */
export type AddWishArguments = {
  readonly letterId: LetterId;
  readonly toyId: ToyId;
  readonly child: string;
  readonly name: string;
  readonly quantity: number;
  readonly price: number;
  readonly amount: number;
};

/** The arguments of `create_toy`. */
export type CreateToyArguments = {
  readonly toyId: ToyId;
  readonly name: string;
  readonly description: string;
  readonly price: number;
};

/** The arguments of `reprice`. */
export type RepriceArguments = {
  readonly seen: number;
  readonly price: number;
  readonly toyId: ToyId;
};

/** A change that a stream reports; `kind` says of what. */
export type SantaEvent =
  | keyfold.Change<"Letter", Letter>
  | keyfold.Change<"Wish", Wish>
  | keyfold.Change<"Toy", Toy>
  | keyfold.Change<"Snapshot", Snapshot>;

/** The patterns, named writes and entities of the model `santa`, version 1. */
export class SantaClient {
  /** The client that carries out the plans, for calls by name. */
  readonly client: keyfold.Client;
  /** Writes a `Letter` with all that follows from it. */
  readonly Letter: keyfold.Writer<
    NewLetter,
    LetterKey,
    LetterPatch,
    PutLetter,
    Letter,
    LetterMade
  >;
  /** Writes a `Wish` with all that follows from it. */
  readonly Wish: keyfold.Writer<NewWish, WishKey, WishPatch, NewWish, Wish>;
  /** Writes a `Toy` with all that follows from it. */
  readonly Toy: keyfold.Writer<NewToy, ToyKey, ToyPatch, NewToy, Toy>;
  /** Writes a `Snapshot` with all that follows from it. */
  readonly Snapshot: keyfold.BatchWriter<
    NewSnapshot,
    SnapshotKey,
    SnapshotPatch,
    NewSnapshot,
    Snapshot
  >;
  /** The named writes as parts of a transaction. */
  readonly part: SantaParts;

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
    this.Letter = new keyfold.Writer(this.client, "Letter", made);
    this.Wish = new keyfold.Writer(this.client, "Wish");
    this.Toy = new keyfold.Writer(this.client, "Toy");
    this.Snapshot = new keyfold.BatchWriter(this.client, "Snapshot");
    this.part = new SantaParts();
  }

  /**
   * `toys() -> Toy[] page 50`
   *
   * Query of Letters: `PK = "TOY" AND begins_with(SK, "TOY#")`, 50 items a
   * page; 1 request a page, about 2 read units.
   */
  toys(
    args: keyfold.NoArguments = {},
  ): keyfold.Query<Toy, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Query(this.client, "toys", args);
  }

  /**
   * `toy(toyId) -> Toy?`
   *
   * GetItem of Letters: `PK = "TOY" AND SK = "TOY#{toyId}"`; 1 request,
   * about 0.5 read units.
   */
  toy(
    args: ToyArguments,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<Toy | undefined> {
    return this.client.one<Toy>("toy", args, options);
  }

  /**
   * `letters() -> Letter[] + Wish[] descending letterId page 60`
   *
   * Query of Letters: `PK = "LETTER"`, descending, 60 items a page; 1
   * request a page, about 2 read units.
   */
  letters(
    args: keyfold.NoArguments = {},
  ): keyfold.Query<LettersItem, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Query(this.client, "letters", args);
  }

  /**
   * `letter(letterId) -> Letter + Wish[]`
   *
   * Query of Letters: `PK = "LETTER" AND begins_with(SK,
   * "LETTER#{letterId}#")`; 1 request a page, about 0.5 read units.
   */
  letter(
    args: LetterArguments,
  ): keyfold.Collection<LetterAnswer, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Collection(this.client, "letter", args, LetterAnswer);
  }

  /**
   * `demand(toyId) -> Toy + Wish[] descending page 60`
   *
   * Query of Letters.ByToy: `STRING1 = "TOY#{toyId}"`, descending, 60 items
   * a page; 1 request a page, about 2 read units.
   */
  demand(
    args: DemandArguments,
  ): keyfold.Collection<DemandAnswer, keyfold.Ordered> {
    return new keyfold.Collection(this.client, "demand", args, DemandAnswer);
  }

  /**
   * `history(letterId) -> Snapshot?`
   *
   * GetItem of Letters: `PK = "HISTORY" AND SK = "LETTER#{letterId}"`; 1
   * request, about 0.5 read units.
   */
  history(
    args: HistoryArguments,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<Snapshot | undefined> {
    return this.client.one<Snapshot>("history", args, options);
  }

  /**
   * The write `create_letter`:
   * - create Letter
   * - create Wish for each of wishes
   * - create Snapshot
   * - check Toy for each of wishes if price = price
   * Requests: TransactWriteItems.
   */
  createLetter(
    args: CreateLetterArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<keyfold.NothingMade>> {
    return keyfold.run(this.client, this.part.createLetter(args), options);
  }

  /**
   * The write `add_wish`:
   * - create Wish
   * - check Toy if price = price
   * Requests: TransactWriteItems.
   */
  addWish(
    args: AddWishArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<keyfold.NothingMade>> {
    return keyfold.run(this.client, this.part.addWish(args), options);
  }

  /**
   * The write `create_toy`:
   * - create Toy
   * Requests: PutItem.
   */
  createToy(
    args: CreateToyArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<keyfold.NothingMade>> {
    return keyfold.run(this.client, this.part.createToy(args), options);
  }

  /**
   * The write `reprice`:
   * - update Toy (price = price) if price = seen
   * Requests: UpdateItem.
   */
  reprice(
    args: RepriceArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<keyfold.NothingMade>> {
    return keyfold.run(this.client, this.part.reprice(args), options);
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
  ): Promise<SantaEvent | undefined> {
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
export class SantaParts {
  /** The write `create_letter`. */
  createLetter(
    args: CreateLetterArguments,
  ): keyfold.NamedPart<keyfold.NothingMade> {
    return keyfold.part("create_letter", args);
  }

  /** The write `add_wish`. */
  addWish(args: AddWishArguments): keyfold.NamedPart<keyfold.NothingMade> {
    return keyfold.part("add_wish", args);
  }

  /** The write `create_toy`. */
  createToy(args: CreateToyArguments): keyfold.NamedPart<keyfold.NothingMade> {
    return keyfold.part("create_toy", args);
  }

  /** The write `reprice`. */
  reprice(args: RepriceArguments): keyfold.NamedPart<keyfold.NothingMade> {
    return keyfold.part("reprice", args);
  }
}

const made: keyfold.MadeTable = {
  "create Letter": {
    letterId: ["Letter", "letterId", "argument"],
    receivedAt: ["Letter", "receivedAt", "argument"],
  },
};

const plan: keyfold.Plan = JSON.parse(String.raw`
{
"entities": [
  {"aggregates":[{"attribute":"total","changes":"total:changes","entity":"Wish","items":"total:items","kind":"sum","link":[{"other":"letterId","own":"letterId"}],"of":"amount"}],"alone":true,"attributes":[{"default":"new","name":"letterId","type":"ulid"},{"name":"child","type":"string"},{"name":"address","type":"string"},{"default":"now","name":"receivedAt","type":"time.ms"},{"default":{"value":{"N":"0"}},"kept":true,"name":"total","type":"int"},{"default":{"value":{"N":"1"}},"kept":true,"name":"version","type":"int"}],"key":[{"attribute":"PK","matches":"LETTER","parts":["LETTER"]},{"attribute":"SK","matches":"LETTER#[0-9A-HJ-KM-NP-TV-Z]{26}#SUMMARY","parts":["LETTER#",{"field":"letterId","type":"ulid"},"#SUMMARY"]}],"name":"Letter","table":"Letters","version":"version"},
  {"attributes":[{"name":"letterId","refers":{"attribute":"letterId","entity":"Letter"},"type":"ulid"},{"name":"toyId","refers":{"attribute":"toyId","entity":"Toy"},"type":"string"},{"name":"child","type":"string"},{"name":"name","type":"string"},{"name":"quantity","type":"int"},{"name":"price","type":"int"},{"name":"amount","type":"int"}],"followed":["amount","letterId","quantity","toyId"],"indexes":[{"index":"ByToy","key":[{"attribute":"STRING1","matches":"TOY#[^\u0000]+","parts":["TOY#",{"field":"toyId","type":"string"}]},{"attribute":"SK","matches":"LETTER#[0-9A-HJ-KM-NP-TV-Z]{26}#TOY#[^\u0000]+","parts":["LETTER#",{"field":"letterId","type":"ulid"},"#TOY#",{"field":"toyId","type":"string"}]}]}],"key":[{"attribute":"PK","matches":"LETTER","parts":["LETTER"]},{"attribute":"SK","matches":"LETTER#[0-9A-HJ-KM-NP-TV-Z]{26}#TOY#[^\u0000]+","parts":["LETTER#",{"field":"letterId","type":"ulid"},"#TOY#",{"field":"toyId","type":"string"}]}],"name":"Wish","table":"Letters"},
  {"aggregates":[{"attribute":"wanted","changes":"wanted:changes","entity":"Wish","items":"wanted:items","kind":"sum","link":[{"other":"toyId","own":"toyId"}],"of":"quantity"}],"alone":true,"attributes":[{"name":"toyId","type":"string"},{"name":"name","type":"string"},{"name":"description","type":"string"},{"name":"price","type":"int"},{"default":{"value":{"N":"0"}},"kept":true,"name":"wanted","type":"int"}],"followed":["toyId"],"indexes":[{"index":"ByToy","key":[{"attribute":"STRING1","matches":"TOY#[^\u0000]+","parts":["TOY#",{"field":"toyId","type":"string"}]},{"attribute":"SK","matches":"TOY#[^\u0000]+","parts":["TOY#",{"field":"toyId","type":"string"}]}]}],"key":[{"attribute":"PK","matches":"TOY","parts":["TOY"]},{"attribute":"SK","matches":"TOY#[^\u0000]+","parts":["TOY#",{"field":"toyId","type":"string"}]}],"name":"Toy","table":"Letters"},
  {"alone":true,"attributes":[{"name":"letterId","refers":{"attribute":"letterId","entity":"Letter"},"type":"ulid"},{"name":"child","type":"string"},{"name":"address","type":"string"},{"name":"receivedAt","type":"time.ms"},{"name":"toys","type":{"list":{"record":"Quote"}}}],"key":[{"attribute":"PK","matches":"HISTORY","parts":["HISTORY"]},{"attribute":"SK","matches":"LETTER#[0-9A-HJ-KM-NP-TV-Z]{26}","parts":["LETTER#",{"field":"letterId","type":"ulid"}]}],"name":"Snapshot","table":"Letters"}
],
"keyfoldPlan": 1,
"model": {"hash":"4508fe17f8d64a7848a6843a42cb0e47","name":"santa","version":1},
"patterns": [
  {"name":"toys","plan":{"page":50,"partition":[{"attribute":"PK","parts":["TOY"]}],"request":"Query","sort":{"at":["TOY#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Letters"},"returns":[{"entity":"Toy","many":true,"name":"Toy"}]},
  {"name":"toy","parameters":[{"attribute":"toyId","limit":"equal","name":"toyId","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["TOY"]}],"request":"GetItem","sort":{"at":["TOY#",{"field":"toyId","type":"string"}],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Letters"},"returns":[{"entity":"Toy","name":"Toy","optional":true}]},
  {"name":"letters","plan":{"descending":true,"orderedBy":"letterId","page":60,"partition":[{"attribute":"PK","parts":["LETTER"]}],"request":"Query","sortAttributes":["SK"],"table":"Letters"},"returns":[{"entity":"Letter","many":true,"name":"Letter"},{"entity":"Wish","many":true,"name":"Wish"}]},
  {"name":"letter","parameters":[{"attribute":"letterId","limit":"equal","name":"letterId","type":"ulid"}],"plan":{"partition":[{"attribute":"PK","parts":["LETTER"]}],"request":"Query","sort":{"at":["LETTER#",{"field":"letterId","type":"ulid"},"#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Letters"},"returns":[{"entity":"Letter","name":"Letter"},{"entity":"Wish","many":true,"name":"Wish"}]},
  {"name":"demand","parameters":[{"attribute":"toyId","limit":"equal","name":"toyId","type":"string"}],"plan":{"descending":true,"index":"ByToy","orderedBy":"letterId","page":60,"partition":[{"attribute":"STRING1","parts":["TOY#",{"field":"toyId","type":"string"}]}],"request":"Query","sortAttributes":["SK"],"table":"Letters"},"returns":[{"entity":"Toy","name":"Toy"},{"entity":"Wish","many":true,"name":"Wish"}]},
  {"name":"history","parameters":[{"attribute":"letterId","limit":"equal","name":"letterId","type":"ulid"}],"plan":{"partition":[{"attribute":"PK","parts":["HISTORY"]}],"request":"GetItem","sort":{"at":["LETTER#",{"field":"letterId","type":"ulid"}],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Letters"},"returns":[{"entity":"Snapshot","name":"Snapshot","optional":true}]}
],
"records": [
  {"fields":[{"name":"toyId","type":"string"},{"name":"name","type":"string"},{"name":"price","type":"int"},{"name":"quantity","type":"int"}],"name":"Quote"},
  {"fields":[{"name":"toyId","type":"string"},{"name":"name","type":"string"},{"name":"quantity","type":"int"},{"name":"price","type":"int"},{"name":"amount","type":"int"}],"name":"WishLine"}
],
"tables": [
  {"create":{"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"},{"AttributeName":"STRING1","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{"IndexName":"ByToy","KeySchema":[{"AttributeName":"STRING1","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]},"indexes":[{"name":"ByToy","partition":[{"name":"STRING1","type":"S"}],"projection":"all","sort":[{"name":"SK","type":"S"}]}],"name":"Letters","partition":{"name":"PK","type":"S"},"sort":{"name":"SK","type":"S"},"typeAttribute":"entity"}
],
"writes": [
  {"actions":[{"entity":"Letter","verb":"create"},{"each":"wishes","entity":"Wish","verb":"create"},{"entity":"Snapshot","verb":"create"},{"each":"wishes","entity":"Toy","verb":"check","when":[{"attribute":"price","is":"=","operands":[{"parameter":"price"}],"text":"price = price"}]}],"name":"create_letter","parameters":[{"name":"wishes","type":{"list":{"record":"WishLine"}}},{"name":"letterId","type":"ulid"},{"name":"child","type":"string"},{"name":"address","type":"string"},{"name":"receivedAt","type":"time.ms"},{"name":"toys","type":{"list":{"record":"Quote"}}}]},
  {"actions":[{"entity":"Wish","verb":"create"},{"entity":"Toy","verb":"check","when":[{"attribute":"price","is":"=","operands":[{"parameter":"price"}],"text":"price = price"}]}],"name":"add_wish","parameters":[{"name":"letterId","type":"ulid"},{"name":"toyId","type":"string"},{"name":"child","type":"string"},{"name":"name","type":"string"},{"name":"quantity","type":"int"},{"name":"price","type":"int"},{"name":"amount","type":"int"}]},
  {"actions":[{"entity":"Toy","verb":"create"}],"name":"create_toy","parameters":[{"name":"toyId","type":"string"},{"name":"name","type":"string"},{"name":"description","type":"string"},{"name":"price","type":"int"}]},
  {"actions":[{"entity":"Toy","set":[{"attribute":"price","left":{"parameter":"price"}}],"verb":"update","when":[{"attribute":"price","is":"=","operands":[{"parameter":"seen"}],"text":"price = seen"}]}],"name":"reprice","parameters":[{"name":"seen","type":"int"},{"name":"price","type":"int"},{"name":"toyId","type":"string"}]}
]
}
`) as keyfold.Plan;
