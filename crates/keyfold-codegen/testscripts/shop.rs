// Made by keyfold (test) of the model shop, version 1.
// The plan document's hash: b1f878aa11640d3000c5a5e1d1b4187c.
// Changes here are lost: change the model, and run `keyfold generate`.

use keyfold::typed;

/// A value of `User.userId`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub struct UserId(String);

typed::id! { UserId: text }

/// A value of `Order.orderId`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub struct OrderId(String);

typed::id! { OrderId: text }

/// A value of `OrderItem.itemId`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub struct ItemId(String);

typed::id! { ItemId: text }

/// A value of `Product.productId`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub struct ProductId(String);

typed::id! { ProductId: text }

/// The words of `Order.status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code)]
pub enum OrderStatus {
    /// The word `pending`.
    Pending,
    /// The word `paid`.
    Paid,
    /// The word `shipped`.
    Shipped,
}

typed::words! { OrderStatus {
    Pending = "pending",
    Paid = "paid",
    Shipped = "shipped",
} }

/// The record `Line`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct Line {
    /// The field `itemId`.
    pub item_id: String,
    /// The field `productId`.
    pub product_id: ProductId,
    /// The field `quantity`.
    pub quantity: i64,
    /// The field `price`.
    pub price: typed::Number,
}

typed::record! { Line {
    item_id: "itemId",
    product_id: "productId",
    quantity: "quantity",
    price: "price",
} }

/// The entity `User` as it is stored, under `"USER#{userId}" "PROFILE"`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct User {
    /// The attribute `userId`.
    pub user_id: UserId,
    /// The attribute `email`.
    pub email: String,
    /// The attribute `name`.
    pub name: String,
    /// The attribute `createdAt`.
    pub created_at: typed::Timestamp,
}

typed::stored! { User {
    user_id: "userId",
    email: "email",
    name: "name",
    created_at: "createdAt",
} }

/// The attributes of a `User` that is created or put.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct NewUser {
    /// The attribute `userId`.
    pub user_id: UserId,
    /// The attribute `email`.
    pub email: String,
    /// The attribute `name`.
    pub name: String,
    /// The attribute `createdAt`.
    pub created_at: typed::Timestamp,
}

typed::fresh! { NewUser {
    user_id: "userId",
    email: "email",
    name: "name",
    created_at: "createdAt",
} }

/// The key of a `User`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct UserKey {
    /// The attribute `userId`.
    pub user_id: UserId,
}

typed::given! { UserKey {
    user_id: "userId",
} }

/// Changes of a `User`: what is not named stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct UserPatch {
    /// The attribute `email`.
    pub email: Option<String>,
    /// The attribute `name`.
    pub name: Option<String>,
    /// The attribute `createdAt`.
    pub created_at: Option<typed::Timestamp>,
}

typed::patch! { UserPatch {
    email: "email",
    name: "name",
    created_at: "createdAt",
} }

typed::entity! {
    User = "User" of ShopParts;
    new NewUser; patch UserPatch;
    made (); touched ();
    put NewUser { user_id, email, name, created_at, }
    key UserKey { user_id, }
}

/// The entity `Order` as it is stored, under `"ORDER#{orderId}" "META"`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct Order {
    /// The attribute `orderId`.
    pub order_id: OrderId,
    /// The attribute `userId`.
    pub user_id: UserId,
    /// The attribute `createdAt`.
    pub created_at: typed::Timestamp,
    /// The attribute `total`.
    pub total: typed::Number,
    /// The attribute `status`.
    pub status: OrderStatus,
}

typed::stored! { Order {
    order_id: "orderId",
    user_id: "userId",
    created_at: "createdAt",
    total: "total",
    status: "status",
} }

/// The attributes of an `Order` that is created or put.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct NewOrder {
    /// The attribute `orderId`.
    pub order_id: OrderId,
    /// The attribute `userId`.
    pub user_id: UserId,
    /// The attribute `createdAt`.
    pub created_at: typed::Timestamp,
    /// The attribute `total`.
    pub total: typed::Number,
    /// The attribute `status`.
    pub status: OrderStatus,
}

typed::fresh! { NewOrder {
    order_id: "orderId",
    user_id: "userId",
    created_at: "createdAt",
    total: "total",
    status: "status",
} }

/// The key of an `Order`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct OrderKey {
    /// The attribute `orderId`.
    pub order_id: OrderId,
}

typed::given! { OrderKey {
    order_id: "orderId",
} }

/// Changes of an `Order`: what is not named stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct OrderPatch {
    /// The attribute `userId`.
    pub user_id: Option<UserId>,
    /// The attribute `createdAt`.
    pub created_at: Option<typed::Timestamp>,
    /// The attribute `total`.
    pub total: Option<typed::Number>,
    /// The attribute `status`.
    pub status: Option<OrderStatus>,
}

typed::patch! { OrderPatch {
    user_id: "userId",
    created_at: "createdAt",
    total: "total",
    status: "status",
} }

typed::entity! {
    Order = "Order" of ShopParts;
    new NewOrder; patch OrderPatch;
    made (); touched ();
    put NewOrder { order_id, user_id, created_at, total, status, }
    key OrderKey { order_id, }
}

/// The copy `Order.summary`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct OrderSummary {
    /// The attribute `orderId`.
    pub order_id: OrderId,
    /// The attribute `createdAt`.
    pub created_at: typed::Timestamp,
    /// The attribute `total`.
    pub total: typed::Number,
    /// The attribute `status`.
    pub status: OrderStatus,
}

typed::stored! { OrderSummary {
    order_id: "orderId",
    created_at: "createdAt",
    total: "total",
    status: "status",
} }

/// The entity `OrderItem` as it is stored, under `"ORDER#{orderId}" "ITEM#{itemId}"`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct OrderItem {
    /// The attribute `orderId`.
    pub order_id: OrderId,
    /// The attribute `itemId`.
    pub item_id: ItemId,
    /// The attribute `productId`.
    pub product_id: ProductId,
    /// The attribute `quantity`.
    pub quantity: i64,
    /// The attribute `price`.
    pub price: typed::Number,
}

typed::stored! { OrderItem {
    order_id: "orderId",
    item_id: "itemId",
    product_id: "productId",
    quantity: "quantity",
    price: "price",
} }

/// The attributes of an `OrderItem` that is created or put.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct NewOrderItem {
    /// The attribute `orderId`.
    pub order_id: OrderId,
    /// The attribute `itemId`.
    pub item_id: ItemId,
    /// The attribute `productId`.
    pub product_id: ProductId,
    /// The attribute `quantity`.
    pub quantity: i64,
    /// The attribute `price`.
    pub price: typed::Number,
}

typed::fresh! { NewOrderItem {
    order_id: "orderId",
    item_id: "itemId",
    product_id: "productId",
    quantity: "quantity",
    price: "price",
} }

/// The key of an `OrderItem`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct OrderItemKey {
    /// The attribute `orderId`.
    pub order_id: OrderId,
    /// The attribute `itemId`.
    pub item_id: ItemId,
}

typed::given! { OrderItemKey {
    order_id: "orderId",
    item_id: "itemId",
} }

/// Changes of an `OrderItem`: what is not named stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct OrderItemPatch {
    /// The attribute `productId`.
    pub product_id: Option<ProductId>,
    /// The attribute `quantity`.
    pub quantity: Option<i64>,
    /// The attribute `price`.
    pub price: Option<typed::Number>,
}

typed::patch! { OrderItemPatch {
    product_id: "productId",
    quantity: "quantity",
    price: "price",
} }

typed::entity! {
    OrderItem = "OrderItem" of ShopParts alone;
    new NewOrderItem; patch OrderItemPatch;
    made (); touched ();
    put NewOrderItem { order_id, item_id, product_id, quantity, price, }
    key OrderItemKey { order_id, item_id, }
}

/// The entity `Product` as it is stored, under `"PRODUCT#{productId}" "INFO"`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct Product {
    /// The attribute `productId`.
    pub product_id: ProductId,
    /// The attribute `name`.
    pub name: String,
    /// The attribute `price`.
    pub price: typed::Number,
    /// The attribute `stock`.
    pub stock: i64,
}

typed::stored! { Product {
    product_id: "productId",
    name: "name",
    price: "price",
    stock: "stock",
} }

/// The attributes of a `Product` that is created or put.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct NewProduct {
    /// The attribute `productId`.
    pub product_id: ProductId,
    /// The attribute `name`.
    pub name: String,
    /// The attribute `price`.
    pub price: typed::Number,
    /// The attribute `stock`.
    pub stock: i64,
}

typed::fresh! { NewProduct {
    product_id: "productId",
    name: "name",
    price: "price",
    stock: "stock",
} }

/// The key of a `Product`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct ProductKey {
    /// The attribute `productId`.
    pub product_id: ProductId,
}

typed::given! { ProductKey {
    product_id: "productId",
} }

/// Changes of a `Product`: what is not named stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(dead_code)]
pub struct ProductPatch {
    /// The attribute `name`.
    pub name: Option<String>,
    /// The attribute `price`.
    pub price: Option<typed::Number>,
    /// The attribute `stock`.
    pub stock: Option<i64>,
}

typed::patch! { ProductPatch {
    name: "name",
    price: "price",
    stock: "stock",
} }

typed::entity! {
    Product = "Product" of ShopParts alone;
    new NewProduct; patch ProductPatch;
    made (); touched ();
    put NewProduct { product_id, name, price, stock, }
    key ProductKey { product_id, }
}

/// An item of `order_with_items`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::enum_variant_names, clippy::large_enum_variant)]
#[allow(dead_code)]
pub enum OrderWithItemsItem {
    /// An `Order`.
    Order(Order),
    /// An `OrderItem`.
    OrderItem(OrderItem),
}

typed::union! { OrderWithItemsItem {
    Order(Order) = "Order",
    OrderItem(OrderItem) = "OrderItem",
} }

/// The whole answer of `order_with_items`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct OrderWithItemsAnswer {
    /// The item `Order`.
    pub order: Order,
    /// The items `OrderItem`.
    pub order_items: Vec<OrderItem>,
}

typed::collected! { OrderWithItemsItem => OrderWithItemsAnswer {
    order: one Order = "Order",
    order_items: many OrderItem = "OrderItem",
} }

/// A change of an entity, from a stream record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::enum_variant_names, clippy::large_enum_variant)]
#[allow(dead_code)]
pub enum ShopEvent {
    /// A change of a `User`.
    User(typed::Change<User>),
    /// A change of an `Order`.
    Order(typed::Change<Order>),
    /// A change of an `OrderItem`.
    OrderItem(typed::Change<OrderItem>),
    /// A change of a `Product`.
    Product(typed::Change<Product>),
}

typed::events! { ShopEvent {
    User(User) = "User",
    Order(Order) = "Order",
    OrderItem(OrderItem) = "OrderItem",
    Product(Product) = "Product",
} }

/// A change of an entity or of a copy, from a stream record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::enum_variant_names, clippy::large_enum_variant)]
#[allow(dead_code)]
pub enum ShopEventWithCopies {
    /// A change of a `User`.
    User(typed::Change<User>),
    /// A change of an `Order`.
    Order(typed::Change<Order>),
    /// A change of an `OrderItem`.
    OrderItem(typed::Change<OrderItem>),
    /// A change of a `Product`.
    Product(typed::Change<Product>),
    /// A change of a copy `Order.summary`.
    OrderSummary(typed::Change<OrderSummary>),
}

typed::events! { ShopEventWithCopies {
    User(User) = "User",
    Order(Order) = "Order",
    OrderItem(OrderItem) = "OrderItem",
    Product(Product) = "Product",
    OrderSummary(OrderSummary) = "Order.summary",
} }

/// The arguments of `create_order`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code)]
pub struct CreateOrderArguments {
    /// The parameter `lines`.
    pub lines: Vec<Line>,
    /// The parameter `orderId`.
    pub order_id: OrderId,
    /// The parameter `userId`.
    pub user_id: UserId,
    /// The parameter `createdAt`.
    pub created_at: typed::Timestamp,
    /// The parameter `total`.
    pub total: typed::Number,
    /// The parameter `status`.
    pub status: OrderStatus,
}

typed::given! { CreateOrderArguments {
    lines: "lines",
    order_id: "orderId",
    user_id: "userId",
    created_at: "createdAt",
    total: "total",
    status: "status",
} }

/// The named writes of the model `shop` as parts of a transaction: nothing is sent before
/// `transact` takes them.
#[derive(Debug, Clone, Copy)]
#[allow(dead_code)]
pub struct ShopParts;

#[allow(dead_code)]
impl ShopParts {
    /// The write `create_order`:
    ///
    /// - create Order
    /// - create OrderItem for each of lines
    ///
    /// Requests: TransactWriteItems.
    pub fn create_order(&self, arguments: &CreateOrderArguments) -> typed::Part<ShopParts> {
        let mut call = typed::Arguments::new();
        call.give_all(arguments);
        call.part("create_order")
    }

    /// The write `set_status`:
    ///
    /// - update Order (status = status)
    ///
    /// Requests: GetItem, then TransactWriteItems.
    pub fn set_status(&self, status: OrderStatus, order_id: &OrderId) -> typed::Part<ShopParts> {
        let mut call = typed::Arguments::new();
        call.give("status", &status);
        call.give("orderId", order_id);
        call.part("set_status")
    }

    /// The write `create_user`:
    ///
    /// - create User
    ///
    /// Requests: TransactWriteItems.
    pub fn create_user(
        &self,
        user_id: &UserId,
        email: &str,
        name: &str,
        created_at: typed::Timestamp,
    ) -> typed::Part<ShopParts> {
        let mut call = typed::Arguments::new();
        call.give("userId", user_id);
        call.give("email", email);
        call.give("name", name);
        call.give("createdAt", &created_at);
        call.part("create_user")
    }
}

/// Makes new entities of the model `shop` for tests: random by a seed, and valid. The same
/// seed makes the same ones.
#[derive(Debug, Clone)]
#[allow(dead_code)]
pub struct ShopFakes {
    fakes: typed::Fakes,
}

#[allow(dead_code)]
impl ShopFakes {
    /// A `User` that does not exist yet.
    pub fn user(&mut self) -> NewUser {
        self.fakes.make("User")
    }

    /// An `Order` that does not exist yet.
    pub fn order(&mut self) -> NewOrder {
        self.fakes.make("Order")
    }

    /// An `OrderItem` that does not exist yet.
    pub fn order_item(&mut self) -> NewOrderItem {
        self.fakes.make("OrderItem")
    }

    /// A `Product` that does not exist yet.
    pub fn product(&mut self) -> NewProduct {
        self.fakes.make("Product")
    }
}

/// The patterns, named writes and entities of the model `shop`, version 1.
#[derive(Debug, Clone)]
#[allow(dead_code)]
pub struct ShopClient<S = typed::Eventual> {
    client: typed::Client<S>,
    /// Writes a `User` with all that follows from it.
    pub user: typed::Writer<User>,
    /// Writes an `Order` with all that follows from it.
    pub order: typed::Writer<Order>,
    /// Writes an `OrderItem` with all that follows from it.
    pub order_item: typed::Writer<OrderItem>,
    /// Writes a `Product` with all that follows from it.
    pub product: typed::Writer<Product>,
}

#[allow(dead_code)]
impl ShopClient {
    /// Compiles the model on a database, and makes its tables or finds that they are as it
    /// says.
    pub fn new(keyfold: &typed::Keyfold) -> Result<ShopClient, typed::Error> {
        let client = typed::Client::new(keyfold, &MODEL, HASH)?;
        Ok(ShopClient::of(client))
    }

    /// The same client, whose reads are strongly consistent, at twice the units. It has no
    /// pattern of a global index.
    pub fn strong(&self) -> ShopClient<typed::Strong> {
        let client = self.client.strong();
        ShopClient::of(client)
    }
}

#[allow(dead_code)]
impl<S: typed::Consistency> ShopClient<S> {
    fn of(client: typed::Client<S>) -> ShopClient<S> {
        ShopClient {
            user: client.writer(),
            order: client.writer(),
            order_item: client.writer(),
            product: client.writer(),
            client,
        }
    }

    /// The same client, each of whose calls takes at most a time.
    pub fn within(&self, time: std::time::Duration) -> ShopClient<S> {
        let client = self.client.within(time);
        ShopClient::of(client)
    }

    /// The same client, whose cursors end with a seal of the secret: one that was changed is
    /// refused.
    pub fn with_cursor_secret(&self, secret: &[u8]) -> ShopClient<S> {
        let client = self.client.with_cursor_secret(secret);
        ShopClient::of(client)
    }

    /// The same client, whose reads and events treat an item that the model does not know so:
    /// it is an error, or it is left out.
    pub fn on_unknown(&self, on_unknown: typed::OnUnknown) -> ShopClient<S> {
        let client = self.client.on_unknown(on_unknown);
        ShopClient::of(client)
    }

    /// Makes new entities for tests: the same seed makes the same ones.
    pub fn fakes(&self, seed: u64) -> ShopFakes {
        let fakes = self.client.fakes(seed);
        ShopFakes { fakes }
    }

    /// The named writes as parts of a transaction. Those of an entity are parts by its
    /// `part`.
    pub fn part(&self) -> ShopParts {
        ShopParts
    }

    /// Carries several writes out in one transaction, as if one happened after the other: all
    /// of them or none. A tuple of parts has a tuple of their effects, a list of parts of one
    /// type a list.
    pub fn transact<P: typed::Parted<ShopParts>>(
        &self,
        parts: P,
    ) -> Result<typed::Transacted<P::Done>, typed::Error> {
        self.client.transact(parts)
    }

    /// Makes several writes the effects of stream records: they happen in one transaction
    /// with the position of the consumer. The parts are those of `transact`.
    pub fn effects<P: typed::Parted<ShopParts>>(&self, parts: P) -> keyfold::stream::Effects {
        self.client.effects(parts)
    }

    /// Reads stream records as changes of entities.
    pub fn events(&self) -> typed::Events<'_, ShopEvent> {
        self.client.events()
    }

    /// Reads stream records as changes of entities and of copies.
    pub fn events_with_copies(&self) -> typed::Events<'_, ShopEventWithCopies> {
        self.client.events_with_copies()
    }

    /// The model on its tables, for calls by name.
    pub fn database(&self) -> &keyfold::Database {
        self.client.database()
    }

    /// `user(userId) -> User?`
    ///
    /// GetItem of Shop: `PK = "USER#{userId}" AND SK = "PROFILE"`; 1 request, about 0.5 read
    /// units.
    pub fn user(&self, user_id: &UserId) -> Result<Option<User>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "user");
        call.give("userId", user_id);
        call.one()
    }

    /// `orders_of_user(userId) -> Order.summary[] newest page 20`
    ///
    /// Query of Shop: `PK = "USER#{userId}" AND begins_with(SK, "ORDER#")`, descending, 20
    /// items a page; 1 request a page, about 1 read units.
    pub fn orders_of_user(
        &self,
        user_id: &UserId,
    ) -> typed::Query<'_, OrderSummary, typed::Ordered> {
        let mut call = typed::Call::new(&self.client, "orders_of_user");
        call.give("userId", user_id);
        call.query()
    }

    /// `order_with_items(orderId) -> Order + OrderItem[]`
    ///
    /// Query of Shop: `PK = "ORDER#{orderId}"`; 1 request a page.
    pub fn order_with_items(
        &self,
        order_id: &OrderId,
    ) -> typed::Query<'_, OrderWithItemsItem, typed::Ordered> {
        let mut call = typed::Call::new(&self.client, "order_with_items");
        call.give("orderId", order_id);
        call.query()
    }

    /// `items_of_order(orderId) -> OrderItem[]`
    ///
    /// Query of Shop: `PK = "ORDER#{orderId}" AND begins_with(SK, "ITEM#")`; 1 request a
    /// page.
    pub fn items_of_order(
        &self,
        order_id: &OrderId,
    ) -> typed::Query<'_, OrderItem, typed::Ordered> {
        let mut call = typed::Call::new(&self.client, "items_of_order");
        call.give("orderId", order_id);
        call.query()
    }

    /// `product(productId) -> Product?`
    ///
    /// GetItem of Shop: `PK = "PRODUCT#{productId}" AND SK = "INFO"`; 1 request, about 0.5
    /// read units.
    pub fn product(&self, product_id: &ProductId) -> Result<Option<Product>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "product");
        call.give("productId", product_id);
        call.one()
    }

    /// `recent_orders(userId, since) -> Order.summary[] newest page 20`
    ///
    /// Query of Shop: `PK = "USER#{userId}" AND SK BETWEEN "ORDER#{since}" AND "ORDER#…"`,
    /// descending, 20 items a page; 1 request a page, about 1 read units.
    ///
    /// - `since`: `createdAt` is at least this.
    pub fn recent_orders(
        &self,
        user_id: &UserId,
        since: typed::Timestamp,
    ) -> typed::Query<'_, OrderSummary, typed::Ordered> {
        let mut call = typed::Call::new(&self.client, "recent_orders");
        call.give("userId", user_id);
        call.give("since", &since);
        call.query()
    }

    /// The write `create_order`:
    ///
    /// - create Order
    /// - create OrderItem for each of lines
    ///
    /// Requests: TransactWriteItems.
    pub fn create_order(
        &self,
        arguments: &CreateOrderArguments,
    ) -> Result<typed::Written<()>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "create_order");
        call.give_all(arguments);
        call.send()
    }

    /// The write `set_status`:
    ///
    /// - update Order (status = status)
    ///
    /// Requests: GetItem, then TransactWriteItems.
    pub fn set_status(
        &self,
        status: OrderStatus,
        order_id: &OrderId,
    ) -> Result<typed::Written<()>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "set_status");
        call.give("status", &status);
        call.give("orderId", order_id);
        call.send()
    }

    /// The write `create_user`:
    ///
    /// - create User
    ///
    /// Requests: TransactWriteItems.
    pub fn create_user(
        &self,
        user_id: &UserId,
        email: &str,
        name: &str,
        created_at: typed::Timestamp,
    ) -> Result<typed::Written<()>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "create_user");
        call.give("userId", user_id);
        call.give("email", email);
        call.give("name", name);
        call.give("createdAt", &created_at);
        call.send()
    }
}

/// The patterns of global indexes, which have no strong consistency.
#[allow(dead_code)]
impl ShopClient {
    /// `user_by_email(email) -> User?`
    ///
    /// Query of Shop.GSI1: `GSI1PK = "EMAIL#{email}" AND GSI1SK = "PROFILE"`; 1 request,
    /// about 0.5 read units.
    pub fn user_by_email(&self, email: &str) -> Result<Option<User>, typed::Error> {
        let mut call = typed::Call::new(&self.client, "user_by_email");
        call.give("email", email);
        call.one()
    }

    /// `orders_by_status(status) -> Order[] newest page 50`
    ///
    /// Query of Shop.GSI1: `GSI1PK = "STATUS#{status}" AND begins_with(GSI1SK, "ORDER#")`,
    /// descending, 50 items a page; 1 request a page, about 2 read units.
    pub fn orders_by_status(
        &self,
        status: OrderStatus,
    ) -> typed::Query<'_, Order, typed::Ordered, typed::OfIndex> {
        let mut call = typed::Call::new(&self.client, "orders_by_status");
        call.give("status", &status);
        call.query()
    }

    /// `recent_orders_by_status(status, since) -> Order[] newest page 50`
    ///
    /// Query of Shop.GSI1: `GSI1PK = "STATUS#{status}" AND GSI1SK BETWEEN "ORDER#{since}" AND
    /// "ORDER#…"`, descending, 50 items a page; 1 request a page, about 2 read units.
    ///
    /// - `since`: `createdAt` is at least this.
    pub fn recent_orders_by_status(
        &self,
        status: OrderStatus,
        since: typed::Timestamp,
    ) -> typed::Query<'_, Order, typed::Ordered, typed::OfIndex> {
        let mut call = typed::Call::new(&self.client, "recent_orders_by_status");
        call.give("status", &status);
        call.give("since", &since);
        call.query()
    }
}

/// The patterns, named writes and entities of the model `shop`, version 1, awaited.
#[derive(Debug, Clone)]
#[allow(dead_code)]
pub struct AsyncShopClient<S = typed::Eventual> {
    client: typed::nonblocking::Client<S>,
    /// Writes a `User` with all that follows from it.
    pub user: typed::nonblocking::Writer<User>,
    /// Writes an `Order` with all that follows from it.
    pub order: typed::nonblocking::Writer<Order>,
    /// Writes an `OrderItem` with all that follows from it.
    pub order_item: typed::nonblocking::Writer<OrderItem>,
    /// Writes a `Product` with all that follows from it.
    pub product: typed::nonblocking::Writer<Product>,
}

#[allow(dead_code)]
impl AsyncShopClient {
    /// Compiles the model on a database, and makes its tables or finds that they are as it
    /// says.
    pub async fn new(keyfold: &typed::AsyncKeyfold) -> Result<AsyncShopClient, typed::Error> {
        let client = typed::nonblocking::Client::new(keyfold, &MODEL, HASH).await?;
        Ok(AsyncShopClient::of(client))
    }

    /// The same client, whose reads are strongly consistent, at twice the units. It has no
    /// pattern of a global index.
    pub fn strong(&self) -> AsyncShopClient<typed::Strong> {
        let client = self.client.strong();
        AsyncShopClient::of(client)
    }
}

#[allow(dead_code)]
impl<S: typed::Consistency> AsyncShopClient<S> {
    fn of(client: typed::nonblocking::Client<S>) -> AsyncShopClient<S> {
        AsyncShopClient {
            user: client.writer(),
            order: client.writer(),
            order_item: client.writer(),
            product: client.writer(),
            client,
        }
    }

    /// The same client, each of whose calls takes at most a time.
    pub fn within(&self, time: std::time::Duration) -> AsyncShopClient<S> {
        let client = self.client.within(time);
        AsyncShopClient::of(client)
    }

    /// The same client, whose cursors end with a seal of the secret: one that was changed is
    /// refused.
    pub fn with_cursor_secret(&self, secret: &[u8]) -> AsyncShopClient<S> {
        let client = self.client.with_cursor_secret(secret);
        AsyncShopClient::of(client)
    }

    /// The same client, whose reads and events treat an item that the model does not know so:
    /// it is an error, or it is left out.
    pub fn on_unknown(&self, on_unknown: typed::OnUnknown) -> AsyncShopClient<S> {
        let client = self.client.on_unknown(on_unknown);
        AsyncShopClient::of(client)
    }

    /// Makes new entities for tests: the same seed makes the same ones.
    pub fn fakes(&self, seed: u64) -> ShopFakes {
        let fakes = self.client.fakes(seed);
        ShopFakes { fakes }
    }

    /// The named writes as parts of a transaction. Those of an entity are parts by its
    /// `part`.
    pub fn part(&self) -> ShopParts {
        ShopParts
    }

    /// Carries several writes out in one transaction, as if one happened after the other: all
    /// of them or none. A tuple of parts has a tuple of their effects, a list of parts of one
    /// type a list.
    pub async fn transact<P: typed::Parted<ShopParts>>(
        &self,
        parts: P,
    ) -> Result<typed::Transacted<P::Done>, typed::Error> {
        self.client.transact(parts).await
    }

    /// Makes several writes the effects of stream records: they happen in one transaction
    /// with the position of the consumer. The parts are those of `transact`.
    pub fn effects<P: typed::Parted<ShopParts>>(&self, parts: P) -> keyfold::stream::Effects {
        self.client.effects(parts)
    }

    /// Reads stream records as changes of entities.
    pub fn events(&self) -> typed::Events<'_, ShopEvent> {
        self.client.events()
    }

    /// Reads stream records as changes of entities and of copies.
    pub fn events_with_copies(&self) -> typed::Events<'_, ShopEventWithCopies> {
        self.client.events_with_copies()
    }

    /// The model on its tables, for calls by name.
    pub fn database(&self) -> &keyfold::nonblocking::Database {
        self.client.database()
    }

    /// `user(userId) -> User?`
    ///
    /// GetItem of Shop: `PK = "USER#{userId}" AND SK = "PROFILE"`; 1 request, about 0.5 read
    /// units.
    pub async fn user(&self, user_id: &UserId) -> Result<Option<User>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "user");
        call.give("userId", user_id);
        call.one().await
    }

    /// `orders_of_user(userId) -> Order.summary[] newest page 20`
    ///
    /// Query of Shop: `PK = "USER#{userId}" AND begins_with(SK, "ORDER#")`, descending, 20
    /// items a page; 1 request a page, about 1 read units.
    pub fn orders_of_user(
        &self,
        user_id: &UserId,
    ) -> typed::nonblocking::Query<OrderSummary, typed::Ordered> {
        let mut call = typed::nonblocking::Call::new(&self.client, "orders_of_user");
        call.give("userId", user_id);
        call.query()
    }

    /// `order_with_items(orderId) -> Order + OrderItem[]`
    ///
    /// Query of Shop: `PK = "ORDER#{orderId}"`; 1 request a page.
    pub fn order_with_items(
        &self,
        order_id: &OrderId,
    ) -> typed::nonblocking::Query<OrderWithItemsItem, typed::Ordered> {
        let mut call = typed::nonblocking::Call::new(&self.client, "order_with_items");
        call.give("orderId", order_id);
        call.query()
    }

    /// `items_of_order(orderId) -> OrderItem[]`
    ///
    /// Query of Shop: `PK = "ORDER#{orderId}" AND begins_with(SK, "ITEM#")`; 1 request a
    /// page.
    pub fn items_of_order(
        &self,
        order_id: &OrderId,
    ) -> typed::nonblocking::Query<OrderItem, typed::Ordered> {
        let mut call = typed::nonblocking::Call::new(&self.client, "items_of_order");
        call.give("orderId", order_id);
        call.query()
    }

    /// `product(productId) -> Product?`
    ///
    /// GetItem of Shop: `PK = "PRODUCT#{productId}" AND SK = "INFO"`; 1 request, about 0.5
    /// read units.
    pub async fn product(&self, product_id: &ProductId) -> Result<Option<Product>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "product");
        call.give("productId", product_id);
        call.one().await
    }

    /// `recent_orders(userId, since) -> Order.summary[] newest page 20`
    ///
    /// Query of Shop: `PK = "USER#{userId}" AND SK BETWEEN "ORDER#{since}" AND "ORDER#…"`,
    /// descending, 20 items a page; 1 request a page, about 1 read units.
    ///
    /// - `since`: `createdAt` is at least this.
    pub fn recent_orders(
        &self,
        user_id: &UserId,
        since: typed::Timestamp,
    ) -> typed::nonblocking::Query<OrderSummary, typed::Ordered> {
        let mut call = typed::nonblocking::Call::new(&self.client, "recent_orders");
        call.give("userId", user_id);
        call.give("since", &since);
        call.query()
    }

    /// The write `create_order`:
    ///
    /// - create Order
    /// - create OrderItem for each of lines
    ///
    /// Requests: TransactWriteItems.
    pub async fn create_order(
        &self,
        arguments: &CreateOrderArguments,
    ) -> Result<typed::Written<()>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "create_order");
        call.give_all(arguments);
        call.send().await
    }

    /// The write `set_status`:
    ///
    /// - update Order (status = status)
    ///
    /// Requests: GetItem, then TransactWriteItems.
    pub async fn set_status(
        &self,
        status: OrderStatus,
        order_id: &OrderId,
    ) -> Result<typed::Written<()>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "set_status");
        call.give("status", &status);
        call.give("orderId", order_id);
        call.send().await
    }

    /// The write `create_user`:
    ///
    /// - create User
    ///
    /// Requests: TransactWriteItems.
    pub async fn create_user(
        &self,
        user_id: &UserId,
        email: &str,
        name: &str,
        created_at: typed::Timestamp,
    ) -> Result<typed::Written<()>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "create_user");
        call.give("userId", user_id);
        call.give("email", email);
        call.give("name", name);
        call.give("createdAt", &created_at);
        call.send().await
    }
}

/// The patterns of global indexes, which have no strong consistency.
#[allow(dead_code)]
impl AsyncShopClient {
    /// `user_by_email(email) -> User?`
    ///
    /// Query of Shop.GSI1: `GSI1PK = "EMAIL#{email}" AND GSI1SK = "PROFILE"`; 1 request,
    /// about 0.5 read units.
    pub async fn user_by_email(&self, email: &str) -> Result<Option<User>, typed::Error> {
        let mut call = typed::nonblocking::Call::new(&self.client, "user_by_email");
        call.give("email", email);
        call.one().await
    }

    /// `orders_by_status(status) -> Order[] newest page 50`
    ///
    /// Query of Shop.GSI1: `GSI1PK = "STATUS#{status}" AND begins_with(GSI1SK, "ORDER#")`,
    /// descending, 50 items a page; 1 request a page, about 2 read units.
    pub fn orders_by_status(
        &self,
        status: OrderStatus,
    ) -> typed::nonblocking::Query<Order, typed::Ordered, typed::OfIndex> {
        let mut call = typed::nonblocking::Call::new(&self.client, "orders_by_status");
        call.give("status", &status);
        call.query()
    }

    /// `recent_orders_by_status(status, since) -> Order[] newest page 50`
    ///
    /// Query of Shop.GSI1: `GSI1PK = "STATUS#{status}" AND GSI1SK BETWEEN "ORDER#{since}" AND
    /// "ORDER#…"`, descending, 50 items a page; 1 request a page, about 2 read units.
    ///
    /// - `since`: `createdAt` is at least this.
    pub fn recent_orders_by_status(
        &self,
        status: OrderStatus,
        since: typed::Timestamp,
    ) -> typed::nonblocking::Query<Order, typed::Ordered, typed::OfIndex> {
        let mut call = typed::nonblocking::Call::new(&self.client, "recent_orders_by_status");
        call.give("status", &status);
        call.give("since", &since);
        call.query()
    }
}

/// The hash of the plan document.
const HASH: &str = "b1f878aa11640d3000c5a5e1d1b4187c";

/// The files of the model, by name.
const MODEL: [(&str, &str); 1] = [MODEL_FILE_0];

/// The file "shop.keyfold".
const MODEL_FILE_0: (&str, &str) = (
    "shop.keyfold",
    r#"model shop 1
table Shop (PK, SK) type entity
  gsi GSI1 (GSI1PK, GSI1SK)

entity User
  userId: string, email: string, name: string, createdAt: time
  key     "USER#{userId}"  "PROFILE"
  GSI1    "EMAIL#{email}"  "PROFILE"
  unique  email

entity Order
  orderId: string, userId: User.userId, createdAt: time, total: number
  status: pending | paid | shipped
  key           "ORDER#{orderId}"  "META"
  GSI1          "STATUS#{status}"  "ORDER#{createdAt}#{orderId}"
  copy summary  "USER#{userId}"    "ORDER#{createdAt}#{orderId}"  only orderId, total, status, createdAt
  expect        100 writes a second, 300 bytes

entity OrderItem
  orderId: Order.orderId, itemId: string, productId: Product.productId, quantity: int, price: number
  key  "ORDER#{orderId}"  "ITEM#{itemId}"

entity Product
  productId: string, name: string, price: number, stock: int
  key  "PRODUCT#{productId}"  "INFO"

pattern user(userId)                                         -> User?
pattern user_by_email(email)                                 -> User?
pattern orders_of_user(userId)                               -> Order.summary[]  newest page 20
pattern order_with_items(orderId)                            -> Order + OrderItem[]
pattern items_of_order(orderId)                              -> OrderItem[]
pattern product(productId)                                   -> Product?
pattern orders_by_status(status)                             -> Order[]  newest page 50
pattern recent_orders(userId, createdAt >= since)            -> Order.summary[]  newest page 20
pattern recent_orders_by_status(status, createdAt >= since)  -> Order[]  newest page 50

record Line
  itemId: string, productId: Product.productId, quantity: int, price: number

write create_order(lines: list of Line)
  create Order
  create OrderItem for each lines

write set_status(status)
  update Order set status = status

write create_user()
  create User
"#,
);
