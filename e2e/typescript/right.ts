// Programs that compile: what the wrong ones of wrong.ts should have been.

import { KeyfoldError, type StreamRecord } from "@keyfold/client";
import { AccountId, AnswersClient, TicketId } from "./made/answers.js";
import type { Account, AnswersEvent, NewTicket, TicketBrief } from "./made/answers.js";
import { ItemId, OrderId, ProductId, ShopClient, UserId } from "./made/shop.js";
import type { Order, OrderItem, OrderStatus, OrderSummary, ShopEvent, ShopEventWithCopies, User } from "./made/shop.js";

export const shop: ShopClient = new ShopClient("http://localhost:8000", { cursorSecret: "s" });
export const answers: AnswersClient = new AnswersClient("dynamodb://eu-west-1");

export async function reads(userId: UserId, orderId: OrderId, signal: AbortSignal): Promise<void> {
  const user: User | undefined = await shop.user({ userId }, { strong: true, signal });
  if (user !== undefined) user.email.toLowerCase();
  const page = await shop.ordersOfUser({ userId }).page({ limit: 5, backward: true });
  const cursor: string | undefined = page.next;
  const more = await shop.ordersOfUser({ userId }).page({ after: cursor });
  const status: OrderStatus | undefined = more.items[0]?.status;
  for await (const order of shop.ordersByStatus({ status: status ?? "paid" })) {
    order.total.toFixed(2);
  }
  const whole = await shop.orderWithItems({ orderId }).whole(100, { strong: true });
  const single: Order = whole.order;
  const listed: readonly OrderItem[] = whole.orderItems;
  single.total.toFixed(listed.length);
  for await (const found of shop.orderWithItems({ orderId })) {
    switch (found.kind) {
      case "Order":
        found.status satisfies OrderStatus;
        break;
      case "OrderItem":
        found.productId satisfies ProductId;
        break;
      default:
        found satisfies never;
    }
  }
  const items: OrderItem[] = await shop.itemsOfOrder({ orderId }).all(100);
  const first: OrderItem | undefined = await shop.itemsOfOrder({ orderId }).first();
  await shop.user({ userId: first === undefined ? UserId("u") : userId });
  await shop.product({ productId: items[0]?.productId ?? ProductId("p") });
}

export async function writes(userId: UserId, orderId: OrderId): Promise<void> {
  const made = await shop.createOrder({
    orderId,
    userId,
    createdAt: "2024-01-15T10:30:00Z",
    total: 12.5,
    status: "pending",
    lines: [{ itemId: "1", productId: ProductId("p"), quantity: 1, price: 12.5 }],
  });
  made.changes.join(", ");
  await shop.Order.update({ orderId }, { status: "paid" });
  await shop.Order.delete({ orderId });
  await answers.edit({ id: AccountId("a"), owner: "Ada" });
  await answers.transfer({ amount: 1, "from.id": AccountId("a"), "to.id": AccountId("b") });
  await answers.Account.put({
    id: AccountId("a"),
    owner: "Ada",
    country: "de",
    city: "b",
    street: "s",
    v: 3,
  });
  await answers.Ticket.update(
    { id: AccountId("a"), ticketId: TicketId("t") },
    { assignee: null, severity: 2 },
  );
  const ticket: NewTicket = { id: AccountId("a"), openedAt: "2024-01-15" };
  try {
    await answers.Ticket.create(ticket);
  } catch (error) {
    if (error instanceof KeyfoldError && error.detail.code === "taken") {
      error.detail.attributes.join(", ");
    }
  }
}

export async function more(id: AccountId): Promise<void> {
  const account: Account = await answers.account({ id });
  const tags: ReadonlySet<string> = account.tags ?? new Set();
  tags.has("a");
  const { payer, payee } = await answers.pair({ from: id, to: id });
  payer.balance + (payee?.balance ?? 0);
  await answers.accounts({ id: [id] }).all(10, { strong: true });
  await answers.places().page();
  await answers.places({ country: "de", city: "b" }).page({ backward: true });
  // Arguments that may be absent, in their order; options stay the second of what has no parameters.
  const [country, city]: (string | undefined)[] = [];
  await answers.places({ country }).page();
  await answers.places({ country: "de", city }).page();
  await answers.edit({ id, owner: country });
  // So may attributes, and the fields of their records.
  await answers.Account.update({ id }, { owner: country, home: { street: "Elm", zip: city, account: id } });
  await answers.everyAccount({}).page();
  for await (const { dueAt } of answers.due()) dueAt.slice(0, 10);
  for await (const { assignee, status } of answers.waiting()) {
    assignee.length;
    status satisfies "waiting";
  }
  const brief: TicketBrief | undefined = await answers.briefs({ status: "open" }).first();
  brief?.assignee?.length;
}

export async function several(userId: UserId, orderId: OrderId): Promise<void> {
  const productId = ProductId("p");
  const done = await shop.transact([
    shop.part.setStatus({ orderId, status: "paid" }),
    shop.User.part.update({ userId }, { name: "Ada" }),
    shop.Product.part.put({ productId, name: "Pen", price: 1, stock: 1 }),
    shop.OrderItem.part.delete({ orderId, itemId: ItemId("i") }),
  ]);
  done.writes.flatMap((write) => write.changes).join(", ");
  const ticket = { id: AccountId("a"), openedAt: "2024-01-15" };
  const { made } = await answers.Ticket.create(ticket);
  made.ticketId satisfies TicketId;
  const both = await answers.transact([
    answers.part.openTicket(ticket),
    answers.Account.part.update({ id: ticket.id }, { owner: "Ada" }),
  ]);
  both.writes[0].made.ticketId satisfies TicketId;
  both.writes[1].made.updatedAt.slice(0, 10);
  const several = await answers.transact([ticket, ticket].map((one) => answers.part.openTicket(one)));
  several.writes[0]?.made.ticketId satisfies TicketId | undefined;
  const [order]: (Order | undefined)[] = await shop.Order.getMany([{ orderId }], { strong: true });
  order?.status satisfies OrderStatus | undefined;
  const { requests } = await shop.Product.putMany([{ productId, name: "Pen", price: 1, stock: 1 }]);
  requests.toFixed();
  await shop.Product.deleteMany([{ productId }]);
}

export async function events(record: StreamRecord, fromJson: { eventName: string }): Promise<string> {
  // Records of JSON and of Lambda, as literals.
  await shop.event({ eventName: "INSERT", dynamodb: { Keys: {}, NewImage: {}, SequenceNumber: "1" } }, { copies: false });
  await shop.event({ ...fromJson, eventSourceARN: "arn", dynamodb: {} }, { onUnknown: "skip" });
  const all: ShopEventWithCopies | undefined = await shop.event(record, { copies: true });
  if (all?.kind === "Order.summary") all.new satisfies OrderSummary | undefined;
  const { length }: string = all?.kind === "Order" ? (all.new?.userId ?? "") : "";
  const one: AnswersEvent | undefined = await answers.event(record);
  if (one?.kind === "Ticket") one.new?.assignee?.length;
  const event: ShopEvent | undefined = await shop.event(record);
  if (event === undefined || length > 9) return "";
  switch (event.kind) {
    case "User":
      return event.new?.email ?? "";
    case "Order":
      return order(event.old, event.new);
    case "OrderItem":
    case "Product":
      return event.kind;
  }
}

function order(old: Order | undefined, made: Order | undefined): string {
  return `${old?.status} ${made?.status}`;
}
