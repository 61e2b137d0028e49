// Programs that do not compile. The comment above a line names the error that it has, and a piece of its
// message. No other line has any: `generated.test.mjs` compares them.

import { AccountId, AnswersClient, TicketId } from "./made/answers.js";
import { OrderId, ProductId, ShopClient, UserId } from "./made/shop.js";
import type { NewProduct, Order, OrderStatus, OrderSummary, Product } from "./made/shop.js";

const shop: ShopClient = new ShopClient("http://localhost:8000");
const answers: AnswersClient = new AnswersClient("http://localhost:8000");
const userId = UserId("u");
const orderId = OrderId("o");
const productId = ProductId("p");
const id = AccountId("a");
const ticketId = TicketId("t");

export async function keys(): Promise<void> {
  // @error TS2322 `UserId` a text is no identifier
  await shop.user({ userId: "u1" });
  // @error TS2322 `UserId` another entity's identifier
  await shop.user({ userId: orderId });
  // @error TS2345 `userId` the key is missing
  await shop.user({});
  // @error TS2353 `id` no such part of the key
  await shop.user({ id: userId });
  // @error TS2554 `Expected 1-2 arguments` no arguments
  await shop.user();
  // @error TS2322 `ProductId` an identifier of a reference
  await shop.product({ productId: userId });
  // @error TS2345 `string` a number is no identifier
  OrderId(1);
  // @error TS2353 `userId` a part of a key too many
  await shop.Order.delete({ orderId, userId });
  // @error TS2345 `itemId` a part of the key is missing
  await shop.OrderItem.delete({ orderId });
  // @error TS2322 `AccountId` the identifiers of a list
  await answers.accounts({ id: ["a"] });
  // @error TS2740 `readonly AccountId[]` one identifier is no list
  await answers.accounts({ id });
  // @error TS2322 `AccountId` an alias's key
  await answers.transfer({ amount: 1, "from.id": id, "to.id": ticketId });
  // @error TS2345 `to.id` an alias's key is missing
  await answers.transfer({ amount: 1, "from.id": id });
}

export async function parameters(): Promise<void> {
  // @error TS2322 `OrderStatus` a wrong word
  await shop.ordersByStatus({ status: "payed" }).page();
  // @error TS2345 `since` an end of the range is missing
  await shop.recentOrders({ userId }).page();
  // @error TS2322 `string` a date is a text
  await shop.recentOrders({ userId, since: new Date() }).page();
  // @error TS2353 `since` a limit that the pattern has not
  await shop.ordersOfUser({ userId, since: "2024-01-01" }).page();
  // @error TS2345 `country` an optional parameter needs those before it
  await answers.places({ city: "b" }).page();
  // @error TS2345 `city` an optional parameter is left out in the middle
  await answers.places({ country: "de", street: "s" }).page();
  // @error TS2345 `least` a filter's parameter is missing
  await answers.severe({ id }).page();
  // @error TS2322 `number` a filter's parameter is a number
  await answers.severe({ id, least: "3" }).page();
  // @error TS2339 `ordersOfProduct` no such pattern
  await shop.ordersOfProduct({ productId });
}

export async function options(): Promise<void> {
  // @error TS2353 `backward` a single item has no order
  await shop.user({ userId }, { backward: true });
  // @error TS2353 `limit` a single item has no page
  await shop.user({ userId }, { limit: 5 });
  // @error TS2353 `backward` a batch has no order
  await answers.accounts({ id: [id] }).page({ backward: true });
  // @error TS2353 `backward` a scan has no order
  await answers.everyAccount().page({ backward: true });
  // @error TS2353 `strong` a global index is not read with strong consistency
  await shop.ordersByStatus({ status: "paid" }).page({ strong: true });
  // @error TS2353 `strong` one item of a global index
  await shop.userByEmail({ email: "a@b.c" }, { strong: true });
  // @error TS2322 `number` a limit is a number
  await shop.ordersOfUser({ userId }).page({ limit: "5" });
  // @error TS2322 `string` a cursor is a text
  await shop.ordersOfUser({ userId }).page({ after: { PK: "x" } });
  // @error TS2554 `Expected 1-2 arguments` all items need a limit
  await shop.itemsOfOrder({ orderId }).all();
  // @error TS2353 `strong` a transaction is always consistent
  await answers.pair({ from: id, to: id }, { strong: true });
  // @error TS2353 `numbers` the generated types are those of numbers
  new ShopClient("http://localhost:8000", { numbers: "exact" });
}

export async function results(): Promise<void> {
  const user = await shop.user({ userId });
  // @error TS18048 `undefined` an absent item
  user.email;
  const page = await shop.ordersOfUser({ userId }).page();
  const [summary] = page.items;
  if (summary === undefined) return;
  // @error TS2339 `userId` outside of the copy
  summary.userId;
  // @error TS2741 `userId` a copy is no entity
  const order: Order = summary;
  // @error TS2322 `OrderSummary` the other way round
  const copy: OrderSummary = await shop.ordersByStatus({ status: "paid" }).first();
  // @error TS2540 `total` an answer is not changed
  summary.total = 3;
  const found = await answers.findAccount({ id });
  // @error TS2339 `country` outside of `only`
  found?.country;
  const account = await answers.account({ id });
  // @error TS18048 `undefined` an optional attribute
  account.tags.has("a");
  const { payee } = await answers.pair({ from: id, to: id });
  // @error TS18048 `undefined` an item that may be absent
  payee.balance;
  const [ticket] = (await answers.since({ id, since: "2024-01-15" }).page()).items;
  // @error TS18048 `undefined` an attribute that a sparse index would prove
  ticket?.dueAt.slice(0, 10);
  for await (const one of shop.orderWithItems({ orderId })) {
    // @error TS2339 `quantity` a kind's own attribute, before it is told apart
    one.quantity;
    // @error TS2367 `"User"` no such kind
    if (one.kind === "User") return;
    // @error TS2339 `quantity` an attribute of the other kind
    if (one.kind === "Order") one.quantity;
  }
  const whole = await shop.orderWithItems({ orderId }).whole(10);
  // @error TS2339 `quantity` an attribute of the items in the list
  whole.orderItems.quantity;
  // @error TS7053 `Order` a single item is no list
  whole.order[0];
  // @error TS2540 `order` a whole answer is not changed
  whole.order = order;
  // @error TS2339 `whole` an answer of one kind is a list
  await shop.itemsOfOrder({ orderId }).whole(10);
  for await (const { status } of answers.waiting()) {
    // @error TS2367 `"open"` another word than the pattern's
    if (status === "open") status;
  }
  // @error TS2322 `string` a cursor may be absent
  const next: string = page.next;
  // @error TS2339 `email` an identifier is no object
  user?.userId.email;
  // @error TS2504 `[Symbol.asyncIterator]()` one item is no list
  for await (const one of shop.user({ userId })) one;
  void [order, copy, next];
}

export async function writes(): Promise<void> {
  // @error TS2345 `stock` a required attribute is missing
  await shop.Product.create({ productId, name: "n", price: 1 });
  const product: NewProduct = { productId, name: "n", price: 1, stock: 1 };
  // @error TS2322 `number` a number is no text
  await shop.Product.put({ ...product, price: "1" });
  // @error TS2353 `colour` no such attribute
  await shop.Product.create({ ...product, colour: "red" });
  // @error TS2353 `orderId` a key does not change
  await shop.Order.update({ orderId }, { orderId });
  // @error TS2322 `string` a required attribute is not removed
  await shop.Product.update({ productId }, { name: null });
  // @error TS2353 `tickets` an aggregate is kept by the model
  await answers.Account.update({ id }, { tickets: 1 });
  // @error TS2353 `v` a version is given to a put, not to a creation
  await answers.Account.create({ id, owner: "", country: "", city: "", street: "", v: 1 });
  // @error TS2739 `ReadonlySet<string>` a list is no set
  await answers.Account.update({ id }, { tags: ["a"] });
  // @error TS2322 `Uint8Array<ArrayBufferLike>` bytes are no text
  await answers.Account.update({ id }, { logo: "x" });
  // @error TS2739 `Entry` a field of a record is missing
  await answers.log({ id, ticketId, entry: { state: "open" } });
  // @error TS2820 `"open"` a word inside of a record
  await answers.log({ id, ticketId, entry: { at: "2024-01-15", by: "a", state: "opened" } });
  // @error TS2345 `status` a parameter of a write is missing
  await shop.setStatus({ orderId });
  const order = { orderId, userId, createdAt: "2024-01-15", total: 1, status: "paid" as const };
  // @error TS2741 `price` an element's field
  await shop.createOrder({ ...order, lines: [{ itemId: "1", productId, quantity: 1 }] });
  // @error TS2339 `deleteOrder` no such write
  await shop.deleteOrder({ orderId });
}

export async function transactions(): Promise<void> {
  // @error TS2322 `OrderStatus` a wrong word inside of a transaction
  await shop.transact([shop.part.setStatus({ orderId, status: "payed" })]);
  // @error TS2345 `status` an argument is missing inside of a transaction
  await shop.transact([shop.part.setStatus({ orderId })]);
  // @error TS2353 `userId` the key of another entity inside of a transaction
  await shop.transact([shop.Order.part.delete({ userId })]);
  // @error TS2345 `stock` a new entity lacks an attribute
  await shop.transact([shop.Product.part.create({ productId, name: "n", price: 1 })]);
  // @error TS2353 `orderId` a key does not change inside of a transaction, either
  await shop.transact([shop.Order.part.update({ orderId }, { orderId })]);
  // @error TS2739 `Part<unknown>` a pattern is no write
  await shop.transact([shop.user({ userId })]);
  // @error TS2739 `Part<unknown>` a write that is sent is no part of a transaction
  await shop.transact([shop.setStatus({ orderId, status: "paid" })]);
  // @error TS2339 `deleteOrder` no such write
  shop.part.deleteOrder({ orderId });
}

export async function made(): Promise<void> {
  const ticket = { id, openedAt: "2024-01-15" };
  const opened = await answers.openTicket(ticket);
  // @error TS2339 `openedAt` an attribute that is always given is not made
  opened.made.openedAt;
  // @error TS2322 `AccountId` another identifier than the one that is made
  const account: AccountId = opened.made.ticketId;
  const { writes } = await answers.transact([answers.part.openTicket(ticket), shop.Order.part.delete({ orderId })]);
  // @error TS2339 `ticketId` a deletion makes nothing
  writes[1].made.ticketId;
  // @error TS2493 `2` no third write
  writes[2];
  // @error TS2339 `orderId` an order makes nothing
  (await shop.setStatus({ orderId, status: "paid" })).made.orderId;
  void account;
}

export async function batches(): Promise<void> {
  // @error TS2353 `userId` another entity's key in a batch
  await shop.Order.getMany([{ userId }]);
  // @error TS2322 `OrderId` another entity's identifier in a batch
  await shop.Order.getMany([{ orderId: userId }]);
  // @error TS2353 `orderId` one key is no batch
  await shop.Order.getMany({ orderId });
  const [order] = await shop.Order.getMany([{ orderId }]);
  // @error TS18048 `undefined` an item of a batch may be absent
  order.status;
  // @error TS2322 `Product | undefined` an item of another kind
  const product: Product | undefined = order;
  // @error TS2339 `deleteMany` copies follow from an order: no batch writes it
  await shop.Order.deleteMany([{ orderId }]);
  // @error TS2741 `stock` a whole item
  await shop.Product.putMany([{ productId, name: "n", price: 1 }]);
  // @error TS2353 `name` a key has no more
  await shop.Product.deleteMany([{ productId, name: "n" }]);
  void product;
}

export async function events(record: object): Promise<string> {
  const event = await shop.event(record);
  // @error TS18048 `undefined` a record of none of the model's items
  event.kind;
  // @error TS2339 `email` the kind comes first
  event?.new?.email;
  // @error TS18048 `undefined` what was created had been nothing
  if (event?.kind === "User") event.old.email;
  // @error TS1360 `undefined` not every kind is handled
  if (event?.kind !== "User") event satisfies undefined;
  // @error TS2367 `"Order.summary"` copies have not been asked for
  if (event?.kind === "Order.summary") return "";
  const all = await shop.event(record, { copies: true });
  // @error TS2339 `userId` a copy has no more than its attributes
  if (all?.kind === "Order.summary") all.new?.userId;
  // @error TS2322 `"Order.summary"` a change of a copy is none of an entity
  const own: typeof event = all;
  // @error TS2769 `withCopies` an option
  await answers.event(record, { withCopies: true });
  void own;
  return "";
}

// @error TS2322 `OrderStatus` a word
export const status: OrderStatus = "done";
