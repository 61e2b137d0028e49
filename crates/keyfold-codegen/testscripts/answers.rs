// Made by keyfold (test) of the model answers, version 3.
// The plan document's hash: 067f20403a279264c52197bbb6e0d7b6.
// Changes here are lost: change the model, and run `keyfold generate`.

use keyfold::typed;

/// A value of `Account.id`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub struct AccountId(String);

typed::id! { AccountId: text }

/// A value of `Ticket.ticketId`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub struct TicketId(String);

typed::id! { TicketId: text }

/// The words of `Account.plan`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub enum AccountPlan {
    /// The word `free`.
    Free,
    /// The word `paid`.
    Paid,
}

typed::words! { AccountPlan {
    Free = "free",
    Paid = "paid",
} }

/// The words of `Ticket.status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub enum TicketStatus {
    /// The word `open`.
    Open,
    /// The word `waiting`.
    Waiting,
    /// The word `closed`.
    Closed,
}

typed::words! { TicketStatus {
    Open = "open",
    Waiting = "waiting",
    Closed = "closed",
} }

/// The words of `Entry.state`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub enum EntryState {
    /// The word `open`.
    Open,
    /// The word `waiting`.
    Waiting,
    /// The word `closed`.
    Closed,
}

typed::words! { EntryState {
    Open = "open",
    Waiting = "waiting",
    Closed = "closed",
} }

/// The record `Address`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct Address {
    /// The field `street`.
    pub street: String,
    /// The field `zip`.
    pub zip: Option<String>,
    /// The field `account`.
    pub account: AccountId,
}

typed::record! { Address {
    street: "street",
    zip: "zip",
    account: "account",
} }

/// The record `Entry`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct Entry {
    /// The field `at`.
    pub at: typed::Timestamp,
    /// The field `by`.
    pub by: String,
    /// The field `state`.
    pub state: EntryState,
}

typed::record! { Entry {
    at: "at",
    by: "by",
    state: "state",
} }

/// The entity `Account` as it is stored, under `"ACCOUNT#{id}" "ACCOUNT"`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct Account {
    /// The attribute `id`.
    pub id: AccountId,
    /// The attribute `owner`.
    pub owner: String,
    /// The attribute `balance`.
    pub balance: i64,
    /// The attribute `country`.
    pub country: String,
    /// The attribute `city`.
    pub city: String,
    /// The attribute `street`.
    pub street: String,
    /// The attribute `plan`.
    pub plan: AccountPlan,
    /// The attribute `tags`.
    pub tags: Option<typed::Set<String>>,
    /// The attribute `prices`.
    pub prices: Option<typed::Map<typed::Number>>,
    /// The attribute `logo`.
    pub logo: Option<Vec<u8>>,
    /// The attribute `home`.
    pub home: Option<Address>,
    /// The attribute `grid`.
    pub grid: Option<Vec<Vec<i64>>>,
    /// The attribute `visits`.
    pub visits: Option<typed::Map<Vec<Address>>>,
    /// The attribute `updatedAt`.
    pub updated_at: typed::Timestamp,
    /// The attribute `tickets`. Kept by the model: a count.
    pub tickets: i64,
    /// The attribute `v`. Counts the versions of the item.
    pub v: i64,
}

typed::stored! { Account {
    id: "id",
    owner: "owner",
    balance: "balance",
    country: "country",
    city: "city",
    street: "street",
    plan: "plan",
    tags: "tags",
    prices: "prices",
    logo: "logo",
    home: "home",
    grid: "grid",
    visits: "visits",
    updated_at: "updatedAt",
    tickets: "tickets",
    v: "v",
} }

/// The attributes of an `Account` that is created.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct NewAccount {
    /// The attribute `id`.
    pub id: AccountId,
    /// The attribute `owner`.
    pub owner: String,
    /// The attribute `balance`. Default: `0`.
    pub balance: Option<i64>,
    /// The attribute `country`.
    pub country: String,
    /// The attribute `city`.
    pub city: String,
    /// The attribute `street`.
    pub street: String,
    /// The attribute `plan`. Default: `free`.
    pub plan: Option<AccountPlan>,
    /// The attribute `tags`.
    pub tags: Option<typed::Set<String>>,
    /// The attribute `prices`.
    pub prices: Option<typed::Map<typed::Number>>,
    /// The attribute `logo`.
    pub logo: Option<Vec<u8>>,
    /// The attribute `home`.
    pub home: Option<Address>,
    /// The attribute `grid`.
    pub grid: Option<Vec<Vec<i64>>>,
    /// The attribute `visits`.
    pub visits: Option<typed::Map<Vec<Address>>>,
    /// The attribute `updatedAt`. Default: `now always`.
    pub updated_at: Option<typed::Timestamp>,
}

#[allow(dead_code)]
impl NewAccount {
    /// One with what must be given, and nothing else.
    pub fn new(
        id: AccountId,
        owner: String,
        country: String,
        city: String,
        street: String,
    ) -> NewAccount {
        NewAccount {
            id,
            owner,
            balance: None,
            country,
            city,
            street,
            plan: None,
            tags: None,
            prices: None,
            logo: None,
            home: None,
            grid: None,
            visits: None,
            updated_at: None,
        }
    }
}

typed::fresh! { NewAccount {
    id: "id",
    owner: "owner",
    balance: "balance",
    country: "country",
    city: "city",
    street: "street",
    plan: "plan",
    tags: "tags",
    prices: "prices",
    logo: "logo",
    home: "home",
    grid: "grid",
    visits: "visits",
    updated_at: "updatedAt",
} }

/// The attributes of an `Account` that is put, and the version that is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct PutAccount {
    /// The attribute `id`.
    pub id: AccountId,
    /// The attribute `owner`.
    pub owner: String,
    /// The attribute `balance`. Default: `0`.
    pub balance: Option<i64>,
    /// The attribute `country`.
    pub country: String,
    /// The attribute `city`.
    pub city: String,
    /// The attribute `street`.
    pub street: String,
    /// The attribute `plan`. Default: `free`.
    pub plan: Option<AccountPlan>,
    /// The attribute `tags`.
    pub tags: Option<typed::Set<String>>,
    /// The attribute `prices`.
    pub prices: Option<typed::Map<typed::Number>>,
    /// The attribute `logo`.
    pub logo: Option<Vec<u8>>,
    /// The attribute `home`.
    pub home: Option<Address>,
    /// The attribute `grid`.
    pub grid: Option<Vec<Vec<i64>>>,
    /// The attribute `visits`.
    pub visits: Option<typed::Map<Vec<Address>>>,
    /// The attribute `updatedAt`. Default: `now always`.
    pub updated_at: Option<typed::Timestamp>,
    /// The attribute `v`. The version that the stored item is expected to have.
    pub v: Option<i64>,
}

#[allow(dead_code)]
impl PutAccount {
    /// One with what must be given, and nothing else.
    pub fn new(
        id: AccountId,
        owner: String,
        country: String,
        city: String,
        street: String,
    ) -> PutAccount {
        PutAccount {
            id,
            owner,
            balance: None,
            country,
            city,
            street,
            plan: None,
            tags: None,
            prices: None,
            logo: None,
            home: None,
            grid: None,
            visits: None,
            updated_at: None,
            v: None,
        }
    }
}

typed::given! { PutAccount {
    id: "id",
    owner: "owner",
    balance: "balance",
    country: "country",
    city: "city",
    street: "street",
    plan: "plan",
    tags: "tags",
    prices: "prices",
    logo: "logo",
    home: "home",
    grid: "grid",
    visits: "visits",
    updated_at: "updatedAt",
    v: "v",
} }

/// The key of an `Account`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct AccountKey {
    /// The attribute `id`.
    pub id: AccountId,
    /// The attribute `v`. The version that the stored item is expected to have.
    pub v: Option<i64>,
}

#[allow(dead_code)]
impl AccountKey {
    /// One with what must be given, and nothing else.
    pub fn new(id: AccountId) -> AccountKey {
        AccountKey { id, v: None }
    }
}

typed::given! { AccountKey {
    id: "id",
    v: "v",
} }

/// Changes of an `Account`: what is not named stays as it is, and `Patch::Remove` removes an
/// optional attribute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct AccountPatch {
    /// The attribute `owner`.
    pub owner: Option<String>,
    /// The attribute `balance`.
    pub balance: Option<i64>,
    /// The attribute `country`.
    pub country: Option<String>,
    /// The attribute `city`.
    pub city: Option<String>,
    /// The attribute `street`.
    pub street: Option<String>,
    /// The attribute `plan`.
    pub plan: Option<AccountPlan>,
    /// The attribute `tags`.
    pub tags: typed::Patch<typed::Set<String>>,
    /// The attribute `prices`.
    pub prices: typed::Patch<typed::Map<typed::Number>>,
    /// The attribute `logo`.
    pub logo: typed::Patch<Vec<u8>>,
    /// The attribute `home`.
    pub home: typed::Patch<Address>,
    /// The attribute `grid`.
    pub grid: typed::Patch<Vec<Vec<i64>>>,
    /// The attribute `visits`.
    pub visits: typed::Patch<typed::Map<Vec<Address>>>,
    /// The attribute `updatedAt`.
    pub updated_at: Option<typed::Timestamp>,
}

typed::patch! { AccountPatch {
    owner: "owner",
    balance: "balance",
    country: "country",
    city: "city",
    street: "street",
    plan: "plan",
    tags: "tags",
    prices: "prices",
    logo: "logo",
    home: "home",
    grid: "grid",
    visits: "visits",
    updated_at: "updatedAt",
} }

/// What an `Account` gets that is created or put: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct AccountMade {
    /// The value `updatedAt`.
    pub updated_at: typed::Timestamp,
}

typed::made! { AccountMade {
    updated_at: argument("Account", "updatedAt"),
} }

/// What an update of an `Account` sets.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct AccountTouched {
    /// The value `updatedAt`.
    pub updated_at: typed::Timestamp,
}

typed::made! { AccountTouched {
    updated_at: argument("Account", "updatedAt"),
} }

typed::entity! {
    Account = "Account" of AnswersParts;
    new NewAccount; patch AccountPatch;
    made AccountMade; touched AccountTouched;
    put PutAccount { id, owner, balance, country, city, street, plan, tags, prices, logo, home, grid, visits, updated_at, v, }
    key AccountKey { id, v, }
}

/// The entity `Ticket` as it is stored, under `"ACCOUNT#{id}" "TICKET#{ticketId}"`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct Ticket {
    /// The attribute `id`.
    pub id: AccountId,
    /// The attribute `ticketId`.
    pub ticket_id: TicketId,
    /// The attribute `openedAt`.
    pub opened_at: typed::Timestamp,
    /// The attribute `dueAt`.
    pub due_at: Option<typed::Timestamp>,
    /// The attribute `severity`.
    pub severity: Option<i64>,
    /// The attribute `status`.
    pub status: TicketStatus,
    /// The attribute `history`.
    pub history: Vec<Entry>,
    /// The attribute `assignee`.
    pub assignee: Option<String>,
}

typed::stored! { Ticket {
    id: "id",
    ticket_id: "ticketId",
    opened_at: "openedAt",
    due_at: "dueAt",
    severity: "severity",
    status: "status",
    history: "history",
    assignee: "assignee",
} }

/// The attributes of a `Ticket` that is created or put.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct NewTicket {
    /// The attribute `id`.
    pub id: AccountId,
    /// The attribute `ticketId`. Default: `new`.
    pub ticket_id: Option<TicketId>,
    /// The attribute `openedAt`.
    pub opened_at: typed::Timestamp,
    /// The attribute `dueAt`.
    pub due_at: Option<typed::Timestamp>,
    /// The attribute `severity`.
    pub severity: Option<i64>,
    /// The attribute `status`. Default: `open`.
    pub status: Option<TicketStatus>,
    /// The attribute `history`. Default: `[]`.
    pub history: Option<Vec<Entry>>,
    /// The attribute `assignee`.
    pub assignee: Option<String>,
}

#[allow(dead_code)]
impl NewTicket {
    /// One with what must be given, and nothing else.
    pub fn new(id: AccountId, opened_at: typed::Timestamp) -> NewTicket {
        NewTicket {
            id,
            ticket_id: None,
            opened_at,
            due_at: None,
            severity: None,
            status: None,
            history: None,
            assignee: None,
        }
    }
}

typed::fresh! { NewTicket {
    id: "id",
    ticket_id: "ticketId",
    opened_at: "openedAt",
    due_at: "dueAt",
    severity: "severity",
    status: "status",
    history: "history",
    assignee: "assignee",
} }

/// The key of a `Ticket`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct TicketKey {
    /// The attribute `id`.
    pub id: AccountId,
    /// The attribute `ticketId`.
    pub ticket_id: TicketId,
}

typed::given! { TicketKey {
    id: "id",
    ticket_id: "ticketId",
} }

/// Changes of a `Ticket`: what is not named stays as it is, and `Patch::Remove` removes an
/// optional attribute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct TicketPatch {
    /// The attribute `openedAt`.
    pub opened_at: Option<typed::Timestamp>,
    /// The attribute `dueAt`.
    pub due_at: typed::Patch<typed::Timestamp>,
    /// The attribute `severity`.
    pub severity: typed::Patch<i64>,
    /// The attribute `status`.
    pub status: Option<TicketStatus>,
    /// The attribute `history`.
    pub history: Option<Vec<Entry>>,
    /// The attribute `assignee`.
    pub assignee: typed::Patch<String>,
}

typed::patch! { TicketPatch {
    opened_at: "openedAt",
    due_at: "dueAt",
    severity: "severity",
    status: "status",
    history: "history",
    assignee: "assignee",
} }

/// What a `Ticket` gets that is created or put: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct TicketMade {
    /// The value `ticketId`.
    pub ticket_id: TicketId,
}

typed::made! { TicketMade {
    ticket_id: argument("Ticket", "ticketId"),
} }

typed::entity! {
    Ticket = "Ticket" of AnswersParts;
    new NewTicket; patch TicketPatch;
    made TicketMade; touched ();
    put NewTicket { id, ticket_id, opened_at, due_at, severity, status, history, assignee, }
    key TicketKey { id, ticket_id, }
}

/// The copy `Ticket.brief`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct TicketBrief {
    /// The attribute `id`.
    pub id: AccountId,
    /// The attribute `ticketId`.
    pub ticket_id: TicketId,
    /// The attribute `openedAt`.
    pub opened_at: typed::Timestamp,
    /// The attribute `status`.
    pub status: TicketStatus,
    /// The attribute `assignee`.
    pub assignee: Option<String>,
}

typed::stored! { TicketBrief {
    id: "id",
    ticket_id: "ticketId",
    opened_at: "openedAt",
    status: "status",
    assignee: "assignee",
} }

/// `Account` as `find_account` returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct FindAccountItem {
    /// The attribute `id`.
    pub id: AccountId,
    /// The attribute `owner`.
    pub owner: String,
    /// The attribute `balance`.
    pub balance: i64,
}

typed::stored! { FindAccountItem {
    id: "id",
    owner: "owner",
    balance: "balance",
} }

/// An item of `whole`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::enum_variant_names, clippy::large_enum_variant)]
#[allow(dead_code)]
pub enum WholeItem {
    /// An `Account`.
    Account(Account),
    /// A `Ticket`.
    Ticket(Ticket),
}

typed::union! { WholeItem {
    Account(Account) = "Account",
    Ticket(Ticket) = "Ticket",
} }

/// The whole answer of `whole`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct WholeAnswer {
    /// The item `Account`.
    pub account: Account,
    /// The items `Ticket`.
    pub tickets: Vec<Ticket>,
}

typed::collected! { WholeItem => WholeAnswer {
    account: one Account = "Account",
    tickets: many Ticket = "Ticket",
} }

/// `Ticket` as `due` returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct DueItem {
    /// The attribute `id`.
    pub id: AccountId,
    /// The attribute `ticketId`.
    pub ticket_id: TicketId,
    /// The attribute `openedAt`.
    pub opened_at: typed::Timestamp,
    /// The attribute `dueAt`.
    pub due_at: typed::Timestamp,
    /// The attribute `severity`.
    pub severity: Option<i64>,
    /// The attribute `status`.
    pub status: TicketStatus,
    /// The attribute `history`.
    pub history: Vec<Entry>,
    /// The attribute `assignee`.
    pub assignee: Option<String>,
}

typed::stored! { DueItem {
    id: "id",
    ticket_id: "ticketId",
    opened_at: "openedAt",
    due_at: "dueAt",
    severity: "severity",
    status: "status",
    history: "history",
    assignee: "assignee",
} }

/// `Ticket` as `severe` returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct SevereItem {
    /// The attribute `id`.
    pub id: AccountId,
    /// The attribute `ticketId`.
    pub ticket_id: TicketId,
    /// The attribute `openedAt`.
    pub opened_at: typed::Timestamp,
    /// The attribute `dueAt`.
    pub due_at: Option<typed::Timestamp>,
    /// The attribute `severity`.
    pub severity: i64,
    /// The attribute `status`.
    pub status: TicketStatus,
    /// The attribute `history`.
    pub history: Vec<Entry>,
    /// The attribute `assignee`.
    pub assignee: Option<String>,
}

typed::stored! { SevereItem {
    id: "id",
    ticket_id: "ticketId",
    opened_at: "openedAt",
    due_at: "dueAt",
    severity: "severity",
    status: "status",
    history: "history",
    assignee: "assignee",
} }

/// `Ticket.brief` as `briefs` returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct BriefsItem {
    /// The attribute `id`.
    pub id: AccountId,
    /// The attribute `ticketId`.
    pub ticket_id: TicketId,
    /// The attribute `openedAt`.
    pub opened_at: typed::Timestamp,
    /// The attribute `status`.
    pub status: TicketStatus,
    /// The attribute `assignee`.
    pub assignee: String,
}

typed::stored! { BriefsItem {
    id: "id",
    ticket_id: "ticketId",
    opened_at: "openedAt",
    status: "status",
    assignee: "assignee",
} }

/// `Ticket.brief` as `waiting` returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct WaitingItem {
    /// The attribute `id`.
    pub id: AccountId,
    /// The attribute `ticketId`.
    pub ticket_id: TicketId,
    /// The attribute `openedAt`.
    pub opened_at: typed::Timestamp,
    /// The attribute `status`.
    pub status: TicketStatus,
    /// The attribute `assignee`.
    pub assignee: String,
}

typed::stored! { WaitingItem {
    id: "id",
    ticket_id: "ticketId",
    opened_at: "openedAt",
    status: "status",
    assignee: "assignee",
} }

/// The answer of `pair`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct PairAnswer {
    /// The item `payer`.
    pub payer: Account,
    /// The item `payee`.
    pub payee: Option<Account>,
}

typed::together! { PairAnswer {
    payer: required "payer",
    payee: optional "payee",
} }

/// A change of an entity, from a stream record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::enum_variant_names, clippy::large_enum_variant)]
#[allow(dead_code)]
pub enum AnswersEvent {
    /// A change of an `Account`.
    Account(typed::Change<Account>),
    /// A change of a `Ticket`.
    Ticket(typed::Change<Ticket>),
}

typed::events! { AnswersEvent {
    Account(Account) = "Account",
    Ticket(Ticket) = "Ticket",
} }

/// A change of an entity or of a copy, from a stream record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::enum_variant_names, clippy::large_enum_variant)]
#[allow(dead_code)]
pub enum AnswersEventWithCopies {
    /// A change of an `Account`.
    Account(typed::Change<Account>),
    /// A change of a `Ticket`.
    Ticket(typed::Change<Ticket>),
    /// A change of a copy `Ticket.brief`.
    TicketBrief(typed::Change<TicketBrief>),
}

typed::events! { AnswersEventWithCopies {
    Account(Account) = "Account",
    Ticket(Ticket) = "Ticket",
    TicketBrief(TicketBrief) = "Ticket.brief",
} }

/// The choices of optional parameters of `places`: each has a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub enum PlacesChoice {
    /// None of them.
    #[default]
    All,
    /// With `country`.
    Country {
        /// The parameter `country`.
        country: String,
    },
    /// With `country`, `city`.
    CountryCity {
        /// The parameter `country`.
        country: String,
        /// The parameter `city`.
        city: String,
    },
    /// With `country`, `city`, `street`.
    CountryCityStreet {
        /// The parameter `country`.
        country: String,
        /// The parameter `city`.
        city: String,
        /// The parameter `street`.
        street: String,
    },
}

typed::choice! { PlacesChoice {
    All {}
    Country { country: "country", }
    CountryCity { country: "country", city: "city", }
    CountryCityStreet { country: "country", city: "city", street: "street", }
} }

/// The arguments of `due`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct DueArguments {
    /// The parameter `now`. `dueAt` is at most this. Default: the present moment.
    pub now: Option<typed::Timestamp>,
}

typed::given! { DueArguments {
    now: "now",
} }

/// The arguments of `transfer`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct TransferArguments {
    /// The parameter `amount`.
    pub amount: i64,
    /// The parameter `from.id`.
    pub from_id: AccountId,
    /// The parameter `from.updatedAt`.
    pub from_updated_at: Option<typed::Timestamp>,
    /// The parameter `to.id`.
    pub to_id: AccountId,
    /// The parameter `to.updatedAt`.
    pub to_updated_at: Option<typed::Timestamp>,
}

#[allow(dead_code)]
impl TransferArguments {
    /// One with what must be given, and nothing else.
    pub fn new(amount: i64, from_id: AccountId, to_id: AccountId) -> TransferArguments {
        TransferArguments {
            amount,
            from_id,
            from_updated_at: None,
            to_id,
            to_updated_at: None,
        }
    }
}

typed::given! { TransferArguments {
    amount: "amount",
    from_id: "from.id",
    from_updated_at: "from.updatedAt",
    to_id: "to.id",
    to_updated_at: "to.updatedAt",
} }

/// What `transfer` writes of itself: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct TransferMade {
    /// The value `from.updatedAt`.
    pub from_updated_at: typed::Timestamp,
    /// The value `to.updatedAt`.
    pub to_updated_at: typed::Timestamp,
}

typed::made! { TransferMade {
    from_updated_at: argument("Account", "from.updatedAt"),
    to_updated_at: argument("Account", "to.updatedAt"),
} }

/// The arguments of `edit`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct EditArguments {
    /// The parameter `owner`.
    pub owner: Option<String>,
    /// The parameter `plan`.
    pub plan: Option<AccountPlan>,
    /// The parameter `id`.
    pub id: AccountId,
    /// The parameter `updatedAt`.
    pub updated_at: Option<typed::Timestamp>,
}

#[allow(dead_code)]
impl EditArguments {
    /// One with what must be given, and nothing else.
    pub fn new(id: AccountId) -> EditArguments {
        EditArguments {
            owner: None,
            plan: None,
            id,
            updated_at: None,
        }
    }
}

typed::given! { EditArguments {
    owner: "owner",
    plan: "plan",
    id: "id",
    updated_at: "updatedAt",
} }

/// What `edit` writes of itself: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct EditMade {
    /// The value `updatedAt`.
    pub updated_at: typed::Timestamp,
}

typed::made! { EditMade {
    updated_at: argument("Account", "updatedAt"),
} }

/// The arguments of `open_ticket`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct OpenTicketArguments {
    /// The parameter `id`.
    pub id: AccountId,
    /// The parameter `ticketId`.
    pub ticket_id: Option<TicketId>,
    /// The parameter `openedAt`.
    pub opened_at: typed::Timestamp,
    /// The parameter `dueAt`.
    pub due_at: Option<typed::Timestamp>,
    /// The parameter `severity`.
    pub severity: Option<i64>,
    /// The parameter `status`.
    pub status: Option<TicketStatus>,
    /// The parameter `history`.
    pub history: Option<Vec<Entry>>,
    /// The parameter `assignee`.
    pub assignee: Option<String>,
}

#[allow(dead_code)]
impl OpenTicketArguments {
    /// One with what must be given, and nothing else.
    pub fn new(id: AccountId, opened_at: typed::Timestamp) -> OpenTicketArguments {
        OpenTicketArguments {
            id,
            ticket_id: None,
            opened_at,
            due_at: None,
            severity: None,
            status: None,
            history: None,
            assignee: None,
        }
    }
}

typed::given! { OpenTicketArguments {
    id: "id",
    ticket_id: "ticketId",
    opened_at: "openedAt",
    due_at: "dueAt",
    severity: "severity",
    status: "status",
    history: "history",
    assignee: "assignee",
} }

/// What `open_ticket` writes of itself: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct OpenTicketMade {
    /// The value `ticketId`.
    pub ticket_id: TicketId,
}

typed::made! { OpenTicketMade {
    ticket_id: argument("Ticket", "ticketId"),
} }

/// The named writes of the model `answers` as parts of a transaction: nothing is sent before
/// `transact` takes them.
#[derive(Debug, Clone, Copy)]
#[allow(dead_code)]
pub struct AnswersParts;

#[allow(dead_code)]
impl AnswersParts {
    /// The write `transfer`:
    ///
    /// - update Account as from (balance = balance - amount) if balance \>= amount
    /// - update Account as to (balance = balance + amount)
    ///
    /// Requests: TransactWriteItems.
    pub fn transfer(
        &self,
        arguments: &TransferArguments,
    ) -> typed::Part<AnswersParts, TransferMade> {
        let mut call = typed::Arguments::new();
        call.give_all(arguments);
        call.part("transfer")
    }

    /// The write `edit`:
    ///
    /// - update Account (owner = owner, plan = plan)
    ///
    /// Requests: UpdateItem.
    pub fn edit(&self, arguments: &EditArguments) -> typed::Part<AnswersParts, EditMade> {
        let mut call = typed::Arguments::new();
        call.give_all(arguments);
        call.part("edit")
    }

    /// The write `open_ticket`:
    ///
    /// - create Ticket
    ///
    /// Requests: TransactWriteItems.
    pub fn open_ticket(
        &self,
        arguments: &OpenTicketArguments,
    ) -> typed::Part<AnswersParts, OpenTicketMade> {
        let mut call = typed::Arguments::new();
        call.give_all(arguments);
        call.part("open_ticket")
    }

    /// The write `log`:
    ///
    /// - update Ticket (history = history + entry)
    ///
    /// Requests: UpdateItem.
    pub fn log(
        &self,
        entry: &Entry,
        id: &AccountId,
        ticket_id: &TicketId,
    ) -> typed::Part<AnswersParts> {
        let mut call = typed::Arguments::new();
        call.give("entry", entry);
        call.give("id", id);
        call.give("ticketId", ticket_id);
        call.part("log")
    }
}

/// Makes new entities of the model `answers` for tests: random by a seed, and valid. The same
/// seed makes the same ones.
#[derive(Debug, Clone)]
#[allow(dead_code)]
pub struct AnswersFakes {
    fakes: typed::Fakes,
}

#[allow(dead_code)]
impl AnswersFakes {
    /// An `Account` that does not exist yet.
    pub fn account(&mut self) -> NewAccount {
        self.fakes.make("Account")
    }

    /// A `Ticket` that does not exist yet.
    pub fn ticket(&mut self) -> NewTicket {
        self.fakes.make("Ticket")
    }
}

/// The patterns, named writes and entities of the model `answers`, version 3.
#[derive(Debug, Clone)]
#[allow(dead_code)]
pub struct AnswersClient<S = typed::Eventual> {
    client: typed::Client<S>,
    /// Writes an `Account` with all that follows from it.
    pub account: typed::Writer<Account>,
    /// Writes a `Ticket` with all that follows from it.
    pub ticket: typed::Writer<Ticket>,
}

#[allow(dead_code)]
impl AnswersClient {
    /// Compiles the model on a database, and makes its tables or finds that they are as it
    /// says.
    pub fn new(keyfold: &typed::Keyfold) -> Result<AnswersClient, typed::Error> {
        let client = typed::Client::new(keyfold, &MODEL, HASH)?;
        Ok(AnswersClient::of(client))
    }

    /// The same client, whose reads are strongly consistent, at twice the units. It has no
    /// pattern of a global index.
    pub fn strong(&self) -> AnswersClient<typed::Strong> {
        let client = self.client.strong();
        AnswersClient::of(client)
    }
}

#[allow(dead_code)]
impl<S: typed::Consistency> AnswersClient<S> {
    fn of(client: typed::Client<S>) -> AnswersClient<S> {
        AnswersClient {
            account: client.writer(),
            ticket: client.writer(),
            client,
        }
    }

    /// The same client, each of whose calls takes at most a time.
    pub fn within(&self, time: std::time::Duration) -> AnswersClient<S> {
        let client = self.client.within(time);
        AnswersClient::of(client)
    }

    /// The same client, whose cursors end with a seal of the secret: one that was changed is
    /// refused.
    pub fn with_cursor_secret(&self, secret: &[u8]) -> AnswersClient<S> {
        let client = self.client.with_cursor_secret(secret);
        AnswersClient::of(client)
    }

    /// The same client, whose reads and events treat an item that the model does not know so:
    /// it is an error, or it is left out.
    pub fn on_unknown(&self, on_unknown: typed::OnUnknown) -> AnswersClient<S> {
        let client = self.client.on_unknown(on_unknown);
        AnswersClient::of(client)
    }

    /// Makes new entities for tests: the same seed makes the same ones.
    pub fn fakes(&self, seed: u64) -> AnswersFakes {
        let fakes = self.client.fakes(seed);
        AnswersFakes { fakes }
    }

    /// The named writes as parts of a transaction. Those of an entity are parts by its
    /// `part`.
    pub fn part(&self) -> AnswersParts {
        AnswersParts
    }

    /// Carries several writes out in one transaction, as if one happened after the other: all
    /// of them or none. A tuple of parts has a tuple of their effects, a list of parts of one
    /// type a list.
    pub fn transact<P: typed::Parted<AnswersParts>>(
        &self,
        parts: P,
    ) -> Result<typed::Transacted<P::Done>, typed::Error> {
        self.client.transact(parts)
    }

    /// Makes several writes the effects of stream records: they happen in one transaction
    /// with the position of the consumer. The parts are those of `transact`.
    pub fn effects<P: typed::Parted<AnswersParts>>(&self, parts: P) -> keyfold::stream::Effects {
        self.client.effects(parts)
    }

    /// Reads stream records as changes of entities.
    pub fn events(&self) -> typed::Events<'_, AnswersEvent> {
        self.client.events()
    }

    /// Reads stream records as changes of entities and of copies.
    pub fn events_with_copies(&self) -> typed::Events<'_, AnswersEventWithCopies> {
        self.client.events_with_copies()
    }

    /// The model on its tables, for calls by name.
    pub fn database(&self) -> &keyfold::Database {
        self.client.database()
    }

    /// `account(id) -> Account`
    ///
    /// GetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "ACCOUNT"`; 1 request, about 1.5 read
    /// units.
    pub fn account(&self, id: &AccountId) -> Result<Account, typed::Error> {
        let mut call = typed::Call::new(&self.client, "account");
        call.give("id", id);
        call.required()
    }

    /// `find_account(id) -> Account? only id, owner, balance`
    ///
    /// GetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "ACCOUNT"`; 1 request, about 1.5 read
    /// units.
    pub fn find_account(&self, id: &AccountId) -> Result<Option<FindAccountItem>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "find_account");
        call.give("id", id);
        call.one()
    }

    /// `accounts(id) -> Account[]`
    ///
    /// BatchGetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "ACCOUNT"`; requests: 1 per 100
    /// ids.
    pub fn accounts(&self, id: &[AccountId]) -> typed::Query<'_, Account> {
        let mut call = typed::Call::new(&self.client, "accounts");
        call.give("id", id);
        call.query()
    }

    /// `every_account() -> Account[] page 100`
    ///
    /// Scan of Main: `every item`, 100 items a page; requests: 1 per MB of the table.
    pub fn every_account(&self) -> typed::Query<'_, Account> {
        let call = typed::Call::new(&self.client, "every_account");
        call.query()
    }

    /// `ticket(id, ticketId) -> Ticket?`
    ///
    /// GetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "TICKET#{ticketId}"`; 1 request, about 0.5
    /// read units.
    pub fn ticket(
        &self,
        id: &AccountId,
        ticket_id: &TicketId,
    ) -> Result<Option<Ticket>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "ticket");
        call.give("id", id);
        call.give("ticketId", ticket_id);
        call.one()
    }

    /// `whole(id) -> Account + Ticket[]`
    ///
    /// Query of Main: `PK = "ACCOUNT#{id}"`; 1 request a page.
    pub fn whole(&self, id: &AccountId) -> typed::Query<'_, WholeItem, typed::Ordered> {
        let mut call = typed::Call::new(&self.client, "whole");
        call.give("id", id);
        call.query()
    }

    /// `severe(id, least) -> Ticket[] page 20`
    ///
    /// Query of Main: `PK = "ACCOUNT#{id}" AND begins_with(SK, "TICKET#")`, 20 items a page,
    /// filtered by `severity >= least`; 1 request a page, about 2.5 read units.
    pub fn severe(
        &self,
        id: &AccountId,
        least: i64,
    ) -> typed::Query<'_, SevereItem, typed::Ordered> {
        let mut call = typed::Call::new(&self.client, "severe");
        call.give("id", id);
        call.give("least", &least);
        call.query()
    }

    /// `briefs(status) -> Ticket.brief[] newest openedAt page 20`
    ///
    /// Query of Main: `PK = "STATUS#{status}"`, descending, 20 items a page; 1 request a
    /// page, about 2.5 read units.
    pub fn briefs(&self, status: TicketStatus) -> typed::Query<'_, BriefsItem, typed::Ordered> {
        let mut call = typed::Call::new(&self.client, "briefs");
        call.give("status", &status);
        call.query()
    }

    /// `waiting() -> Ticket.brief[] where status = waiting`
    ///
    /// Query of Main: `PK = "STATUS#waiting"`; 1 request a page.
    pub fn waiting(&self) -> typed::Query<'_, WaitingItem, typed::Ordered> {
        let call = typed::Call::new(&self.client, "waiting");
        call.query()
    }

    /// `pair(from, to) -> (Account as payer where id = from, Account? as payee where id =
    /// to)`
    ///
    /// TransactGetItems of Main: `payer: PK = "ACCOUNT#{from}" AND SK = "ACCOUNT"; payee: PK =
    /// "ACCOUNT#{to}" AND SK = "ACCOUNT"`; 1 request, about 12 read units, strongly
    /// consistent.
    pub fn pair(&self, from: &AccountId, to: &AccountId) -> Result<PairAnswer, typed::Error> {
        let mut call = typed::Call::new(&self.client, "pair");
        call.give("from", from);
        call.give("to", to);
        call.together()
    }

    /// The write `transfer`:
    ///
    /// - update Account as from (balance = balance - amount) if balance \>= amount
    /// - update Account as to (balance = balance + amount)
    ///
    /// Requests: TransactWriteItems.
    pub fn transfer(
        &self,
        arguments: &TransferArguments,
    ) -> Result<typed::Written<TransferMade>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "transfer");
        call.give_all(arguments);
        call.send()
    }

    /// The write `edit`:
    ///
    /// - update Account (owner = owner, plan = plan)
    ///
    /// Requests: UpdateItem.
    pub fn edit(
        &self,
        arguments: &EditArguments,
    ) -> Result<typed::Written<EditMade>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "edit");
        call.give_all(arguments);
        call.send()
    }

    /// The write `open_ticket`:
    ///
    /// - create Ticket
    ///
    /// Requests: TransactWriteItems.
    pub fn open_ticket(
        &self,
        arguments: &OpenTicketArguments,
    ) -> Result<typed::Written<OpenTicketMade>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "open_ticket");
        call.give_all(arguments);
        call.send()
    }

    /// The write `log`:
    ///
    /// - update Ticket (history = history + entry)
    ///
    /// Requests: UpdateItem.
    pub fn log(
        &self,
        entry: &Entry,
        id: &AccountId,
        ticket_id: &TicketId,
    ) -> Result<typed::Written<()>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "log");
        call.give("entry", entry);
        call.give("id", id);
        call.give("ticketId", ticket_id);
        call.send()
    }
}

/// The patterns of global indexes, which have no strong consistency.
#[allow(dead_code)]
impl AnswersClient {
    /// `places(country?, city?, street?) -> Account[] page 50`
    ///
    /// Query of Main.GSI1: `GSI1PK = "PLACES" AND begins_with(GSI1SK,
    /// "{country}#{city}#{street}#")`, 50 items a page; 1 request a page, about 59.5 read
    /// units.
    /// Without street: Query of Main.GSI1: `GSI1PK = "PLACES" AND begins_with(GSI1SK,
    /// "{country}#{city}#")`, 50 items a page; 1 request a page, about 59.5 read units.
    /// Without city, street: Query of Main.GSI1: `GSI1PK = "PLACES" AND begins_with(GSI1SK,
    /// "{country}#")`, 50 items a page; 1 request a page, about 59.5 read units.
    /// Without country, city, street: Query of Main.GSI1: `GSI1PK = "PLACES"`, 50 items a
    /// page; 1 request a page, about 59.5 read units.
    pub fn places(
        &self,
        choice: &PlacesChoice,
    ) -> typed::Query<'_, Account, typed::Ordered, typed::OfIndex> {
        let mut call = typed::Call::new(&self.client, "places");
        call.give_all(choice);
        call.query()
    }

    /// `since(id, since) -> Ticket[] newest page 20`
    ///
    /// Query of Main.GSI1: `GSI1PK = "TICKETS#{id}" AND GSI1SK >= "{since}"`, descending, 20
    /// items a page; 1 request a page, about 2.5 read units.
    ///
    /// - `since`: `openedAt` is at least this.
    pub fn since(
        &self,
        id: &AccountId,
        since: typed::Timestamp,
    ) -> typed::Query<'_, Ticket, typed::Ordered, typed::OfIndex> {
        let mut call = typed::Call::new(&self.client, "since");
        call.give("id", id);
        call.give("since", &since);
        call.query()
    }

    /// `before(id, until) -> Ticket[] oldest page 20`
    ///
    /// Query of Main.GSI1: `GSI1PK = "TICKETS#{id}" AND GSI1SK <= "{<until}"`, 20 items a
    /// page; 1 request a page, about 2.5 read units.
    ///
    /// - `until`: `openedAt` is below this.
    pub fn before(
        &self,
        id: &AccountId,
        until: typed::Timestamp,
    ) -> typed::Query<'_, Ticket, typed::Ordered, typed::OfIndex> {
        let mut call = typed::Call::new(&self.client, "before");
        call.give("id", id);
        call.give("until", &until);
        call.query()
    }

    /// `opened(id, day) -> Ticket[]`
    ///
    /// Query of Main.GSI1: `GSI1PK = "TICKETS#{id}" AND begins_with(GSI1SK, "{day}")`; 1
    /// request a page.
    ///
    /// - `day`: `openedAt` lies in this day.
    pub fn opened(
        &self,
        id: &AccountId,
        day: &str,
    ) -> typed::Query<'_, Ticket, typed::Ordered, typed::OfIndex> {
        let mut call = typed::Call::new(&self.client, "opened");
        call.give("id", id);
        call.give("day", day);
        call.query()
    }

    /// `due(now) -> Ticket[] page 20`
    ///
    /// Query of Main.Open: `OPENPK = "OPEN" AND OPENSK <= "{now}…"`, 20 items a page; 1
    /// request a page, about 2.5 read units.
    pub fn due(
        &self,
        arguments: &DueArguments,
    ) -> typed::Query<'_, DueItem, typed::Ordered, typed::OfIndex> {
        let mut call = typed::Call::new(&self.client, "due");
        call.give_all(arguments);
        call.query()
    }
}

/// The patterns, named writes and entities of the model `answers`, version 3, awaited.
#[derive(Debug, Clone)]
#[allow(dead_code)]
pub struct AsyncAnswersClient<S = typed::Eventual> {
    client: typed::nonblocking::Client<S>,
    /// Writes an `Account` with all that follows from it.
    pub account: typed::nonblocking::Writer<Account>,
    /// Writes a `Ticket` with all that follows from it.
    pub ticket: typed::nonblocking::Writer<Ticket>,
}

#[allow(dead_code)]
impl AsyncAnswersClient {
    /// Compiles the model on a database, and makes its tables or finds that they are as it
    /// says.
    pub async fn new(keyfold: &typed::AsyncKeyfold) -> Result<AsyncAnswersClient, typed::Error> {
        let client = typed::nonblocking::Client::new(keyfold, &MODEL, HASH).await?;
        Ok(AsyncAnswersClient::of(client))
    }

    /// The same client, whose reads are strongly consistent, at twice the units. It has no
    /// pattern of a global index.
    pub fn strong(&self) -> AsyncAnswersClient<typed::Strong> {
        let client = self.client.strong();
        AsyncAnswersClient::of(client)
    }
}

#[allow(dead_code)]
impl<S: typed::Consistency> AsyncAnswersClient<S> {
    fn of(client: typed::nonblocking::Client<S>) -> AsyncAnswersClient<S> {
        AsyncAnswersClient {
            account: client.writer(),
            ticket: client.writer(),
            client,
        }
    }

    /// The same client, each of whose calls takes at most a time.
    pub fn within(&self, time: std::time::Duration) -> AsyncAnswersClient<S> {
        let client = self.client.within(time);
        AsyncAnswersClient::of(client)
    }

    /// The same client, whose cursors end with a seal of the secret: one that was changed is
    /// refused.
    pub fn with_cursor_secret(&self, secret: &[u8]) -> AsyncAnswersClient<S> {
        let client = self.client.with_cursor_secret(secret);
        AsyncAnswersClient::of(client)
    }

    /// The same client, whose reads and events treat an item that the model does not know so:
    /// it is an error, or it is left out.
    pub fn on_unknown(&self, on_unknown: typed::OnUnknown) -> AsyncAnswersClient<S> {
        let client = self.client.on_unknown(on_unknown);
        AsyncAnswersClient::of(client)
    }

    /// Makes new entities for tests: the same seed makes the same ones.
    pub fn fakes(&self, seed: u64) -> AnswersFakes {
        let fakes = self.client.fakes(seed);
        AnswersFakes { fakes }
    }

    /// The named writes as parts of a transaction. Those of an entity are parts by its
    /// `part`.
    pub fn part(&self) -> AnswersParts {
        AnswersParts
    }

    /// Carries several writes out in one transaction, as if one happened after the other: all
    /// of them or none. A tuple of parts has a tuple of their effects, a list of parts of one
    /// type a list.
    pub async fn transact<P: typed::Parted<AnswersParts>>(
        &self,
        parts: P,
    ) -> Result<typed::Transacted<P::Done>, typed::Error> {
        self.client.transact(parts).await
    }

    /// Makes several writes the effects of stream records: they happen in one transaction
    /// with the position of the consumer. The parts are those of `transact`.
    pub fn effects<P: typed::Parted<AnswersParts>>(&self, parts: P) -> keyfold::stream::Effects {
        self.client.effects(parts)
    }

    /// Reads stream records as changes of entities.
    pub fn events(&self) -> typed::Events<'_, AnswersEvent> {
        self.client.events()
    }

    /// Reads stream records as changes of entities and of copies.
    pub fn events_with_copies(&self) -> typed::Events<'_, AnswersEventWithCopies> {
        self.client.events_with_copies()
    }

    /// The model on its tables, for calls by name.
    pub fn database(&self) -> &keyfold::nonblocking::Database {
        self.client.database()
    }

    /// `account(id) -> Account`
    ///
    /// GetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "ACCOUNT"`; 1 request, about 1.5 read
    /// units.
    pub async fn account(&self, id: &AccountId) -> Result<Account, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "account");
        call.give("id", id);
        call.required().await
    }

    /// `find_account(id) -> Account? only id, owner, balance`
    ///
    /// GetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "ACCOUNT"`; 1 request, about 1.5 read
    /// units.
    pub async fn find_account(
        &self,
        id: &AccountId,
    ) -> Result<Option<FindAccountItem>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "find_account");
        call.give("id", id);
        call.one().await
    }

    /// `accounts(id) -> Account[]`
    ///
    /// BatchGetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "ACCOUNT"`; requests: 1 per 100
    /// ids.
    pub fn accounts(&self, id: &[AccountId]) -> typed::nonblocking::Query<Account> {
        let mut call = typed::nonblocking::Call::new(&self.client, "accounts");
        call.give("id", id);
        call.query()
    }

    /// `every_account() -> Account[] page 100`
    ///
    /// Scan of Main: `every item`, 100 items a page; requests: 1 per MB of the table.
    pub fn every_account(&self) -> typed::nonblocking::Query<Account> {
        let call = typed::nonblocking::Call::new(&self.client, "every_account");
        call.query()
    }

    /// `ticket(id, ticketId) -> Ticket?`
    ///
    /// GetItem of Main: `PK = "ACCOUNT#{id}" AND SK = "TICKET#{ticketId}"`; 1 request, about 0.5
    /// read units.
    pub async fn ticket(
        &self,
        id: &AccountId,
        ticket_id: &TicketId,
    ) -> Result<Option<Ticket>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "ticket");
        call.give("id", id);
        call.give("ticketId", ticket_id);
        call.one().await
    }

    /// `whole(id) -> Account + Ticket[]`
    ///
    /// Query of Main: `PK = "ACCOUNT#{id}"`; 1 request a page.
    pub fn whole(&self, id: &AccountId) -> typed::nonblocking::Query<WholeItem, typed::Ordered> {
        let mut call = typed::nonblocking::Call::new(&self.client, "whole");
        call.give("id", id);
        call.query()
    }

    /// `severe(id, least) -> Ticket[] page 20`
    ///
    /// Query of Main: `PK = "ACCOUNT#{id}" AND begins_with(SK, "TICKET#")`, 20 items a page,
    /// filtered by `severity >= least`; 1 request a page, about 2.5 read units.
    pub fn severe(
        &self,
        id: &AccountId,
        least: i64,
    ) -> typed::nonblocking::Query<SevereItem, typed::Ordered> {
        let mut call = typed::nonblocking::Call::new(&self.client, "severe");
        call.give("id", id);
        call.give("least", &least);
        call.query()
    }

    /// `briefs(status) -> Ticket.brief[] newest openedAt page 20`
    ///
    /// Query of Main: `PK = "STATUS#{status}"`, descending, 20 items a page; 1 request a
    /// page, about 2.5 read units.
    pub fn briefs(
        &self,
        status: TicketStatus,
    ) -> typed::nonblocking::Query<BriefsItem, typed::Ordered> {
        let mut call = typed::nonblocking::Call::new(&self.client, "briefs");
        call.give("status", &status);
        call.query()
    }

    /// `waiting() -> Ticket.brief[] where status = waiting`
    ///
    /// Query of Main: `PK = "STATUS#waiting"`; 1 request a page.
    pub fn waiting(&self) -> typed::nonblocking::Query<WaitingItem, typed::Ordered> {
        let call = typed::nonblocking::Call::new(&self.client, "waiting");
        call.query()
    }

    /// `pair(from, to) -> (Account as payer where id = from, Account? as payee where id =
    /// to)`
    ///
    /// TransactGetItems of Main: `payer: PK = "ACCOUNT#{from}" AND SK = "ACCOUNT"; payee: PK =
    /// "ACCOUNT#{to}" AND SK = "ACCOUNT"`; 1 request, about 12 read units, strongly
    /// consistent.
    pub async fn pair(&self, from: &AccountId, to: &AccountId) -> Result<PairAnswer, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "pair");
        call.give("from", from);
        call.give("to", to);
        call.together().await
    }

    /// The write `transfer`:
    ///
    /// - update Account as from (balance = balance - amount) if balance \>= amount
    /// - update Account as to (balance = balance + amount)
    ///
    /// Requests: TransactWriteItems.
    pub async fn transfer(
        &self,
        arguments: &TransferArguments,
    ) -> Result<typed::Written<TransferMade>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "transfer");
        call.give_all(arguments);
        call.send().await
    }

    /// The write `edit`:
    ///
    /// - update Account (owner = owner, plan = plan)
    ///
    /// Requests: UpdateItem.
    pub async fn edit(
        &self,
        arguments: &EditArguments,
    ) -> Result<typed::Written<EditMade>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "edit");
        call.give_all(arguments);
        call.send().await
    }

    /// The write `open_ticket`:
    ///
    /// - create Ticket
    ///
    /// Requests: TransactWriteItems.
    pub async fn open_ticket(
        &self,
        arguments: &OpenTicketArguments,
    ) -> Result<typed::Written<OpenTicketMade>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "open_ticket");
        call.give_all(arguments);
        call.send().await
    }

    /// The write `log`:
    ///
    /// - update Ticket (history = history + entry)
    ///
    /// Requests: UpdateItem.
    pub async fn log(
        &self,
        entry: &Entry,
        id: &AccountId,
        ticket_id: &TicketId,
    ) -> Result<typed::Written<()>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "log");
        call.give("entry", entry);
        call.give("id", id);
        call.give("ticketId", ticket_id);
        call.send().await
    }
}

/// The patterns of global indexes, which have no strong consistency.
#[allow(dead_code)]
impl AsyncAnswersClient {
    /// `places(country?, city?, street?) -> Account[] page 50`
    ///
    /// Query of Main.GSI1: `GSI1PK = "PLACES" AND begins_with(GSI1SK,
    /// "{country}#{city}#{street}#")`, 50 items a page; 1 request a page, about 59.5 read
    /// units.
    /// Without street: Query of Main.GSI1: `GSI1PK = "PLACES" AND begins_with(GSI1SK,
    /// "{country}#{city}#")`, 50 items a page; 1 request a page, about 59.5 read units.
    /// Without city, street: Query of Main.GSI1: `GSI1PK = "PLACES" AND begins_with(GSI1SK,
    /// "{country}#")`, 50 items a page; 1 request a page, about 59.5 read units.
    /// Without country, city, street: Query of Main.GSI1: `GSI1PK = "PLACES"`, 50 items a
    /// page; 1 request a page, about 59.5 read units.
    pub fn places(
        &self,
        choice: &PlacesChoice,
    ) -> typed::nonblocking::Query<Account, typed::Ordered, typed::OfIndex> {
        let mut call = typed::nonblocking::Call::new(&self.client, "places");
        call.give_all(choice);
        call.query()
    }

    /// `since(id, since) -> Ticket[] newest page 20`
    ///
    /// Query of Main.GSI1: `GSI1PK = "TICKETS#{id}" AND GSI1SK >= "{since}"`, descending, 20
    /// items a page; 1 request a page, about 2.5 read units.
    ///
    /// - `since`: `openedAt` is at least this.
    pub fn since(
        &self,
        id: &AccountId,
        since: typed::Timestamp,
    ) -> typed::nonblocking::Query<Ticket, typed::Ordered, typed::OfIndex> {
        let mut call = typed::nonblocking::Call::new(&self.client, "since");
        call.give("id", id);
        call.give("since", &since);
        call.query()
    }

    /// `before(id, until) -> Ticket[] oldest page 20`
    ///
    /// Query of Main.GSI1: `GSI1PK = "TICKETS#{id}" AND GSI1SK <= "{<until}"`, 20 items a
    /// page; 1 request a page, about 2.5 read units.
    ///
    /// - `until`: `openedAt` is below this.
    pub fn before(
        &self,
        id: &AccountId,
        until: typed::Timestamp,
    ) -> typed::nonblocking::Query<Ticket, typed::Ordered, typed::OfIndex> {
        let mut call = typed::nonblocking::Call::new(&self.client, "before");
        call.give("id", id);
        call.give("until", &until);
        call.query()
    }

    /// `opened(id, day) -> Ticket[]`
    ///
    /// Query of Main.GSI1: `GSI1PK = "TICKETS#{id}" AND begins_with(GSI1SK, "{day}")`; 1
    /// request a page.
    ///
    /// - `day`: `openedAt` lies in this day.
    pub fn opened(
        &self,
        id: &AccountId,
        day: &str,
    ) -> typed::nonblocking::Query<Ticket, typed::Ordered, typed::OfIndex> {
        let mut call = typed::nonblocking::Call::new(&self.client, "opened");
        call.give("id", id);
        call.give("day", day);
        call.query()
    }

    /// `due(now) -> Ticket[] page 20`
    ///
    /// Query of Main.Open: `OPENPK = "OPEN" AND OPENSK <= "{now}…"`, 20 items a page; 1
    /// request a page, about 2.5 read units.
    pub fn due(
        &self,
        arguments: &DueArguments,
    ) -> typed::nonblocking::Query<DueItem, typed::Ordered, typed::OfIndex> {
        let mut call = typed::nonblocking::Call::new(&self.client, "due");
        call.give_all(arguments);
        call.query()
    }
}

/// The hash of the plan document.
const HASH: &str = "067f20403a279264c52197bbb6e0d7b6";

/// The files of the model, by name.
const MODEL: [(&str, &str); 1] = [MODEL_FILE_0];

/// The file "answers.keyfold".
const MODEL_FILE_0: (&str, &str) = (
    "answers.keyfold",
    r#"model answers 3
table Main (PK, SK) type entity
  gsi GSI1 (GSI1PK, GSI1SK)
  gsi Open (OPENPK, OPENSK)

entity Account
  id: string, owner: string, balance: int = 0, country: string, city: string, street: string
  plan: free | paid = free, tags: set of string?, prices: map of number?, logo: binary?, home: Address?
  grid: list of list of int?, visits: map of list of Address?
  updatedAt: time = now always
  key      "ACCOUNT#{id}"  "ACCOUNT"
  GSI1     "PLACES"        "{country}#{city}#{street}#{id}"
  version  v
  count    tickets of Ticket

record Address
  street: string, zip: string?, account: Account.id

entity Ticket
  id: Account.id, ticketId: ulid = new, openedAt: time(us), dueAt: time?, severity: int?
  status: open | waiting | closed = open, history: list of Entry = "[]", assignee: string?
  key         "ACCOUNT#{id}"     "TICKET#{ticketId}"
  GSI1        "TICKETS#{id}"     "{openedAt}"
  Open        "OPEN"             "{dueAt}#{ticketId}"          sparse when dueAt
  copy brief  "STATUS#{status}"  "{openedAt}#{id}#{ticketId}"  only id, ticketId, openedAt, status, assignee when exists assignee

record Entry
  at: time, by: string, state: open | waiting | closed

pattern account(id)                       -> Account
pattern find_account(id)                  -> Account?  only id, owner, balance
pattern accounts(id[])                    -> Account[]
pattern every_account()                   -> Account[]  scan page 100
pattern places(country?, city?, street?)  -> Account[]  page 50
pattern ticket(id, ticketId)              -> Ticket?
pattern whole(id)                         -> Account + Ticket[]
pattern since(id, openedAt >= since)      -> Ticket[]  newest page 20
pattern before(id, openedAt < until)      -> Ticket[]  oldest page 20
pattern opened(id, day of openedAt)       -> Ticket[]
pattern due(dueAt <= now)                 -> Ticket[]  page 20
pattern severe(id, least: int)            -> Ticket[]  filter severity >= least page 20
pattern briefs(status)                    -> Ticket.brief[]  newest openedAt page 20
pattern waiting()                         -> Ticket.brief[]  where status = waiting
pattern pair(from, to)                    -> (Account as payer where id = from, Account? as payee where id = to)

write transfer(amount: int)
  update Account as from set balance = balance - amount when balance >= amount
  update Account as to set balance = balance + amount

write edit(owner?, plan?)
  update Account set owner = owner, plan = plan

write open_ticket()
  create Ticket

write log(entry: Entry)
  update Ticket set history = history + entry
"#,
);
