// Programs on generated clients, run against a server: `generated.test.mjs` calls them.

import assert from "node:assert/strict";
import { KeyfoldError } from "@keyfold/client";
import { AccountId, AnswersClient, TicketId } from "./made/answers.js";
import { BookId, BookmarksClient, CustomerId } from "./made/bookmarks.js";
import { InheritsId, LanguageNamesClient, type NewInherits, LineId as LanguageLineId } from "./made/language_names.js";
import { CartId, LineId, MadeClient, TaskId } from "./made/made.js";
import { ItemId, OrderId, ProductId, ShopClient, UserId } from "./made/shop.js";

/** The code of the error that a call fails with. */
async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof KeyfoldError) return error.detail.code;
    throw error;
  }
  return "none";
}

export async function shop(endpoint: string): Promise<void> {
  const shop = new ShopClient(endpoint, { cursorSecret: "secret" });
  await shop.ensureTables();
  const userId = UserId("u1");
  const user = { userId, email: "ada@example.com", name: "Ada", createdAt: "2024-01-15T10:30:00Z" };
  const { changes } = await shop.createUser(user);
  assert.ok(changes.length > 1, "the guard of the e-mail is written, too");
  assert.equal(await codeOf(shop.createUser(user)), "exists");
  assert.equal(await codeOf(shop.User.create({ ...user, userId: UserId("u2") })), "taken");
  assert.equal((await shop.user({ userId }, { strong: true }))?.name, "Ada");
  assert.equal((await shop.userByEmail({ email: user.email }))?.userId, userId);
  assert.equal(await shop.user({ userId: UserId("u9") }), undefined);
  const productId = ProductId("p1");
  await shop.Product.put({ productId, name: "Pen", price: 1.5, stock: 10 });
  await shop.Product.update({ productId }, { stock: 9 });
  assert.deepEqual(await shop.product({ productId }), {
    kind: "Product",
    productId,
    name: "Pen",
    price: 1.5,
    stock: 9,
  });
  for (let n = 1; n <= 5; n += 1) {
    await shop.createOrder({
      orderId: OrderId(`o${n}`),
      userId,
      createdAt: `2024-01-0${n}T00:00:00Z`,
      total: n,
      status: "pending",
      lines: [{ itemId: "i1", productId, quantity: n, price: 1.5 }],
    });
  }
  const first = await shop.ordersOfUser({ userId }).page({ limit: 2 });
  assert.deepEqual(
    first.items.map((order) => order.total),
    [5, 4],
  );
  const after = first.next;
  assert.ok(after !== undefined);
  const rest = await shop.ordersOfUser({ userId }).page({ after, limit: 10 });
  assert.deepEqual(
    rest.items.map((order) => order.total),
    [3, 2, 1],
  );
  const changed = `${after.slice(0, -2)}${after.endsWith("AA") ? "BB" : "AA"}`;
  assert.equal(await codeOf(shop.ordersOfUser({ userId }).page({ after: changed })), "invalid");
  const oldest = await shop.ordersOfUser({ userId }).page({ backward: true, limit: 1 });
  assert.equal(oldest.items[0]?.total, 1);
  const orderId = OrderId("o3");
  await shop.setStatus({ orderId, status: "paid" });
  const [paid] = await shop.ordersByStatus({ status: "paid" }).all(10);
  assert.equal(paid?.orderId, orderId);
  const kinds: string[] = [];
  for await (const found of shop.orderWithItems({ orderId })) {
    kinds.push(found.kind);
    if (found.kind === "OrderItem") assert.equal(found.quantity, 3);
    else assert.equal(found.status, "paid");
  }
  assert.deepEqual(kinds.sort(), ["Order", "OrderItem"]);
  const whole = await shop.orderWithItems({ orderId }).whole(2);
  assert.equal(whole.order.status, "paid");
  assert.deepEqual(
    whole.orderItems.map((item) => item.quantity),
    [3],
  );
  assert.equal(await codeOf(shop.orderWithItems({ orderId }).whole(1)), "too_many");
  assert.equal(await codeOf(shop.orderWithItems({ orderId: OrderId("o9") }).whole(1)), "not_found");
  const pages: number[] = [];
  for await (const page of shop.ordersByStatus({ status: "pending" }).pages({ limit: 3 })) {
    pages.push(page.items.length);
  }
  assert.deepEqual(pages.filter((length) => length > 0), [3, 1]);
  assert.equal(await codeOf(shop.itemsOfOrder({ orderId }).all(0)), "too_many");
  await shop.OrderItem.delete({ orderId, itemId: ItemId("i1") });
  assert.equal(await shop.itemsOfOrder({ orderId }).first(), undefined);
  assert.deepEqual((await shop.orderWithItems({ orderId }).whole(1)).orderItems, []);
  assert.equal(await codeOf(shop.setStatus({ orderId: OrderId("o9"), status: "paid" })), "not_found");
  const wrong = { orderId, status: "done" as "paid" };
  assert.equal(await codeOf(shop.setStatus(wrong)), "invalid", "from JSON, for instance");
}

export async function several(endpoint: string): Promise<void> {
  const shop = new ShopClient(endpoint);
  await shop.ensureTables();
  const [userId, productId, orderId] = [UserId("t1"), ProductId("t1"), OrderId("t1")];
  const user = { userId, email: "t1", name: "Tim", createdAt: "2024-01-15T10:30:00Z" };
  const order = { orderId, userId, createdAt: "2024-01-15T10:31:00Z", total: 3, status: "pending" } as const;
  const item = { orderId, itemId: ItemId("i1"), productId, quantity: 2, price: 1.5 };
  const done = await shop.transact([
    shop.part.createUser(user),
    shop.Order.part.create(order),
    shop.OrderItem.part.put(item),
  ]);
  assert.equal(done.operation, "TransactWriteItems");
  assert.deepEqual(done.writes[2]?.changes, ["put OrderItem"]);
  const [item2, paid] = [{ orderId, itemId: ItemId("i2") }, { orderId, status: "paid" } as const];
  await shop.transact([
    shop.part.setStatus(paid),
    shop.User.part.update({ userId }, { name: "Tina" }),
    shop.OrderItem.part.delete({ orderId, itemId: ItemId("i1") }),
  ]);
  assert.equal((await shop.user({ userId }))?.name, "Tina");
  assert.equal((await shop.ordersOfUser({ userId }).first())?.status, "paid", "the copy follows");
  const both = shop.transact([shop.User.part.delete({ userId }), shop.OrderItem.part.delete(item2)]);
  assert.equal(await codeOf(both), "not_found");
  assert.equal((await shop.user({ userId }))?.name, "Tina", "all or none");
  const changed = { ...paid, userId: UserId("t2") };
  const foreign = shop.transact([shop.Order.part.update({ orderId }, changed)]);
  assert.equal(await codeOf(foreign), "invalid", "a key does not change, from JSON, either");
  const products = Array.from({ length: 30 }, (_, n) => ({
    productId: ProductId(`t${n}`),
    name: `Pen ${n}`,
    price: n,
    stock: n,
  }));
  const put = await shop.Product.putMany(products);
  assert.equal(put.requests, 2);
  const keys = [{ productId: ProductId("t7") }, { productId: ProductId("none") }, { productId }];
  const found = await shop.Product.getMany(keys, { strong: true });
  assert.deepEqual(found.map((one) => one?.name), ["Pen 7", undefined, "Pen 1"]);
  await shop.Product.deleteMany(products.map((one) => ({ productId: one.productId })));
  assert.deepEqual(await shop.Product.getMany(keys), [undefined, undefined, undefined]);
  await shop.transact([shop.User.part.delete({ userId }), shop.Order.part.delete({ orderId })]);
}

export async function answers(endpoint: string): Promise<void> {
  const answers = new AnswersClient(endpoint);
  await answers.ensureTables();
  const [ada, bob] = [AccountId("ada"), AccountId("bob")];
  const place = { country: "de", city: "b", street: "s" };
  const tags = new Set(["x", "y"]);
  const home = { street: "s", account: bob };
  await answers.Account.create({ id: ada, owner: "Ada", ...place, tags, home });
  await answers.Account.create({ id: bob, owner: "Bob", ...place, logo: new Uint8Array([1, 2]) });
  const account = await answers.account({ id: ada });
  assert.deepEqual(account.tags, tags);
  assert.deepEqual(account.home, home);
  assert.deepEqual([account.balance, account.plan, account.v], [0, "free", 1]);
  assert.equal(await codeOf(answers.account({ id: AccountId("none") })), "not_found");
  await answers.Account.update({ id: ada }, { balance: 10, tags: null });
  const move = { "from.id": ada, "to.id": bob };
  await answers.transfer({ amount: 4, ...move });
  assert.equal(await codeOf(answers.transfer({ amount: 7, ...move })), "refused");
  const { payer, payee } = await answers.pair({ from: ada, to: bob });
  assert.deepEqual([payer.balance, payer.tags, payee?.balance], [6, undefined, 4]);
  assert.equal((await answers.pair({ from: ada, to: AccountId("none") })).payee, undefined);
  const { v, updatedAt: _, tickets: __, kind: ___, ...whole } = await answers.account({ id: bob });
  assert.equal(await codeOf(answers.Account.put({ ...whole, v: v - 1 })), "stale_version");
  await answers.Account.put({ ...whole, v });
  assert.deepEqual((await answers.account({ id: bob })).logo, new Uint8Array([1, 2]));
  const opened = await answers.openTicket({ id: ada, openedAt: "2024-01-15T10:00:00Z" });
  const { ticketId } = opened.made;
  const entry = { at: "2024-01-15T11:00:00Z", by: "bob", state: "waiting" } as const;
  await answers.log({ id: ada, ticketId, entry });
  await answers.Ticket.update({ id: ada, ticketId }, { assignee: "bob", status: "waiting" });
  const given = TicketId("01HZY3K8C7Q5W2N4V6X8Z0A1B2");
  const another = { id: bob, ticketId: given, openedAt: "2024-01-15T10:00:00Z" };
  const parts = [answers.Ticket.part.create({ ...another, ticketId: undefined as never }), answers.part.openTicket(another)] as const;
  const [drawn, asGiven] = (await answers.transact(parts)).writes;
  assert.equal(drawn.made.ticketId.length, 26);
  assert.equal(asGiven.made.ticketId, given);
  for (const { ticketId } of [drawn.made, asGiven.made]) await answers.Ticket.delete({ id: bob, ticketId });
  const { made } = await answers.Account.update({ id: bob }, { owner: "Bob" });
  assert.equal((await answers.account({ id: bob })).updatedAt, made.updatedAt);
  const ticket = await answers.ticket({ id: ada, ticketId });
  assert.deepEqual(ticket?.history, [{ ...entry, at: "2024-01-15T11:00:00.000Z" }]);
  const [waiting] = await answers.waiting().all(10);
  assert.deepEqual([waiting?.kind, waiting?.assignee], ["Ticket.brief", "bob"]);
  assert.equal((await answers.account({ id: ada })).tickets, 1);
  const places = await answers.places({ country: "de" }).all(10);
  assert.deepEqual(places.map(({ id }) => id).sort(), [ada, bob]);
  assert.equal((await answers.accounts({ id: [ada, bob] }).all(10)).length, 2);
  assert.equal((await answers.everyAccount().all(10)).length, 2);
}

export async function events(): Promise<void> {
  const shop = new ShopClient("http://127.0.0.1:1");
  const image = {
    PK: { S: "USER#u1" },
    SK: { S: "PROFILE" },
    GSI1PK: { S: "EMAIL#a" },
    GSI1SK: { S: "PROFILE" },
    entity: { S: "User" },
    userId: { S: "u1" },
    email: { S: "a" },
    name: { S: "Ada" },
    createdAt: { S: "2024-01-15T10:30:00.000Z" },
  };
  const Keys = { PK: image.PK, SK: image.SK };
  const event = await shop.event({ dynamodb: { Keys, NewImage: image } });
  assert.ok(event?.kind === "User");
  assert.equal(event.old, undefined);
  assert.equal(event.new?.name, "Ada");
}

export async function made(endpoint: string): Promise<void> {
  const client = new MadeClient(endpoint);
  await client.ensureTables();
  const [cartId, lineId] = [CartId("01HZY3K8C7Q5W2N4V6X8Z0A1B2"), LineId("7f0c7a52-6f0e-4c5b-9d61-000000000001")];
  const lines = [{ amount: 1 }, { amount: 2, lineId }, { amount: 3 }];
  const filled = (await client.fill({ id: cartId, cartId, lines })).made;
  assert.equal(filled.id, cartId, "as it was given");
  assert.equal(filled.lineId.length, 3);
  assert.equal(filled.lineId[1], lineId);
  assert.deepEqual(filled["Line.at"], [1, 2, 3].map(() => filled["Cart.at"]));
  const stored = await client.lines({ cartId }).all(10);
  const amounts = new Map(stored.map((one) => [one.lineId, one.amount]));
  assert.deepEqual(filled.lineId.map((one) => amounts.get(one)), [1, 2, 3]);
  const pair = (await client.pair()).made;
  assert.ok(pair["one.id"] !== pair["two.id"]);
  assert.equal((await client.cart({ id: pair["two.id"] }))?.at, pair["two.at"]);
  assert.equal((await client.visit({ day: "2024-01-15" })).made.firstAt, undefined, "one request does not say");
  const taskId = TaskId("t");
  await client.bornClosed({ taskId });
  const { closedAt } = (await client.close({ taskId })).made;
  assert.equal((await client.task({ taskId }))?.closedAt, closedAt);
  const moment = "2024-01-15T00:00:00.000Z";
  assert.equal((await client.close({ taskId, now: moment })).made.closedAt, moment, "as it was given");
  const each = (await client.closeEach({ tasks: [{ taskId }] })).made;
  assert.deepEqual(each.closedAt.map((one) => one > moment), [true]);
  const { made } = await client.Cart.putMany([{ note: "a" }, { id: cartId }]);
  assert.equal((await client.cart({ id: made[0]!.id }))?.note, "a");
  assert.equal(made[1]?.id, cartId);
}

export async function kinds(endpoint: string): Promise<void> {
  const bookmarks = new BookmarksClient(endpoint);
  await bookmarks.ensureTables();
  const ids = { customerId: CustomerId("c"), bookId: BookId("b") };
  const copy = { ...ids, format: "epub" } as const;
  const turned = { ...copy, device: "reader", updatedAt: "2024-01-15T10:30:00Z" };
  const positions = [{ page: 7, text: "x" }];
  await bookmarks.turnPage({ ...turned, kind: "lastread", positions });
  const [found] = await bookmarks.annotations(copy).all(10);
  assert.equal(found?.$kind, "Annotation");
  assert.equal(found?.kind, "lastread");
  assert.deepEqual(found?.positions, positions);
}

/** Names that every object inherits: what is left out is not given, and what is given is stored. */
export async function inheritedNames(endpoint: string): Promise<void> {
  const names = new LanguageNamesClient(endpoint);
  await names.ensureTables();
  const id = InheritsId("i");
  const stored = async (): Promise<unknown> => names.inherits({ id }, { strong: true });
  await names.Inherits.create({ id });
  assert.deepEqual(await stored(), { $$kind: "Inherits", id });
  const all: NewInherits = {
    id,
    valueOf: "a",
    toString: 1,
    toLocaleString: ["b"],
    constructor: { constructor: 2 },
    hasOwnProperty: "c",
    isPrototypeOf: true,
    propertyIsEnumerable: "d",
  };
  await names.Inherits.put(all);
  assert.deepEqual(await stored(), { $$kind: "Inherits", ...all });
  await names.Inherits.update({ id }, {});
  await names.Inherits.update({ id }, { valueOf: null, toString: 3 });
  await names.toString_({ id });
  const { valueOf: _, ...others } = all;
  assert.deepEqual(await stored(), { $$kind: "Inherits", ...others, toString: 3 });
  await names.toString_({ id, valueOf: "e" });
  await names.transact([names.Inherits.part.put({ id })]);
  assert.deepEqual(await stored(), { $$kind: "Inherits", id });
  const line = LanguageLineId("l");
  for (const [valueOf, toString] of [["a", "1"], ["a", "2"], ["b", "1"]] as const) {
    await names.Line.create({ id: line, valueOf, toString });
  }
  assert.equal((await names.lines({ id: line }).all(10)).length, 3);
  assert.equal((await names.lines({ id: line, valueOf: "a" }).all(10)).length, 2);
  assert.equal((await names.lines({ id: line, valueOf: "a", toString: "2" }).all(10)).length, 1);
  // An absent attribute is inherited, and the type says so.
  const found = await names.inherits({ id });
  assert.equal(typeof found?.valueOf === "string" ? found.valueOf : undefined, undefined);
  // One that reaches the runtime by its name is a value of the wrong type.
  const { valueOf } = {};
  for (const given of [{ id, valueOf }, { id, constructor: { valueOf } }] as NewInherits[]) {
    const error = await names.Inherits.create(given).catch((one: unknown) => one);
    assert.ok(error instanceof KeyfoldError && error.detail.code === "invalid");
    const name = Object.hasOwn(given, "valueOf") ? "valueOf" : "constructor.valueOf";
    assert.deepEqual([error.detail.of, error.detail.name], ["Inherits", name]);
    assert.ok(error.message.startsWith(`Inherits: ${name} is no string: function`), error.message);
  }
}
