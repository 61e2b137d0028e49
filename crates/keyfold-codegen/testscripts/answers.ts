// Made by keyfold (test) of the model answers, version 3.
// The plan document's hash: 067f20403a279264c52197bbb6e0d7b6.
// Changes here are lost: change the model, and run `keyfold generate`.

import * as keyfold from "@keyfold/client";

declare const of: unique symbol;

/**
 * A value of `Account.id`. Other values are none until `AccountId` makes
 * them one.
 */
export type AccountId = string & { readonly [of]: "Account.id" };

/** Makes a value one of `Account.id`. */
export function AccountId(value: string): AccountId {
  return value as AccountId;
}

/**
 * A value of `Ticket.ticketId`. Other values are none until `TicketId`
 * makes them one.
 */
export type TicketId = string & { readonly [of]: "Ticket.ticketId" };

/** Makes a value one of `Ticket.ticketId`. */
export function TicketId(value: string): TicketId {
  return value as TicketId;
}

/** The words of `Account.plan`. */
export type AccountPlan = "free" | "paid";

/** The words of `Ticket.status`. */
export type TicketStatus = "open" | "waiting" | "closed";

/** The words of `Entry.state`. */
export type EntryState = "open" | "waiting" | "closed";

/** The record `Address`. */
export interface Address {
  readonly street: string;
  readonly zip?: string | undefined;
  readonly account: AccountId;
}

/** The record `Entry`. */
export interface Entry {
  readonly at: string;
  readonly by: string;
  readonly state: EntryState;
}

/** The entity `Account` as it is stored, under `"ACCOUNT#{id}" "ACCOUNT"`. */
export interface Account {
  readonly kind: "Account";
  readonly id: AccountId;
  readonly owner: string;
  readonly balance: number;
  readonly country: string;
  readonly city: string;
  readonly street: string;
  readonly plan: AccountPlan;
  readonly tags?: ReadonlySet<string>;
  readonly prices?: Readonly<Record<string, number>>;
  readonly logo?: Uint8Array;
  readonly home?: Address;
  readonly grid?: readonly (readonly number[])[];
  readonly visits?: Readonly<Record<string, readonly Address[]>>;
  readonly updatedAt: string;
  /** Kept by the model: a count. */
  readonly tickets: number;
  /** Counts the versions of the item. */
  readonly v: number;
}

/** The attributes of an `Account` that is created or put. */
export interface NewAccount {
  readonly id: AccountId;
  readonly owner: string;
  /** Default: `0`. */
  readonly balance?: number | undefined;
  readonly country: string;
  readonly city: string;
  readonly street: string;
  /** Default: `free`. */
  readonly plan?: AccountPlan | undefined;
  readonly tags?: ReadonlySet<string> | undefined;
  readonly prices?: Readonly<Record<string, number>> | undefined;
  readonly logo?: Uint8Array | undefined;
  readonly home?: Address | undefined;
  readonly grid?: readonly (readonly number[])[] | undefined;
  readonly visits?: Readonly<Record<string, readonly Address[]>> | undefined;
  /** Default: `now always`. */
  readonly updatedAt?: string | undefined;
}

/**
 * The attributes of an `Account` that is put, and the version that is
 * stored.
 */
export interface PutAccount {
  readonly id: AccountId;
  readonly owner: string;
  /** Default: `0`. */
  readonly balance?: number | undefined;
  readonly country: string;
  readonly city: string;
  readonly street: string;
  /** Default: `free`. */
  readonly plan?: AccountPlan | undefined;
  readonly tags?: ReadonlySet<string> | undefined;
  readonly prices?: Readonly<Record<string, number>> | undefined;
  readonly logo?: Uint8Array | undefined;
  readonly home?: Address | undefined;
  readonly grid?: readonly (readonly number[])[] | undefined;
  readonly visits?: Readonly<Record<string, readonly Address[]>> | undefined;
  /** Default: `now always`. */
  readonly updatedAt?: string | undefined;
  /** The version that the stored item is expected to have. */
  readonly v?: number | undefined;
}

/** The key of an `Account`. */
export interface AccountKey {
  readonly id: AccountId;
  /** The version that the stored item is expected to have. */
  readonly v?: number | undefined;
}

/**
 * Changes of an `Account`: what is not named stays as it is, and `null`
 * removes an optional attribute.
 */
export interface AccountPatch {
  readonly owner?: string | undefined;
  readonly balance?: number | undefined;
  readonly country?: string | undefined;
  readonly city?: string | undefined;
  readonly street?: string | undefined;
  readonly plan?: AccountPlan | undefined;
  readonly tags?: ReadonlySet<string> | null | undefined;
  readonly prices?: Readonly<Record<string, number>> | null | undefined;
  readonly logo?: Uint8Array | null | undefined;
  readonly home?: Address | null | undefined;
  readonly grid?: readonly (readonly number[])[] | null | undefined;
  readonly visits?:
    Readonly<Record<string, readonly Address[]>> | null | undefined;
  readonly updatedAt?: string | undefined;
}

/** What an `Account` gets that is created or put: as given, or made. */
export interface AccountMade {
  readonly updatedAt: string;
}

/** What an update of an `Account` sets. */
export interface AccountTouched {
  readonly updatedAt: string;
}

/**
 * The entity `Ticket` as it is stored, under `"ACCOUNT#{id}"
 * "TICKET#{ticketId}"`.
 */
export interface Ticket {
  readonly kind: "Ticket";
  readonly id: AccountId;
  readonly ticketId: TicketId;
  readonly openedAt: string;
  readonly dueAt?: string;
  readonly severity?: number;
  readonly status: TicketStatus;
  readonly history: readonly Entry[];
  readonly assignee?: string;
}

/** The attributes of a `Ticket` that is created or put. */
export interface NewTicket {
  readonly id: AccountId;
  /** Default: `new`. */
  readonly ticketId?: TicketId | undefined;
  readonly openedAt: string;
  readonly dueAt?: string | undefined;
  readonly severity?: number | undefined;
  /** Default: `open`. */
  readonly status?: TicketStatus | undefined;
  /** Default: `[]`. */
  readonly history?: readonly Entry[] | undefined;
  readonly assignee?: string | undefined;
}

/** The key of a `Ticket`. */
export interface TicketKey {
  readonly id: AccountId;
  readonly ticketId: TicketId;
}

/**
 * Changes of a `Ticket`: what is not named stays as it is, and `null`
 * removes an optional attribute.
 */
export interface TicketPatch {
  readonly openedAt?: string | undefined;
  readonly dueAt?: string | null | undefined;
  readonly severity?: number | null | undefined;
  readonly status?: TicketStatus | undefined;
  readonly history?: readonly Entry[] | undefined;
  readonly assignee?: string | null | undefined;
}

/** What a `Ticket` gets that is created or put: as given, or made. */
export interface TicketMade {
  readonly ticketId: TicketId;
}

/** The copy `Ticket.brief`. */
export interface TicketBrief {
  readonly kind: "Ticket.brief";
  readonly id: AccountId;
  readonly ticketId: TicketId;
  readonly openedAt: string;
  readonly status: TicketStatus;
  readonly assignee?: string;
}

/** The arguments of `account`. */
export type AccountArguments = {
  readonly id: AccountId;
};

/** The arguments of `find_account`. */
export type FindAccountArguments = {
  readonly id: AccountId;
};

/** What `find_account` returns of an `Account`. */
export interface FindAccountItem {
  readonly kind: "Account";
  readonly id: AccountId;
  readonly owner: string;
  readonly balance: number;
}

/** The arguments of `accounts`. */
export type AccountsArguments = {
  readonly id: readonly AccountId[];
};

/** The arguments of `places`. */
export type PlacesArguments =
  | {
      readonly country?: string | undefined;
      readonly city?: undefined;
      readonly street?: undefined;
    }
  | {
      readonly country: string;
      readonly city?: string | undefined;
      readonly street?: undefined;
    }
  | {
      readonly country: string;
      readonly city: string;
      readonly street?: string | undefined;
    };

/** The arguments of `ticket`. */
export type TicketArguments = {
  readonly id: AccountId;
  readonly ticketId: TicketId;
};

/** The arguments of `whole`. */
export type WholeArguments = {
  readonly id: AccountId;
};

/** An item of `whole`; `kind` says which. */
export type WholeItem = Account | Ticket;

/** The whole answer of `whole`. */
export interface WholeAnswer {
  readonly account: Account;
  readonly tickets: readonly Ticket[];
}

/** The kinds of `whole`. */
export const WholeAnswer = {
  account: "Account",
  tickets: ["Ticket"],
} as const;

/** The arguments of `since`. */
export type SinceArguments = {
  readonly id: AccountId;
  /** `openedAt` is at least this. */
  readonly since: string;
};

/** The arguments of `before`. */
export type BeforeArguments = {
  readonly id: AccountId;
  /** `openedAt` is below this. */
  readonly until: string;
};

/** The arguments of `opened`. */
export type OpenedArguments = {
  readonly id: AccountId;
  /** `openedAt` lies in this day. */
  readonly day: string;
};

/** The arguments of `due`. */
export type DueArguments = {
  /** `dueAt` is at most this. Default: the present moment. */
  readonly now?: string | undefined;
};

/** What `due` returns of a `Ticket`. */
export interface DueItem {
  readonly kind: "Ticket";
  readonly id: AccountId;
  readonly ticketId: TicketId;
  readonly openedAt: string;
  readonly dueAt: string;
  readonly severity?: number;
  readonly status: TicketStatus;
  readonly history: readonly Entry[];
  readonly assignee?: string;
}

/** The arguments of `severe`. */
export type SevereArguments = {
  readonly id: AccountId;
  readonly least: number;
};

/** What `severe` returns of a `Ticket`. */
export interface SevereItem {
  readonly kind: "Ticket";
  readonly id: AccountId;
  readonly ticketId: TicketId;
  readonly openedAt: string;
  readonly dueAt?: string;
  readonly severity: number;
  readonly status: TicketStatus;
  readonly history: readonly Entry[];
  readonly assignee?: string;
}

/** The arguments of `briefs`. */
export type BriefsArguments = {
  readonly status: TicketStatus;
};

/** What `briefs` returns of a `Ticket.brief`. */
export interface BriefsItem {
  readonly kind: "Ticket.brief";
  readonly id: AccountId;
  readonly ticketId: TicketId;
  readonly openedAt: string;
  readonly status: TicketStatus;
  readonly assignee: string;
}

/** What `waiting` returns of a `Ticket.brief`. */
export interface WaitingItem {
  readonly kind: "Ticket.brief";
  readonly id: AccountId;
  readonly ticketId: TicketId;
  readonly openedAt: string;
  readonly status: "waiting";
  readonly assignee: string;
}

/** The arguments of `pair`. */
export type PairArguments = {
  readonly from: AccountId;
  readonly to: AccountId;
};

/** The answer of `pair`. */
export interface PairAnswer {
  readonly payer: Account;
  readonly payee?: Account;
}

/** The arguments of `transfer`. */
export type TransferArguments = {
  readonly amount: number;
  readonly "from.id": AccountId;
  readonly "from.updatedAt"?: string | undefined;
  readonly "to.id": AccountId;
  readonly "to.updatedAt"?: string | undefined;
};

/** What `transfer` writes of itself: as given, or made. */
export interface TransferMade {
  readonly "from.updatedAt": string;
  readonly "to.updatedAt": string;
}

/** The arguments of `edit`. */
export type EditArguments = {
  readonly owner?: string | undefined;
  readonly plan?: AccountPlan | undefined;
  readonly id: AccountId;
  readonly updatedAt?: string | undefined;
};

/** What `edit` writes of itself: as given, or made. */
export interface EditMade {
  readonly updatedAt: string;
}

/** The arguments of `open_ticket`. */
export type OpenTicketArguments = {
  readonly id: AccountId;
  readonly ticketId?: TicketId | undefined;
  readonly openedAt: string;
  readonly dueAt?: string | undefined;
  readonly severity?: number | undefined;
  readonly status?: TicketStatus | undefined;
  readonly history?: readonly Entry[] | undefined;
  readonly assignee?: string | undefined;
};

/** What `open_ticket` writes of itself: as given, or made. */
export interface OpenTicketMade {
  readonly ticketId: TicketId;
}

/** The arguments of `log`. */
export type LogArguments = {
  readonly entry: Entry;
  readonly id: AccountId;
  readonly ticketId: TicketId;
};

/** A change that a stream reports; `kind` says of what. */
export type AnswersEvent =
  keyfold.Change<"Account", Account> | keyfold.Change<"Ticket", Ticket>;

/** A change of an entity or of a copy; `kind` says of what. */
export type AnswersEventWithCopies =
  AnswersEvent | keyfold.Change<"Ticket.brief", TicketBrief>;

/**
 * The patterns, named writes and entities of the model `answers`, version
 * 3.
 */
export class AnswersClient {
  /** The client that carries out the plans, for calls by name. */
  readonly client: keyfold.Client;
  /** Writes an `Account` with all that follows from it. */
  readonly Account: keyfold.Writer<
    NewAccount,
    AccountKey,
    AccountPatch,
    PutAccount,
    Account,
    AccountMade,
    AccountTouched
  >;
  /** Writes a `Ticket` with all that follows from it. */
  readonly Ticket: keyfold.Writer<
    NewTicket,
    TicketKey,
    TicketPatch,
    NewTicket,
    Ticket,
    TicketMade
  >;
  /** The named writes as parts of a transaction. */
  readonly part: AnswersParts;

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
    this.Account = new keyfold.Writer(this.client, "Account", made);
    this.Ticket = new keyfold.Writer(this.client, "Ticket", made);
    this.part = new AnswersParts();
  }

  /**
   * `account(id) -> Account`
   *
   * GetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "ACCOUNT"`; 1 request,
   * about 1.5 read units.
   */
  account(
    args: AccountArguments,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<Account> {
    return keyfold.required<Account>(this.client, "account", args, options);
  }

  /**
   * `find_account(id) -> Account? only id, owner, balance`
   *
   * GetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "ACCOUNT"`; 1 request,
   * about 1.5 read units.
   */
  findAccount(
    args: FindAccountArguments,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<FindAccountItem | undefined> {
    return this.client.one<FindAccountItem>("find_account", args, options);
  }

  /**
   * `accounts(id) -> Account[]`
   *
   * BatchGetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "ACCOUNT"`;
   * requests: 1 per 100 ids.
   */
  accounts(args: AccountsArguments): keyfold.Query<Account, keyfold.Strong> {
    return new keyfold.Query(this.client, "accounts", args);
  }

  /**
   * `every_account() -> Account[] page 100`
   *
   * Scan of Main: `every item`, 100 items a page; requests: 1 per MB of the
   * table.
   */
  everyAccount(
    args: keyfold.NoArguments = {},
  ): keyfold.Query<Account, keyfold.Strong> {
    return new keyfold.Query(this.client, "every_account", args);
  }

  /**
   * `places(country?, city?, street?) -> Account[] page 50`
   *
   * Query of Main.GSI1: `GSI1PK = "PLACES" AND begins_with(GSI1SK,
   * "{country}#{city}#{street}#")`, 50 items a page; 1 request a page,
   * about 59.5 read units.
   * Without street: Query of Main.GSI1: `GSI1PK = "PLACES" AND
   * begins_with(GSI1SK, "{country}#{city}#")`, 50 items a page; 1 request a
   * page, about 59.5 read units.
   * Without city, street: Query of Main.GSI1: `GSI1PK = "PLACES" AND
   * begins_with(GSI1SK, "{country}#")`, 50 items a page; 1 request a page,
   * about 59.5 read units.
   * Without country, city, street: Query of Main.GSI1: `GSI1PK = "PLACES"`,
   * 50 items a page; 1 request a page, about 59.5 read units.
   */
  places(args: PlacesArguments = {}): keyfold.Query<Account, keyfold.Ordered> {
    return new keyfold.Query(this.client, "places", args);
  }

  /**
   * `ticket(id, ticketId) -> Ticket?`
   *
   * GetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "TICKET#{ticketId}"`; 1
   * request, about 0.5 read units.
   */
  ticket(
    args: TicketArguments,
    options?: keyfold.CallOptions & keyfold.Strong,
  ): Promise<Ticket | undefined> {
    return this.client.one<Ticket>("ticket", args, options);
  }

  /**
   * `whole(id) -> Account + Ticket[]`
   *
   * Query of Main: `PK = "ACCOUNT#{id}"`; 1 request a page.
   */
  whole(
    args: WholeArguments,
  ): keyfold.Collection<WholeAnswer, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Collection(this.client, "whole", args, WholeAnswer);
  }

  /**
   * `since(id, since) -> Ticket[] newest page 20`
   *
   * Query of Main.GSI1: `GSI1PK = "TICKETS#{id}" AND GSI1SK >= "{since}"`,
   * descending, 20 items a page; 1 request a page, about 2.5 read units.
   */
  since(args: SinceArguments): keyfold.Query<Ticket, keyfold.Ordered> {
    return new keyfold.Query(this.client, "since", args);
  }

  /**
   * `before(id, until) -> Ticket[] oldest page 20`
   *
   * Query of Main.GSI1: `GSI1PK = "TICKETS#{id}" AND GSI1SK <= "{<until}"`,
   * 20 items a page; 1 request a page, about 2.5 read units.
   */
  before(args: BeforeArguments): keyfold.Query<Ticket, keyfold.Ordered> {
    return new keyfold.Query(this.client, "before", args);
  }

  /**
   * `opened(id, day) -> Ticket[]`
   *
   * Query of Main.GSI1: `GSI1PK = "TICKETS#{id}" AND begins_with(GSI1SK,
   * "{day}")`; 1 request a page.
   */
  opened(args: OpenedArguments): keyfold.Query<Ticket, keyfold.Ordered> {
    return new keyfold.Query(this.client, "opened", args);
  }

  /**
   * `due(now) -> Ticket[] page 20`
   *
   * Query of Main.Open: `OPENPK = "OPEN" AND OPENSK <= "{now}…"`, 20 items
   * a page; 1 request a page, about 2.5 read units.
   */
  due(args: DueArguments = {}): keyfold.Query<DueItem, keyfold.Ordered> {
    return new keyfold.Query(this.client, "due", args);
  }

  /**
   * `severe(id, least) -> Ticket[] page 20`
   *
   * Query of Main: `PK = "ACCOUNT#{id}" AND begins_with(SK, "TICKET#")`, 20
   * items a page, filtered by `severity >= least`; 1 request a page, about
   * 2.5 read units.
   */
  severe(
    args: SevereArguments,
  ): keyfold.Query<SevereItem, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Query(this.client, "severe", args);
  }

  /**
   * `briefs(status) -> Ticket.brief[] newest openedAt page 20`
   *
   * Query of Main: `PK = "STATUS#{status}"`, descending, 20 items a page; 1
   * request a page, about 2.5 read units.
   */
  briefs(
    args: BriefsArguments,
  ): keyfold.Query<BriefsItem, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Query(this.client, "briefs", args);
  }

  /**
   * `waiting() -> Ticket.brief[] where status = waiting`
   *
   * Query of Main: `PK = "STATUS#waiting"`; 1 request a page.
   */
  waiting(
    args: keyfold.NoArguments = {},
  ): keyfold.Query<WaitingItem, keyfold.Ordered & keyfold.Strong> {
    return new keyfold.Query(this.client, "waiting", args);
  }

  /**
   * `pair(from, to) -> (Account as payer where id = from, Account? as payee
   * where id = to)`
   *
   * TransactGetItems of Main: `payer: PK = "ACCOUNT#{from}" AND SK =
   * "ACCOUNT"; payee: PK = "ACCOUNT#{to}" AND SK = "ACCOUNT"`; 1 request,
   * about 12 read units, strongly consistent.
   */
  pair(
    args: PairArguments,
    options?: keyfold.CallOptions,
  ): Promise<PairAnswer> {
    return this.client.together<PairAnswer>("pair", args, options);
  }

  /**
   * The write `transfer`:
   * - update Account as from (balance = balance - amount) if balance >=
   * amount
   * - update Account as to (balance = balance + amount)
   * Requests: TransactWriteItems.
   */
  transfer(
    args: TransferArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<TransferMade>> {
    return keyfold.run(this.client, this.part.transfer(args), options);
  }

  /**
   * The write `edit`:
   * - update Account (owner = owner, plan = plan)
   * Requests: UpdateItem.
   */
  edit(
    args: EditArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<EditMade>> {
    return keyfold.run(this.client, this.part.edit(args), options);
  }

  /**
   * The write `open_ticket`:
   * - create Ticket
   * Requests: TransactWriteItems.
   */
  openTicket(
    args: OpenTicketArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<OpenTicketMade>> {
    return keyfold.run(this.client, this.part.openTicket(args), options);
  }

  /**
   * The write `log`:
   * - update Ticket (history = history + entry)
   * Requests: UpdateItem.
   */
  log(
    args: LogArguments,
    options?: keyfold.CallOptions,
  ): Promise<keyfold.Written<keyfold.NothingMade>> {
    return keyfold.run(this.client, this.part.log(args), options);
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
  ): Promise<AnswersEvent | undefined>;
  /** With `copies`, changes of copies, too. */
  event(
    record: keyfold.StreamRecord,
    options?: keyfold.EventOptions,
  ): Promise<AnswersEventWithCopies | undefined>;
  event(
    record: keyfold.StreamRecord,
    options?: keyfold.EventOptions,
  ): Promise<AnswersEventWithCopies | undefined> {
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
export class AnswersParts {
  /** The write `transfer`. */
  transfer(args: TransferArguments): keyfold.NamedPart<TransferMade> {
    return keyfold.part("transfer", args, made);
  }

  /** The write `edit`. */
  edit(args: EditArguments): keyfold.NamedPart<EditMade> {
    return keyfold.part("edit", args, made);
  }

  /** The write `open_ticket`. */
  openTicket(args: OpenTicketArguments): keyfold.NamedPart<OpenTicketMade> {
    return keyfold.part("open_ticket", args, made);
  }

  /** The write `log`. */
  log(args: LogArguments): keyfold.NamedPart<keyfold.NothingMade> {
    return keyfold.part("log", args);
  }
}

const made: keyfold.MadeTable = {
  "create Account": {
    updatedAt: ["Account", "updatedAt", "argument"],
  },
  "update Account": {
    updatedAt: ["Account", "updatedAt", "argument"],
  },
  "create Ticket": {
    ticketId: ["Ticket", "ticketId", "argument"],
  },
  transfer: {
    "from.updatedAt": ["Account", "from.updatedAt", "argument"],
    "to.updatedAt": ["Account", "to.updatedAt", "argument"],
  },
  edit: {
    updatedAt: ["Account", "updatedAt", "argument"],
  },
  open_ticket: {
    ticketId: ["Ticket", "ticketId", "argument"],
  },
};

const plan: keyfold.Plan = JSON.parse(String.raw`
{
"entities": [
  {"aggregates":[{"attribute":"tickets","changes":"tickets:changes","entity":"Ticket","items":"tickets","kind":"count","link":[{"other":"id","own":"id"}]}],"alone":true,"attributes":[{"name":"id","type":"string"},{"name":"owner","type":"string"},{"default":{"value":{"N":"0"}},"name":"balance","type":"int"},{"name":"country","type":"string"},{"name":"city","type":"string"},{"name":"street","type":"string"},{"default":{"value":{"S":"free"}},"name":"plan","type":{"words":["free","paid"]}},{"name":"tags","optional":true,"type":{"set":"string"}},{"name":"prices","optional":true,"type":{"map":"number"}},{"name":"logo","optional":true,"type":"binary"},{"name":"home","optional":true,"type":{"record":"Address"}},{"name":"grid","optional":true,"type":{"list":{"list":"int"}}},{"name":"visits","optional":true,"type":{"map":{"list":{"record":"Address"}}}},{"default":"always","name":"updatedAt","type":"time.ms"},{"default":{"value":{"N":"0"}},"kept":true,"name":"tickets","type":"int"},{"default":{"value":{"N":"1"}},"kept":true,"name":"v","type":"int"}],"followed":["city","country","id","street"],"indexes":[{"index":"GSI1","key":[{"attribute":"GSI1PK","matches":"PLACES","parts":["PLACES"]},{"attribute":"GSI1SK","matches":"[^\u0000#]+#[^\u0000#]+#[^\u0000#]+#[^\u0000]+","parts":[{"field":"country","not":"#","type":"string"},"#",{"field":"city","not":"#","type":"string"},"#",{"field":"street","not":"#","type":"string"},"#",{"field":"id","type":"string"}]}]}],"key":[{"attribute":"PK","matches":"ACCOUNT#[^\u0000]+","parts":["ACCOUNT#",{"field":"id","type":"string"}]},{"attribute":"SK","matches":"ACCOUNT","parts":["ACCOUNT"]}],"name":"Account","table":"Main","version":"v"},
  {"attributes":[{"name":"id","refers":{"attribute":"id","entity":"Account"},"type":"string"},{"default":"new","name":"ticketId","type":"ulid"},{"name":"openedAt","type":"time.us"},{"name":"dueAt","optional":true,"type":"time.ms"},{"name":"severity","optional":true,"type":"int"},{"default":{"value":{"S":"open"}},"name":"status","type":{"words":["open","waiting","closed"]}},{"default":{"value":{"L":[]}},"name":"history","type":{"list":{"record":"Entry"}}},{"name":"assignee","optional":true,"type":"string"}],"copies":[{"attributes":["id","ticketId","openedAt","status","assignee"],"key":[{"attribute":"PK","matches":"STATUS#(?:open|waiting|closed)","parts":["STATUS#",{"field":"status","type":{"words":["open","waiting","closed"]}}]},{"attribute":"SK","matches":"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z#[^\u0000#]+#[0-9A-HJ-KM-NP-TV-Z]{26}","parts":[{"field":"openedAt","type":"time.us"},"#",{"field":"id","not":"#","type":"string"},"#",{"field":"ticketId","type":"ulid"}]}],"name":"brief","when":[{"attribute":"assignee","is":"exists","text":"exists assignee"}]}],"followed":["assignee","dueAt","id","openedAt","status","ticketId"],"indexes":[{"index":"GSI1","key":[{"attribute":"GSI1PK","matches":"TICKETS#[^\u0000]+","parts":["TICKETS#",{"field":"id","type":"string"}]},{"attribute":"GSI1SK","matches":"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z","parts":[{"field":"openedAt","type":"time.us"}]}]},{"index":"Open","key":[{"attribute":"OPENPK","matches":"OPEN","parts":["OPEN"]},{"attribute":"OPENSK","matches":"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z#[0-9A-HJ-KM-NP-TV-Z]{26}","parts":[{"field":"dueAt","type":"time.ms"},"#",{"field":"ticketId","type":"ulid"}]}],"sparse":{"attribute":"dueAt"}}],"key":[{"attribute":"PK","matches":"ACCOUNT#[^\u0000]+","parts":["ACCOUNT#",{"field":"id","type":"string"}]},{"attribute":"SK","matches":"TICKET#[0-9A-HJ-KM-NP-TV-Z]{26}","parts":["TICKET#",{"field":"ticketId","type":"ulid"}]}],"name":"Ticket","table":"Main"}
],
"keyfoldPlan": 1,
"model": {"hash":"067f20403a279264c52197bbb6e0d7b6","name":"answers","version":3},
"patterns": [
  {"name":"account","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["ACCOUNT#",{"field":"id","type":"string"}]}],"request":"GetItem","sort":{"at":["ACCOUNT"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Account","name":"Account"}]},
  {"name":"find_account","only":["id","owner","balance"],"parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"}],"plan":{"only":["id","owner","balance"],"partition":[{"attribute":"PK","parts":["ACCOUNT#",{"field":"id","type":"string"}]}],"request":"GetItem","sort":{"at":["ACCOUNT"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Account","name":"Account","optional":true}]},
  {"name":"accounts","parameters":[{"attribute":"id","limit":"among","name":"id","type":{"list":"string"}}],"plan":{"partition":[{"attribute":"PK","parts":["ACCOUNT#",{"field":"id","type":"string"}]}],"request":"BatchGetItem","sort":{"at":["ACCOUNT"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Account","many":true,"name":"Account"}]},
  {"name":"every_account","plan":{"page":100,"request":"Scan","sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Account","many":true,"name":"Account"}]},
  {"name":"places","parameters":[{"attribute":"country","limit":"equal","name":"country","optional":true,"type":"string"},{"attribute":"city","limit":"equal","name":"city","optional":true,"type":"string"},{"attribute":"street","limit":"equal","name":"street","optional":true,"type":"string"}],"plan":{"index":"GSI1","page":50,"partition":[{"attribute":"GSI1PK","parts":["PLACES"]}],"request":"Query","sort":{"at":[{"field":"country","not":"#","type":"string"},"#",{"field":"city","not":"#","type":"string"},"#",{"field":"street","not":"#","type":"string"},"#"],"attribute":"GSI1SK","is":"beginsWith"},"sortAttributes":["GSI1SK"],"table":"Main"},"returns":[{"entity":"Account","many":true,"name":"Account"}],"variants":[{"plan":{"index":"GSI1","page":50,"partition":[{"attribute":"GSI1PK","parts":["PLACES"]}],"request":"Query","sort":{"at":[{"field":"country","not":"#","type":"string"},"#",{"field":"city","not":"#","type":"string"},"#"],"attribute":"GSI1SK","is":"beginsWith"},"sortAttributes":["GSI1SK"],"table":"Main"},"without":["street"]},{"plan":{"index":"GSI1","page":50,"partition":[{"attribute":"GSI1PK","parts":["PLACES"]}],"request":"Query","sort":{"at":[{"field":"country","not":"#","type":"string"},"#"],"attribute":"GSI1SK","is":"beginsWith"},"sortAttributes":["GSI1SK"],"table":"Main"},"without":["city","street"]},{"plan":{"index":"GSI1","page":50,"partition":[{"attribute":"GSI1PK","parts":["PLACES"]}],"request":"Query","sortAttributes":["GSI1SK"],"table":"Main"},"without":["country","city","street"]}]},
  {"name":"ticket","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"},{"attribute":"ticketId","limit":"equal","name":"ticketId","type":"ulid"}],"plan":{"partition":[{"attribute":"PK","parts":["ACCOUNT#",{"field":"id","type":"string"}]}],"request":"GetItem","sort":{"at":["TICKET#",{"field":"ticketId","type":"ulid"}],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Ticket","name":"Ticket","optional":true}]},
  {"name":"whole","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["ACCOUNT#",{"field":"id","type":"string"}]}],"request":"Query","sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Account","name":"Account"},{"entity":"Ticket","many":true,"name":"Ticket"}]},
  {"name":"since","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"},{"attribute":"openedAt","limit":"atLeast","name":"since","type":"time.us"}],"plan":{"descending":true,"index":"GSI1","orderedBy":"openedAt","page":20,"partition":[{"attribute":"GSI1PK","parts":["TICKETS#",{"field":"id","type":"string"}]}],"request":"Query","sort":{"at":[{"field":"since","type":"time.us"}],"attribute":"GSI1SK","is":"atLeast"},"sortAttributes":["GSI1SK"],"table":"Main"},"returns":[{"entity":"Ticket","many":true,"name":"Ticket"}]},
  {"name":"before","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"},{"attribute":"openedAt","limit":"below","name":"until","type":"time.us"}],"plan":{"index":"GSI1","orderedBy":"openedAt","page":20,"partition":[{"attribute":"GSI1PK","parts":["TICKETS#",{"field":"id","type":"string"}]}],"request":"Query","sort":{"at":[{"field":"until","type":"time.us"}],"attribute":"GSI1SK","is":"atMost"},"sortAttributes":["GSI1SK"],"table":"Main"},"returns":[{"entity":"Ticket","many":true,"name":"Ticket"}]},
  {"name":"opened","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"},{"attribute":"openedAt","limit":{"in":"day"},"name":"day","type":"day"}],"plan":{"index":"GSI1","partition":[{"attribute":"GSI1PK","parts":["TICKETS#",{"field":"id","type":"string"}]}],"request":"Query","sort":{"at":[{"field":"day","type":"day"}],"attribute":"GSI1SK","is":"beginsWith"},"sortAttributes":["GSI1SK"],"table":"Main"},"returns":[{"entity":"Ticket","many":true,"name":"Ticket"}]},
  {"name":"due","parameters":[{"attribute":"dueAt","limit":"atMost","name":"now","now":true,"type":"time.ms"}],"plan":{"index":"Open","page":20,"partition":[{"attribute":"OPENPK","parts":["OPEN"]}],"request":"Query","sort":{"at":[{"field":"now","type":"time.ms"},"\udbff\udfff"],"attribute":"OPENSK","is":"atMost"},"sortAttributes":["OPENSK"],"table":"Main"},"returns":[{"entity":"Ticket","many":true,"name":"Ticket","present":["dueAt"]}]},
  {"name":"severe","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"},{"limit":"free","name":"least","type":"int"}],"plan":{"filters":[{"attribute":"severity","is":">=","operands":[{"parameter":"least"}],"text":"severity >= least"}],"page":20,"partition":[{"attribute":"PK","parts":["ACCOUNT#",{"field":"id","type":"string"}]}],"request":"Query","sort":{"at":["TICKET#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Main"},"returns":[{"entity":"Ticket","many":true,"name":"Ticket","present":["severity"]}]},
  {"name":"briefs","parameters":[{"attribute":"status","limit":"equal","name":"status","type":{"words":["open","waiting","closed"]}}],"plan":{"descending":true,"orderedBy":"openedAt","page":20,"partition":[{"attribute":"PK","parts":["STATUS#",{"field":"status","type":{"words":["open","waiting","closed"]}}]}],"request":"Query","sortAttributes":["SK"],"table":"Main"},"returns":[{"copy":"brief","entity":"Ticket","many":true,"name":"Ticket.brief","present":["assignee"]}]},
  {"fixed":[{"name":"status","value":{"S":"waiting"}}],"name":"waiting","plan":{"partition":[{"attribute":"PK","parts":["STATUS#","waiting"]}],"request":"Query","sortAttributes":["SK"],"table":"Main"},"returns":[{"copy":"brief","entity":"Ticket","many":true,"name":"Ticket.brief","present":["assignee"]}]},
  {"name":"pair","parameters":[{"attribute":"from","limit":"equal","name":"from","type":"string"},{"attribute":"to","limit":"equal","name":"to","type":"string"}],"plan":{"gets":[{"name":"payer","plan":{"partition":[{"attribute":"PK","parts":["ACCOUNT#",{"field":"from","type":"string"}]}],"request":"GetItem","sort":{"at":["ACCOUNT"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Main"}},{"name":"payee","plan":{"partition":[{"attribute":"PK","parts":["ACCOUNT#",{"field":"to","type":"string"}]}],"request":"GetItem","sort":{"at":["ACCOUNT"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Main"}}],"request":"TransactGetItems","strong":true,"table":"Main"},"returns":[{"alias":true,"bound":[{"attribute":"id","parameter":"from"}],"entity":"Account","name":"payer"},{"alias":true,"bound":[{"attribute":"id","parameter":"to"}],"entity":"Account","name":"payee","optional":true}],"together":"snapshot"}
],
"records": [
  {"fields":[{"name":"street","type":"string"},{"name":"zip","optional":true,"type":"string"},{"name":"account","type":"string"}],"name":"Address"},
  {"fields":[{"name":"at","type":"time.ms"},{"name":"by","type":"string"},{"name":"state","type":{"words":["open","waiting","closed"]}}],"name":"Entry"}
],
"tables": [
  {"create":{"AttributeDefinitions":[{"AttributeName":"GSI1PK","AttributeType":"S"},{"AttributeName":"GSI1SK","AttributeType":"S"},{"AttributeName":"OPENPK","AttributeType":"S"},{"AttributeName":"OPENSK","AttributeType":"S"},{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{"IndexName":"GSI1","KeySchema":[{"AttributeName":"GSI1PK","KeyType":"HASH"},{"AttributeName":"GSI1SK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}},{"IndexName":"Open","KeySchema":[{"AttributeName":"OPENPK","KeyType":"HASH"},{"AttributeName":"OPENSK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]},"indexes":[{"name":"GSI1","partition":[{"name":"GSI1PK","type":"S"}],"projection":"all","sort":[{"name":"GSI1SK","type":"S"}]},{"name":"Open","partition":[{"name":"OPENPK","type":"S"}],"projection":"all","sort":[{"name":"OPENSK","type":"S"}]}],"name":"Main","partition":{"name":"PK","type":"S"},"sort":{"name":"SK","type":"S"},"typeAttribute":"entity"}
],
"writes": [
  {"actions":[{"as":"from","entity":"Account","set":[{"attribute":"balance","joint":"minus","left":{"attribute":"balance"},"right":{"parameter":"amount"}},{"attribute":"updatedAt","left":{"parameter":"from.updatedAt"}}],"taken":[{"attribute":"id","from":{"parameter":"from.id"}},{"attribute":"updatedAt","from":{"parameter":"from.updatedAt"}}],"verb":"update","when":[{"attribute":"balance","is":">=","operands":[{"parameter":"amount"}],"text":"balance >= amount"}]},{"as":"to","entity":"Account","set":[{"attribute":"balance","joint":"plus","left":{"attribute":"balance"},"right":{"parameter":"amount"}},{"attribute":"updatedAt","left":{"parameter":"to.updatedAt"}}],"taken":[{"attribute":"id","from":{"parameter":"to.id"}},{"attribute":"updatedAt","from":{"parameter":"to.updatedAt"}}],"verb":"update"}],"name":"transfer","parameters":[{"name":"amount","type":"int"},{"name":"from.id","type":"string"},{"name":"from.updatedAt","now":true,"optional":true,"type":"time.ms"},{"name":"to.id","type":"string"},{"name":"to.updatedAt","now":true,"optional":true,"type":"time.ms"}]},
  {"actions":[{"entity":"Account","set":[{"attribute":"owner","left":{"parameter":"owner"}},{"attribute":"plan","left":{"parameter":"plan"}},{"attribute":"updatedAt","left":{"parameter":"updatedAt"}}],"verb":"update"}],"name":"edit","parameters":[{"name":"owner","optional":true,"type":"string"},{"name":"plan","optional":true,"type":{"words":["free","paid"]}},{"name":"id","type":"string"},{"name":"updatedAt","now":true,"optional":true,"type":"time.ms"}]},
  {"actions":[{"entity":"Ticket","verb":"create"}],"name":"open_ticket","parameters":[{"name":"id","type":"string"},{"name":"ticketId","optional":true,"type":"ulid"},{"name":"openedAt","type":"time.us"},{"name":"dueAt","optional":true,"type":"time.ms"},{"name":"severity","optional":true,"type":"int"},{"name":"status","optional":true,"type":{"words":["open","waiting","closed"]}},{"name":"history","optional":true,"type":{"list":{"record":"Entry"}}},{"name":"assignee","optional":true,"type":"string"}]},
  {"actions":[{"entity":"Ticket","set":[{"attribute":"history","joint":"plus","left":{"attribute":"history"},"right":{"parameter":"entry"}}],"verb":"update"}],"name":"log","parameters":[{"name":"entry","type":{"record":"Entry"}},{"name":"id","type":"string"},{"name":"ticketId","type":"ulid"}]}
]
}
`) as keyfold.Plan;
