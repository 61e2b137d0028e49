// Made by keyfold (test) of the model names, version 1.
// The plan document's hash: 06a5877e505c4742944929542d1b841b.
// Changes here are lost: change the model, and run `keyfold generate`.

use keyfold::typed;

/// A value of `class.id`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub struct ClassId(String);

typed::id! { ClassId: text }

/// A value of `Promise.id`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub struct PromiseId(String);

typed::id! { PromiseId: text }

/// A value of `order_item.itemId`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub struct ItemId(String);

typed::id! { ItemId: text }

/// The words of `class.state`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub enum ClassState {
    /// The word `in-progress`.
    InProgress,
    /// The word `done`.
    Done,
    /// The word `it's`.
    ItS,
}

typed::words! { ClassState {
    InProgress = "in-progress",
    Done = "done",
    ItS = "it's",
} }

/// The words of `Promise.note`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub enum PromiseNote {
    /// The word `*/`.
    Symbol,
    /// The word `other`.
    Other,
}

typed::words! { PromiseNote {
    Symbol = "*/",
    Other = "other",
} }

/// The record `new`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct New {
    /// The field `a-b`.
    pub a_b: String,
    /// The field `of`.
    pub of: ClassId,
    /// The field `next`.
    pub next: Option<Vec<String>>,
}

typed::record! { New {
    a_b: "a-b",
    of: "of",
    next: "next",
} }

/// The entity `class` as it is stored, under `"CLASS#{id}" "C"`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct Class {
    /// The attribute `id`.
    pub id: ClassId,
    /// The attribute `user id`.
    pub user_id: String,
    /// The attribute `in-progress`.
    pub in_progress: bool,
    /// The attribute ``tick ${x}``.
    pub tick_x: Option<String>,
    /// The attribute `state`.
    pub state: ClassState,
}

typed::stored! { Class {
    id: "id",
    user_id: "user id",
    in_progress: "in-progress",
    tick_x: "`tick ${x}`",
    state: "state",
} }

/// The attributes of a `class` that is created or put.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct NewClass {
    /// The attribute `id`.
    pub id: ClassId,
    /// The attribute `user id`.
    pub user_id: String,
    /// The attribute `in-progress`. Default: `false`.
    pub in_progress: Option<bool>,
    /// The attribute ``tick ${x}``.
    pub tick_x: Option<String>,
    /// The attribute `state`.
    pub state: ClassState,
}

#[allow(dead_code)]
impl NewClass {
    /// One with what must be given, and nothing else.
    pub fn new(id: ClassId, user_id: String, state: ClassState) -> NewClass {
        NewClass {
            id,
            user_id,
            in_progress: None,
            tick_x: None,
            state,
        }
    }
}

typed::fresh! { NewClass {
    id: "id",
    user_id: "user id",
    in_progress: "in-progress",
    tick_x: "`tick ${x}`",
    state: "state",
} }

/// The key of a `class`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct ClassKey {
    /// The attribute `id`.
    pub id: ClassId,
}

typed::given! { ClassKey {
    id: "id",
} }

/// Changes of a `class`: what is not named stays as it is, and `Patch::Remove` removes an
/// optional attribute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct ClassPatch {
    /// The attribute `user id`.
    pub user_id: Option<String>,
    /// The attribute `in-progress`.
    pub in_progress: Option<bool>,
    /// The attribute ``tick ${x}``.
    pub tick_x: typed::Patch<String>,
    /// The attribute `state`.
    pub state: Option<ClassState>,
}

typed::patch! { ClassPatch {
    user_id: "user id",
    in_progress: "in-progress",
    tick_x: "`tick ${x}`",
    state: "state",
} }

typed::entity! {
    Class = "class" of NamesParts alone;
    new NewClass; patch ClassPatch;
    made (); touched ();
    put NewClass { id, user_id, in_progress, tick_x, state, }
    key ClassKey { id, }
}

/// The entity `Promise` as it is stored, under `"PROMISE#{id}" "P#{classId}"`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct Promise {
    /// The attribute `id`.
    pub id: PromiseId,
    /// The attribute `classId`.
    pub class_id: ClassId,
    /// The attribute `note`.
    pub note: PromiseNote,
}

typed::stored! { Promise {
    id: "id",
    class_id: "classId",
    note: "note",
} }

/// The attributes of a `Promise` that is created or put.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct NewPromise {
    /// The attribute `id`.
    pub id: PromiseId,
    /// The attribute `classId`.
    pub class_id: ClassId,
    /// The attribute `note`. Default: `other`.
    pub note: Option<PromiseNote>,
}

#[allow(dead_code)]
impl NewPromise {
    /// One with what must be given, and nothing else.
    pub fn new(id: PromiseId, class_id: ClassId) -> NewPromise {
        NewPromise {
            id,
            class_id,
            note: None,
        }
    }
}

typed::fresh! { NewPromise {
    id: "id",
    class_id: "classId",
    note: "note",
} }

/// The key of a `Promise`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct PromiseKey {
    /// The attribute `id`.
    pub id: PromiseId,
    /// The attribute `classId`.
    pub class_id: ClassId,
}

typed::given! { PromiseKey {
    id: "id",
    class_id: "classId",
} }

/// Changes of a `Promise`: what is not named stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct PromisePatch {
    /// The attribute `note`.
    pub note: Option<PromiseNote>,
}

typed::patch! { PromisePatch {
    note: "note",
} }

typed::entity! {
    Promise = "Promise" of NamesParts alone;
    new NewPromise; patch PromisePatch;
    made (); touched ();
    put NewPromise { id, class_id, note, }
    key PromiseKey { id, class_id, }
}

/// The entity `order_item` as it is stored, under `"ITEM#{itemId}" "I"`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct OrderItem {
    /// The attribute `itemId`.
    pub item_id: ItemId,
    /// The attribute `_`.
    pub __: Option<String>,
}

typed::stored! { OrderItem {
    item_id: "itemId",
    __: "_",
} }

/// The attributes of an `order_item` that is created or put.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct NewOrderItem {
    /// The attribute `itemId`. Default: `new`.
    pub item_id: Option<ItemId>,
    /// The attribute `_`.
    pub __: Option<String>,
}

typed::fresh! { NewOrderItem {
    item_id: "itemId",
    __: "_",
} }

/// The key of an `order_item`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct OrderItemKey {
    /// The attribute `itemId`.
    pub item_id: ItemId,
}

typed::given! { OrderItemKey {
    item_id: "itemId",
} }

/// Changes of an `order_item`: what is not named stays as it is, and `Patch::Remove` removes
/// an optional attribute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct OrderItemPatch {
    /// The attribute `_`.
    pub __: typed::Patch<String>,
}

typed::patch! { OrderItemPatch {
    __: "_",
} }

/// What an `order_item` gets that is created or put: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct OrderItemMade {
    /// The value `itemId`.
    pub item_id: ItemId,
}

typed::made! { OrderItemMade {
    item_id: argument("order_item", "itemId"),
} }

typed::entity! {
    OrderItem = "order_item" of NamesParts alone;
    new NewOrderItem; patch OrderItemPatch;
    made OrderItemMade; touched ();
    put NewOrderItem { item_id, __, }
    key OrderItemKey { item_id, }
}

/// The entity `OrderItem` as it is stored, under `"N#{n:08}" "N"`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct OrderItem2 {
    /// The attribute `n`.
    pub n: i64,
    /// The attribute `then`.
    pub then: Option<String>,
}

typed::stored! { OrderItem2 {
    n: "n",
    then: "then",
} }

/// The attributes of an `OrderItem` that is created or put.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct NewOrderItem2 {
    /// The attribute `n`.
    pub n: i64,
    /// The attribute `then`.
    pub then: Option<String>,
}

#[allow(dead_code)]
impl NewOrderItem2 {
    /// One with what must be given, and nothing else.
    pub fn new(n: i64) -> NewOrderItem2 {
        NewOrderItem2 { n, then: None }
    }
}

typed::fresh! { NewOrderItem2 {
    n: "n",
    then: "then",
} }

/// The key of an `OrderItem`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct OrderItem2Key {
    /// The attribute `n`.
    pub n: i64,
}

typed::given! { OrderItem2Key {
    n: "n",
} }

/// Changes of an `OrderItem`: what is not named stays as it is, and `Patch::Remove` removes
/// an optional attribute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct OrderItem2Patch {
    /// The attribute `then`.
    pub then: typed::Patch<String>,
}

typed::patch! { OrderItem2Patch {
    then: "then",
} }

typed::entity! {
    OrderItem2 = "OrderItem" of NamesParts alone;
    new NewOrderItem2; patch OrderItem2Patch;
    made (); touched ();
    put NewOrderItem2 { n, then, }
    key OrderItem2Key { n, }
}

/// A change of an entity, from a stream record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::enum_variant_names, clippy::large_enum_variant)]
#[allow(dead_code)]
pub enum NamesEvent {
    /// A change of a `class`.
    Class(typed::Change<Class>),
    /// A change of a `Promise`.
    Promise(typed::Change<Promise>),
    /// A change of an `order_item`.
    OrderItem(typed::Change<OrderItem>),
    /// A change of an `OrderItem`.
    OrderItem2(typed::Change<OrderItem2>),
}

typed::events! { NamesEvent {
    Class(Class) = "class",
    Promise(Promise) = "Promise",
    OrderItem(OrderItem) = "order_item",
    OrderItem2(OrderItem2) = "OrderItem",
} }

/// The arguments of `toString`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct ToStringArguments {
    /// The parameter `lines`.
    pub lines: Vec<New>,
    /// The parameter `n`.
    pub n: i64,
    /// The parameter `then`.
    pub then: Option<String>,
}

#[allow(dead_code)]
impl ToStringArguments {
    /// One with what must be given, and nothing else.
    pub fn new(lines: Vec<New>, n: i64) -> ToStringArguments {
        ToStringArguments {
            lines,
            n,
            then: None,
        }
    }
}

typed::given! { ToStringArguments {
    lines: "lines",
    n: "n",
    then: "then",
} }

/// The arguments of `order_item`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct OrderItemArguments3 {
    /// The parameter `news`.
    pub news: Vec<New>,
    /// The parameter `itemId`.
    pub item_id: Option<ItemId>,
    /// The parameter `_`.
    pub __: Option<String>,
}

#[allow(dead_code)]
impl OrderItemArguments3 {
    /// One with what must be given, and nothing else.
    pub fn new(news: Vec<New>) -> OrderItemArguments3 {
        OrderItemArguments3 {
            news,
            item_id: None,
            __: None,
        }
    }
}

typed::given! { OrderItemArguments3 {
    news: "news",
    item_id: "itemId",
    __: "_",
} }

/// What `order_item` writes of itself: as given, or made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct OrderItemMade2 {
    /// The value `itemId`.
    pub item_id: ItemId,
}

typed::made! { OrderItemMade2 {
    item_id: argument("order_item", "itemId"),
} }

/// The named writes of the model `names` as parts of a transaction: nothing is sent before
/// `transact` takes them.
#[derive(Debug, Clone, Copy)]
#[allow(dead_code)]
pub struct NamesParts;

#[allow(clippy::wrong_self_convention)]
#[allow(dead_code)]
impl NamesParts {
    /// The write `toString`:
    ///
    /// - create OrderItem
    ///
    /// Requests: PutItem.
    pub fn to_string(&self, arguments: &ToStringArguments) -> typed::Part<NamesParts> {
        let mut call = typed::Arguments::new();
        call.give_all(arguments);
        call.part("toString")
    }

    /// The write `order_item`:
    ///
    /// - create order_item
    ///
    /// Requests: PutItem.
    /// The name `order_item` means something else here, so it is `order_item__`.
    pub fn order_item__(
        &self,
        arguments: &OrderItemArguments3,
    ) -> typed::Part<NamesParts, OrderItemMade2> {
        let mut call = typed::Arguments::new();
        call.give_all(arguments);
        call.part("order_item")
    }
}

/// Makes new entities of the model `names` for tests: random by a seed, and valid. The same
/// seed makes the same ones.
#[derive(Debug, Clone)]
#[allow(dead_code)]
pub struct NamesFakes {
    fakes: typed::Fakes,
}

#[allow(dead_code)]
impl NamesFakes {
    /// A `class` that does not exist yet.
    pub fn class(&mut self) -> NewClass {
        self.fakes.make("class")
    }

    /// A `Promise` that does not exist yet.
    pub fn promise(&mut self) -> NewPromise {
        self.fakes.make("Promise")
    }

    /// An `order_item` that does not exist yet.
    pub fn order_item(&mut self) -> NewOrderItem {
        self.fakes.make("order_item")
    }

    /// An `OrderItem` that does not exist yet.
    pub fn order_item_(&mut self) -> NewOrderItem2 {
        self.fakes.make("OrderItem")
    }
}

/// The patterns, named writes and entities of the model `names`, version 1.
#[derive(Debug, Clone)]
#[allow(dead_code)]
pub struct NamesClient<S = typed::Eventual> {
    client: typed::Client<S>,
    /// Writes a `class` with all that follows from it.
    pub class: typed::Writer<Class>,
    /// Writes a `Promise` with all that follows from it.
    pub promise: typed::Writer<Promise>,
    /// Writes an `order_item` with all that follows from it.
    pub order_item: typed::Writer<OrderItem>,
    /// Writes an `OrderItem` with all that follows from it.
    pub order_item_: typed::Writer<OrderItem2>,
}

#[allow(dead_code)]
impl NamesClient {
    /// Compiles the model on a database, and makes its tables or finds that they are as it
    /// says.
    pub fn new(keyfold: &typed::Keyfold) -> Result<NamesClient, typed::Error> {
        let client = typed::Client::new(keyfold, &MODEL, HASH)?;
        Ok(NamesClient::of(client))
    }

    /// The same client, whose reads are strongly consistent, at twice the units. It has no
    /// pattern of a global index.
    pub fn strong(&self) -> NamesClient<typed::Strong> {
        let client = self.client.strong();
        NamesClient::of(client)
    }
}

#[allow(clippy::wrong_self_convention)]
#[allow(dead_code)]
impl<S: typed::Consistency> NamesClient<S> {
    fn of(client: typed::Client<S>) -> NamesClient<S> {
        NamesClient {
            class: client.writer(),
            promise: client.writer(),
            order_item: client.writer(),
            order_item_: client.writer(),
            client,
        }
    }

    /// The same client, each of whose calls takes at most a time.
    pub fn within(&self, time: std::time::Duration) -> NamesClient<S> {
        let client = self.client.within(time);
        NamesClient::of(client)
    }

    /// The same client, whose cursors end with a seal of the secret: one that was changed is
    /// refused.
    pub fn with_cursor_secret(&self, secret: &[u8]) -> NamesClient<S> {
        let client = self.client.with_cursor_secret(secret);
        NamesClient::of(client)
    }

    /// The same client, whose reads and events treat an item that the model does not know so:
    /// it is an error, or it is left out.
    pub fn on_unknown(&self, on_unknown: typed::OnUnknown) -> NamesClient<S> {
        let client = self.client.on_unknown(on_unknown);
        NamesClient::of(client)
    }

    /// Makes new entities for tests: the same seed makes the same ones.
    pub fn fakes(&self, seed: u64) -> NamesFakes {
        let fakes = self.client.fakes(seed);
        NamesFakes { fakes }
    }

    /// The named writes as parts of a transaction. Those of an entity are parts by its
    /// `part`.
    pub fn part(&self) -> NamesParts {
        NamesParts
    }

    /// Carries several writes out in one transaction, as if one happened after the other: all
    /// of them or none. A tuple of parts has a tuple of their effects, a list of parts of one
    /// type a list.
    pub fn transact<P: typed::Parted<NamesParts>>(
        &self,
        parts: P,
    ) -> Result<typed::Transacted<P::Done>, typed::Error> {
        self.client.transact(parts)
    }

    /// Makes several writes the effects of stream records: they happen in one transaction
    /// with the position of the consumer. The parts are those of `transact`.
    pub fn effects<P: typed::Parted<NamesParts>>(&self, parts: P) -> keyfold::stream::Effects {
        self.client.effects(parts)
    }

    /// Reads stream records as changes of entities.
    pub fn events(&self) -> typed::Events<'_, NamesEvent> {
        self.client.events()
    }

    /// The model on its tables, for calls by name.
    pub fn database(&self) -> &keyfold::Database {
        self.client.database()
    }

    /// `event(id) -> class?`
    ///
    /// GetItem of Main: `pk-id = "CLASS#{id}" AND State#Date = "C"`; 1 request, about 0.5
    /// read units.
    /// The name `event` means something else here, so it is `event_`.
    pub fn event_(&self, id: &ClassId) -> Result<Option<Class>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "event");
        call.give("id", id);
        call.one()
    }

    /// `then(id) -> Promise[]`
    ///
    /// Query of Main: `pk-id = "PROMISE#{id}" AND begins_with(State#Date, "P#")`; 1 request a
    /// page.
    pub fn then(&self, id: &PromiseId) -> typed::Query<'_, Promise, typed::Ordered> {
        let mut call = typed::Call::new(&self.client, "then");
        call.give("id", id);
        call.query()
    }

    /// `order_item(itemId) -> order_item?`
    ///
    /// GetItem of Main: `pk-id = "ITEM#{itemId}" AND State#Date = "I"`; 1 request, about 0.5
    /// read units.
    pub fn order_item(&self, item_id: &ItemId) -> Result<Option<OrderItem>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "order_item");
        call.give("itemId", item_id);
        call.one()
    }

    /// `orderItem(itemId) -> order_item?`
    ///
    /// GetItem of Main: `pk-id = "ITEM#{itemId}" AND State#Date = "I"`; 1 request, about 0.5
    /// read units.
    /// The name `order_item` means something else here, so it is `order_item_`.
    pub fn order_item_(&self, item_id: &ItemId) -> Result<Option<OrderItem>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "orderItem");
        call.give("itemId", item_id);
        call.one()
    }

    /// `delete(n) -> OrderItem?`
    ///
    /// GetItem of Main: `pk-id = "N#{n:08}" AND State#Date = "N"`; 1 request, about 0.5 read
    /// units.
    pub fn delete(&self, n: i64) -> Result<Option<OrderItem2>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "delete");
        call.give("n", &n);
        call.one()
    }

    /// `x(id, classId) -> Promise?`
    ///
    /// GetItem of Main: `pk-id = "PROMISE#{id}" AND State#Date = "P#{classId}"`; 1 request,
    /// about 0.5 read units.
    pub fn x(&self, id: &PromiseId, class_id: &ClassId) -> Result<Option<Promise>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "x");
        call.give("id", id);
        call.give("classId", class_id);
        call.one()
    }

    /// The write `toString`:
    ///
    /// - create OrderItem
    ///
    /// Requests: PutItem.
    pub fn to_string(
        &self,
        arguments: &ToStringArguments,
    ) -> Result<typed::Written<()>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "toString");
        call.give_all(arguments);
        call.send()
    }

    /// The write `order_item`:
    ///
    /// - create order_item
    ///
    /// Requests: PutItem.
    /// The name `order_item` means something else here, so it is `order_item__`.
    pub fn order_item__(
        &self,
        arguments: &OrderItemArguments3,
    ) -> Result<typed::Written<OrderItemMade2>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "order_item");
        call.give_all(arguments);
        call.send()
    }
}

/// The patterns of global indexes, which have no strong consistency.
#[allow(dead_code)]
impl NamesClient {
    /// `constructor(state) -> class[]`
    ///
    /// Query of Main.GSI1-IX: `GSI1-PK = "STATE#{state}"`; 1 request a page.
    pub fn constructor(
        &self,
        state: ClassState,
    ) -> typed::Query<'_, Class, typed::Ordered, typed::OfIndex> {
        let mut call = typed::Call::new(&self.client, "constructor");
        call.give("state", &state);
        call.query()
    }
}

/// The patterns, named writes and entities of the model `names`, version 1, awaited.
#[derive(Debug, Clone)]
#[allow(dead_code)]
pub struct AsyncNamesClient<S = typed::Eventual> {
    client: typed::nonblocking::Client<S>,
    /// Writes a `class` with all that follows from it.
    pub class: typed::nonblocking::Writer<Class>,
    /// Writes a `Promise` with all that follows from it.
    pub promise: typed::nonblocking::Writer<Promise>,
    /// Writes an `order_item` with all that follows from it.
    pub order_item: typed::nonblocking::Writer<OrderItem>,
    /// Writes an `OrderItem` with all that follows from it.
    pub order_item_: typed::nonblocking::Writer<OrderItem2>,
}

#[allow(dead_code)]
impl AsyncNamesClient {
    /// Compiles the model on a database, and makes its tables or finds that they are as it
    /// says.
    pub async fn new(keyfold: &typed::AsyncKeyfold) -> Result<AsyncNamesClient, typed::Error> {
        let client = typed::nonblocking::Client::new(keyfold, &MODEL, HASH).await?;
        Ok(AsyncNamesClient::of(client))
    }

    /// The same client, whose reads are strongly consistent, at twice the units. It has no
    /// pattern of a global index.
    pub fn strong(&self) -> AsyncNamesClient<typed::Strong> {
        let client = self.client.strong();
        AsyncNamesClient::of(client)
    }
}

#[allow(clippy::wrong_self_convention)]
#[allow(dead_code)]
impl<S: typed::Consistency> AsyncNamesClient<S> {
    fn of(client: typed::nonblocking::Client<S>) -> AsyncNamesClient<S> {
        AsyncNamesClient {
            class: client.writer(),
            promise: client.writer(),
            order_item: client.writer(),
            order_item_: client.writer(),
            client,
        }
    }

    /// The same client, each of whose calls takes at most a time.
    pub fn within(&self, time: std::time::Duration) -> AsyncNamesClient<S> {
        let client = self.client.within(time);
        AsyncNamesClient::of(client)
    }

    /// The same client, whose cursors end with a seal of the secret: one that was changed is
    /// refused.
    pub fn with_cursor_secret(&self, secret: &[u8]) -> AsyncNamesClient<S> {
        let client = self.client.with_cursor_secret(secret);
        AsyncNamesClient::of(client)
    }

    /// The same client, whose reads and events treat an item that the model does not know so:
    /// it is an error, or it is left out.
    pub fn on_unknown(&self, on_unknown: typed::OnUnknown) -> AsyncNamesClient<S> {
        let client = self.client.on_unknown(on_unknown);
        AsyncNamesClient::of(client)
    }

    /// Makes new entities for tests: the same seed makes the same ones.
    pub fn fakes(&self, seed: u64) -> NamesFakes {
        let fakes = self.client.fakes(seed);
        NamesFakes { fakes }
    }

    /// The named writes as parts of a transaction. Those of an entity are parts by its
    /// `part`.
    pub fn part(&self) -> NamesParts {
        NamesParts
    }

    /// Carries several writes out in one transaction, as if one happened after the other: all
    /// of them or none. A tuple of parts has a tuple of their effects, a list of parts of one
    /// type a list.
    pub async fn transact<P: typed::Parted<NamesParts>>(
        &self,
        parts: P,
    ) -> Result<typed::Transacted<P::Done>, typed::Error> {
        self.client.transact(parts).await
    }

    /// Makes several writes the effects of stream records: they happen in one transaction
    /// with the position of the consumer. The parts are those of `transact`.
    pub fn effects<P: typed::Parted<NamesParts>>(&self, parts: P) -> keyfold::stream::Effects {
        self.client.effects(parts)
    }

    /// Reads stream records as changes of entities.
    pub fn events(&self) -> typed::Events<'_, NamesEvent> {
        self.client.events()
    }

    /// The model on its tables, for calls by name.
    pub fn database(&self) -> &keyfold::nonblocking::Database {
        self.client.database()
    }

    /// `event(id) -> class?`
    ///
    /// GetItem of Main: `pk-id = "CLASS#{id}" AND State#Date = "C"`; 1 request, about 0.5
    /// read units.
    /// The name `event` means something else here, so it is `event_`.
    pub async fn event_(&self, id: &ClassId) -> Result<Option<Class>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "event");
        call.give("id", id);
        call.one().await
    }

    /// `then(id) -> Promise[]`
    ///
    /// Query of Main: `pk-id = "PROMISE#{id}" AND begins_with(State#Date, "P#")`; 1 request a
    /// page.
    pub fn then(&self, id: &PromiseId) -> typed::nonblocking::Query<Promise, typed::Ordered> {
        let mut call = typed::nonblocking::Call::new(&self.client, "then");
        call.give("id", id);
        call.query()
    }

    /// `order_item(itemId) -> order_item?`
    ///
    /// GetItem of Main: `pk-id = "ITEM#{itemId}" AND State#Date = "I"`; 1 request, about 0.5
    /// read units.
    pub async fn order_item(&self, item_id: &ItemId) -> Result<Option<OrderItem>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "order_item");
        call.give("itemId", item_id);
        call.one().await
    }

    /// `orderItem(itemId) -> order_item?`
    ///
    /// GetItem of Main: `pk-id = "ITEM#{itemId}" AND State#Date = "I"`; 1 request, about 0.5
    /// read units.
    /// The name `order_item` means something else here, so it is `order_item_`.
    pub async fn order_item_(&self, item_id: &ItemId) -> Result<Option<OrderItem>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "orderItem");
        call.give("itemId", item_id);
        call.one().await
    }

    /// `delete(n) -> OrderItem?`
    ///
    /// GetItem of Main: `pk-id = "N#{n:08}" AND State#Date = "N"`; 1 request, about 0.5 read
    /// units.
    pub async fn delete(&self, n: i64) -> Result<Option<OrderItem2>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "delete");
        call.give("n", &n);
        call.one().await
    }

    /// `x(id, classId) -> Promise?`
    ///
    /// GetItem of Main: `pk-id = "PROMISE#{id}" AND State#Date = "P#{classId}"`; 1 request,
    /// about 0.5 read units.
    pub async fn x(
        &self,
        id: &PromiseId,
        class_id: &ClassId,
    ) -> Result<Option<Promise>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "x");
        call.give("id", id);
        call.give("classId", class_id);
        call.one().await
    }

    /// The write `toString`:
    ///
    /// - create OrderItem
    ///
    /// Requests: PutItem.
    pub async fn to_string(
        &self,
        arguments: &ToStringArguments,
    ) -> Result<typed::Written<()>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "toString");
        call.give_all(arguments);
        call.send().await
    }

    /// The write `order_item`:
    ///
    /// - create order_item
    ///
    /// Requests: PutItem.
    /// The name `order_item` means something else here, so it is `order_item__`.
    pub async fn order_item__(
        &self,
        arguments: &OrderItemArguments3,
    ) -> Result<typed::Written<OrderItemMade2>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "order_item");
        call.give_all(arguments);
        call.send().await
    }
}

/// The patterns of global indexes, which have no strong consistency.
#[allow(dead_code)]
impl AsyncNamesClient {
    /// `constructor(state) -> class[]`
    ///
    /// Query of Main.GSI1-IX: `GSI1-PK = "STATE#{state}"`; 1 request a page.
    pub fn constructor(
        &self,
        state: ClassState,
    ) -> typed::nonblocking::Query<Class, typed::Ordered, typed::OfIndex> {
        let mut call = typed::nonblocking::Call::new(&self.client, "constructor");
        call.give("state", &state);
        call.query()
    }
}

/// The hash of the plan document.
const HASH: &str = "06a5877e505c4742944929542d1b841b";

/// The files of the model, by name.
const MODEL: [(&str, &str); 1] = [MODEL_FILE_0];

/// The file "names.keyfold".
const MODEL_FILE_0: (&str, &str) = (
    "names.keyfold",
    r#"model names 1
table Main ("pk-id", "State#Date")
  gsi "GSI1-IX" ("GSI1-PK", "GSI1-SK")

entity class
  id: string, "user id": string, "in-progress": bool = false, "`tick ${x}`": string?, state: "in-progress" | done | "it's"
  key        "CLASS#{id}"     "C"
  "GSI1-IX"  "STATE#{state}"  "{user id}"

entity Promise
  id: string, classId: class.id, note: "*/" | other = other
  key  "PROMISE#{id}"  "P#{classId}"

entity order_item
  itemId: uuid = new, _: string?
  key  "ITEM#{itemId}"  "I"

entity OrderItem
  n: int, then: string?
  key  "N#{n:08}"  "N"

record new
  "a-b": string, of: class.id, next: list of string?

pattern event(id)           -> class?
pattern then(id)            -> Promise[]
pattern constructor(state)  -> class[]
pattern order_item(itemId)  -> order_item?
pattern orderItem(itemId)   -> order_item?
pattern delete(n)           -> OrderItem?
pattern x(id, classId)      -> Promise?

write toString(lines: list of new)
  create OrderItem

write order_item(news: list of new)
  create order_item
"#,
);
