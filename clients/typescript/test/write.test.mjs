/** Writes on a server: what follows from them, refusals and their places, and other writers. The requests are
 * compared with those of Keyfold's own client by `lockstep`. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { source, BINARY } from "./source.mjs";

const { Client, KeyfoldError, Writer, connect, startServer } = await source(
  "client.js",
  "error.js",
  "writer.js",
  "transport/node.js",
);

const MODEL = `
model writes 1

table Main (PK, SK)
table Logs (PK, SK) per day

record Move
  accountId: string, n: int

entity Customer in Main
  customerId: string, name: string
  key    "CUSTOMER#{customerId}"  "CUSTOMER"
  count  accounts of Account
  sum    worth of Account.balance
  max    highest of Account.balance

entity Account in Main
  accountId: string, customerId: Customer.customerId, balance: int, mail: string?, note: string?
  key        "ACCOUNT#{accountId}"    "ACCOUNT"
  copy card  "CUSTOMER#{customerId}"  "BALANCE#{balance:012}#{accountId}"  only balance, note
  unique     mail
  version    edition

entity Place in Main
  placeId: string, city: string, rank: int = 1
  key  "CITY#{city}"  "{rank:03}#{placeId}"
  id   placeId

entity Line in Logs
  device: string, at: time, text: string
  key  "DEVICE#{device}"  "{at}"

pattern customer(customerId)  -> Customer?
pattern account(accountId)    -> Account?
pattern accounts(customerId)  -> Account.card[]  highest page 3
pattern place(placeId)        -> Place?
pattern lines(device, day of at)  -> Line[] ascending page 10

write transfer(n: int)
  update Account as from set balance = balance - n when balance >= n
  update Account as to set balance = balance + n

write pay(n: int)
  update Account set balance = balance + n

write collect(moves: list of Move)
  update Account for each moves set balance = balance - n

write close()
  update Line set text = "closed" when text = "open"

write open_two()
  create Account as first
  create Account as second
  check Customer where customerId = first.customerId
`;

const folder = mkdtempSync(join(tmpdir(), "keyfold-write-"));
let plan;
let server;
let client;

before(async () => {
  const file = join(folder, "writes.keyfold");
  writeFileSync(file, MODEL);
  plan = JSON.parse(execFileSync(BINARY, ["plan", file], { encoding: "utf8" }));
  server = await connect("memory:");
  client = new Client(plan, server);
  await client.ensureTables();
});

after(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function refused(promise) {
  const error = await promise.then(
    (answer) => assert.fail(`no error, but ${JSON.stringify(answer)}`),
    (one) => one,
  );
  assert.ok(error instanceof KeyfoldError, String(error.stack));
  return error;
}

/** A customer with two accounts. */
async function customer(id) {
  await client.create("Customer", { customerId: id, name: "Ada" });
  await client.create("Account", { accountId: `${id}1`, customerId: id, balance: 5, mail: `${id}@x` });
  await client.create("Account", { accountId: `${id}2`, customerId: id, balance: 7 });
}

test("copies, guards and aggregates follow a write", async () => {
  await customer("a");
  const kept = async () => {
    const { accounts, worth, highest } = await client.one("customer", { customerId: "a" });
    return [accounts, worth, highest];
  };
  assert.deepEqual(await kept(), [2, 12, 7]);
  const report = await client.write("transfer", { "from.accountId": "a2", "to.accountId": "a1", n: 4 });
  assert.equal(report.operation, "TransactWriteItems");
  assert.deepEqual(report.changes, [
    "update Account",
    "delete Account.card",
    "put Account.card",
    "update Account",
    "delete Account.card",
    "put Account.card",
    "sum Customer.worth",
  ]);
  assert.deepEqual(await kept(), [2, 12, 9]);
  const { items } = await client.page("accounts", { customerId: "a" });
  assert.deepEqual(items.map((item) => item.balance), [9, 3]);
  await client.delete("Account", { accountId: "a1" });
  assert.deepEqual(await kept(), [1, 3, 3]);
  const error = await refused(client.delete("Customer", { customerId: "a" }));
  assert.equal(error.code, "refused");
  assert.match(error.message, /still has Account items; delete them first/);
  assert.deepEqual([error.place.action, error.place.entity, error.place.id], ["delete Customer", "Customer", { customerId: "a" }]);
  await client.delete("Account", { accountId: "a2" });
  await client.delete("Customer", { customerId: "a" });
  assert.equal(await client.one("customer", { customerId: "a" }), undefined);
});

test("an item that was read is changed and put back", async () => {
  await customer("back");
  const read = await client.one("customer", { customerId: "back" });
  await client.put("Customer", { ...read, name: "Eve" });
  const { name, accounts, worth, highest } = await client.one("customer", { customerId: "back" });
  assert.deepEqual([name, accounts, worth, highest], ["Eve", 2, 12, 7]);
  const [account] = (await client.page("accounts", { customerId: "back" })).items;
  const other = await refused(client.put("Customer", { ...read, kind: "Account" }));
  assert.equal(other.code, "invalid");
  assert.match(other.message, /Customer: an item of the kind `Account` is none/);
  const alone = await refused(client.put("Customer", { customerId: "back", name: "Ada", accounts: 2 }));
  assert.match(alone.message, /kept by the model/);
  assert.equal((await refused(client.put("Account", account))).code, "invalid");
});

test("an item that was read is a key, and an update of itself", async () => {
  await customer("key");
  const customers = new Writer(client, "Customer");
  const read = () => client.one("customer", { customerId: "key" });
  await client.update("Customer", { ...(await read()), name: "Eve" });
  await customers.update(await read(), { name: `${(await read()).name}!` });
  await client.transact([customers.part.update(await read(), { name: "Eve?" }).write]);
  const { name, accounts, worth } = await read();
  assert.deepEqual([name, accounts, worth], ["Eve?", 2, 12]);
  const absent = { ...(await read()), customerId: "none" };
  const [found, none] = await customers.getMany([await read(), absent]);
  assert.deepEqual([found?.name, none], ["Eve?", undefined]);
  // Changes have nothing of the key, wherever they are from.
  const both = await refused(customers.update({ customerId: "key" }, { ...(await read()), name: "Eve" }));
  assert.match(both.message, /^customerId is part of the key of Customer, which an update does not change$/);
  for (const wrong of [{ ...(await read()), kind: "Account" }, { ...(await read()), kind: null }, { customerId: "key", name: "Eve?" }]) {
    const calls = [() => customers.update(wrong, { name: "x" }), () => customers.delete(wrong), () => customers.getMany([wrong])];
    for (const call of calls) assert.equal((await refused(call())).code, "invalid");
  }
  await client.delete("Account", { accountId: "key1" });
  await client.delete("Account", await client.one("account", { accountId: "key2" }));
  await customers.delete(await read());
  assert.equal(await read(), undefined);
});

test("the version of an item that was read is the one that its key demands", async () => {
  await customer("seen");
  const accounts = new Writer(client, "Account");
  const seen = await client.one("account", { accountId: "seen1" });
  await client.update("Account", { accountId: "seen1", note: "by another" });
  for (const call of [
    () => accounts.update(seen, { balance: 1 }),
    () => client.update("Account", { ...seen, balance: 1 }),
    () => client.put("Account", { ...seen, balance: 1 }),
    () => client.transact([accounts.part.delete(seen).write]),
    () => accounts.delete(seen),
  ]) {
    assert.equal((await refused(call())).code, "stale_version");
  }
  const { edition: _, ...bare } = seen;
  await accounts.update(bare, { balance: 1 });
  // A read compares nothing.
  assert.equal((await accounts.getMany([seen]))[0].balance, 1);
  await accounts.delete(await client.one("account", { accountId: "seen1" }));
});

test("an item with an id and a copy are keys of their entity", async () => {
  await client.create("Place", { placeId: "given", city: "Rome" });
  const place = await client.one("place", { placeId: "given" });
  await client.update("Place", { placeId: "given", city: "Bern" });
  // Where it was does not matter.
  await client.delete("Place", place);
  assert.equal(await client.one("place", { placeId: "given" }), undefined);
  await customer("copied");
  const [card] = (await client.page("accounts", { customerId: "copied" })).items;
  assert.equal(card.kind, "Account.card");
  const lacks = await refused(client.delete("Account", card));
  assert.equal(lacks.message, "the key of Account needs accountId");
  await client.delete("Account", { ...card, accountId: "copied1" });
  const other = await refused(client.delete("Customer", { ...card, customerId: "copied" }));
  assert.equal(other.message, "Customer: an item of the kind `Account.card` is none");
});

test("a refused key says what a key has", async () => {
  for (const [key, message] of [
    [{ accountId: "a", acountId: "b" }, "acountId is no part of the key of Account, which is accountId; it may have edition, too"],
    [{ accountId: "a", balance: "x" }, "balance is no part of the key of Account, which is accountId; it may have edition, too"],
    [{ acountId: "a" }, "acountId is no part of the key of Account, which is accountId; it may have edition, too"],
    [{}, "the key of Account needs accountId"],
  ]) {
    const calls = [client.delete("Account", key), client.getMany("Account", [key]), client.update("Account", { note: "x" }, { key })];
    for (const call of calls) assert.equal((await refused(call)).message.replace("item 0 of the batch: ", ""), message);
  }
  const error = await refused(client.delete("Customer", { customerId: "a", accounts: 1 }));
  assert.equal(error.message, "accounts is no part of the key of Customer, which is customerId");
  const long = await refused(client.delete("Customer", { customerId: "a", ["x".repeat(9999)]: 1 }));
  assert.ok(long.message.length < 300, long.message);
});

test("a refusal names the action, the item and the conditions", async () => {
  await customer("b");
  const poor = await refused(client.write("transfer", { "from.accountId": "b1", "to.accountId": "b2", n: 6 }));
  assert.deepEqual(poor.detail, { code: "refused", conditions: "balance >= n (n = 6)" });
  assert.deepEqual(poor.place, {
    action: "update Account as from",
    table: "Main",
    key: { PK: "ACCOUNT#b1", SK: "ACCOUNT" },
    entity: "Account",
    id: { accountId: "b1" },
  });
  const twice = await refused(client.write("transfer", { "from.accountId": "b1", "to.accountId": "b1", n: 1 }));
  assert.match(twice.message, /a write changes an item once/);
  const taken = await refused(
    client.create("Account", { accountId: "b3", customerId: "b", balance: 1, mail: "b@x" }),
  );
  assert.deepEqual(taken.detail, { code: "taken", attributes: ["mail"] });
  assert.equal(taken.message, "mail `b@x` is taken: another Account has it");
  assert.deepEqual([taken.place.entity, taken.place.id], ["Account", { accountId: "b3" }]);
  const there = await refused(client.create("Account", { accountId: "b1", customerId: "b", balance: 1 }));
  assert.equal(there.code, "exists");
  assert.equal(there.place.action, "put Account");
  const orphan = await refused(client.create("Account", { accountId: "b4", customerId: "none", balance: 1 }));
  assert.equal(orphan.code, "not_found");
  assert.equal(orphan.message, "there is no Customer with customerId = none");
  assert.deepEqual([orphan.place.entity, orphan.place.id], ["Customer", { customerId: "none" }]);
  const gone = await refused(client.update("Account", { accountId: "none", note: "x" }));
  assert.equal(gone.code, "not_found");
  assert.equal(gone.place.action, "update Account");
  assert.deepEqual([gone.place.entity, gone.place.id], ["Account", { accountId: "none" }]);
  const rich = await refused(client.write("pay", { accountId: "b2", n: 10n ** 38n - 1n }));
  assert.equal(rich.message, "balance: the result is no number of DynamoDB");
  assert.equal(rich.place.action, "update Account");
  const stale = await refused(client.update("Account", { accountId: "b1", note: "x", edition: 9 }));
  assert.equal(stale.code, "stale_version");
  const required = await refused(client.update("Account", { accountId: "b1", balance: null }));
  assert.equal(required.code, "invalid");
  const lost = await refused(
    client.write("open_two", {
      "first.accountId": "b5",
      "first.customerId": "none",
      "first.balance": 1,
      "second.accountId": "b6",
      "second.customerId": "b",
      "second.balance": 1,
    }),
  );
  assert.equal(lost.code, "not_found");
});

test("a wrong value is named as the caller wrote it", async () => {
  const empty = await refused(client.write("transfer", { "from.accountId": "b1", "to.accountId": "", n: 1 }));
  assert.equal(empty.code, "invalid");
  assert.equal(empty.detail.name, "to.accountId");
  assert.equal(empty.message, "to.accountId: accountId is empty, and a key is made of it");
  const moves = [{ accountId: "b1", n: 1 }, { accountId: "", n: 1 }];
  const field = await refused(client.write("collect", { moves }));
  assert.equal(field.detail.name, "moves[1].accountId");
});

test("each write counts in the version", async () => {
  await client.update("Account", { accountId: "b1", balance: 5 });
  const { edition } = await client.one("account", { accountId: "b1" });
  await client.update("Account", { accountId: "b1", balance: 5 });
  assert.equal((await client.one("account", { accountId: "b1" })).edition, edition + 1);
});

test("writers of one item take turns", async () => {
  await customer("c");
  const both = [1, 2, 3, 4, 5, 6].map((n) =>
    client.write("transfer", n % 2 === 0
      ? { "from.accountId": "c1", "to.accountId": "c2", n: 1 }
      : { "from.accountId": "c2", "to.accountId": "c1", n: 1 }),
  );
  await Promise.all(both);
  const [one, two] = await Promise.all(["c1", "c2"].map((accountId) => client.one("account", { accountId })));
  assert.deepEqual([one.balance, two.balance], [5, 7]);
  assert.deepEqual([one.edition, two.edition], [7, 7]);
  const { worth, highest } = await client.one("customer", { customerId: "c" });
  assert.deepEqual([worth, highest], [12, 7]);
});

test("a write that is always overtaken gives up", async () => {
  await customer("d");
  const busy = {
    call(operation, input, signal) {
      if (operation !== "TransactWriteItems") return server.call(operation, input, signal);
      const reasons = [{ code: "TransactionConflict" }];
      const detail = { code: "service", exception: "TransactionCanceledException", reasons };
      return Promise.reject(new KeyfoldError("cancelled", detail));
    },
  };
  const slow = new Client(plan, busy);
  const error = await refused(slow.update("Account", { accountId: "d1", balance: 1 }));
  assert.equal(error.code, "overtaken");
  assert.equal(error.message, "Account was changed by others 24 times in a row; try again");
  const named = await refused(slow.write("pay", { accountId: "d1", n: 1 }));
  assert.deepEqual([named.code, named.message], ["overtaken", "pay: the items were changed by others 24 times in a row"]);
});

test("a lost answer names what to look at", async () => {
  const lost = {
    async call() {
      throw new KeyfoldError("lost", { code: "outcome_unknown", why: "the line was cut", check: "it" });
    },
  };
  const error = await refused(new Client(plan, lost).create("Customer", { customerId: "e", name: "n" }));
  assert.equal(error.code, "outcome_unknown");
  assert.equal(
    error.message,
    "whether it was done is not known: the line was cut; look at put Customer of Main (PK = CUSTOMER#e, SK = CUSTOMER) before you do it again",
  );
});

test("a transaction whose answer is lost is done once", async () => {
  const own = await startServer();
  try {
    let lost = 0;
    const cut = async (url, init) => {
      const answer = await fetch(url, init);
      if (!init.headers["x-amz-target"].endsWith("WriteItems") || lost === 1) return answer;
      lost += 1;
      throw Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error("cut"), { code: "ECONNRESET" }) });
    };
    const cutting = new Client(plan, { endpoint: own.endpoint, fetch: cut });
    await cutting.ensureTables();
    await cutting.create("Customer", { customerId: "f", name: "n" });
    const account = { accountId: "f1", customerId: "f", balance: 3 };
    assert.equal((await cutting.create("Account", account)).operation, "TransactWriteItems");
    assert.equal(lost, 1);
    const { accounts, worth } = await cutting.one("customer", { customerId: "f" });
    assert.deepEqual([accounts, worth], [1, 3]);
  } finally {
    await own.stop();
  }
});

test("an item with an id moves with its guard", async () => {
  await client.create("Place", { placeId: "p", city: "Rome" });
  const report = await client.update("Place", { placeId: "p", city: "Bern" });
  assert.deepEqual(report.changes, ["delete Place", "put Place", "put the guard of placeId"]);
  assert.equal((await client.one("place", { placeId: "p" })).city, "Bern");
  await Promise.all(["Oslo", "Lima", "Graz"].map((city) => client.update("Place", { placeId: "p", city })));
  const { city } = await client.one("place", { placeId: "p" });
  assert.ok(["Oslo", "Lima", "Graz"].includes(city), city);
  const there = await refused(client.create("Place", { placeId: "p", city: "Nice" }));
  assert.equal(there.code, "exists");
  await client.delete("Place", { placeId: "p" });
  assert.equal(await client.one("place", { placeId: "p" }), undefined);
  const { Count } = await server.call("Scan", {
    TableName: "Main",
    FilterExpression: "contains(PK, :p) OR begins_with(PK, :u)",
    ExpressionAttributeValues: { ":p": { S: "CITY#" }, ":u": { S: "UNIQUE#Place" } },
  });
  assert.equal(Count, 0);
});

test("the table of a period is created when its first item is written", async () => {
  const at = "2031-05-06T07:08:09.000Z";
  const report = await client.put("Line", { device: "x", at, text: "hello" });
  assert.equal(report.operation, "PutItem");
  const { TableNames } = await server.call("ListTables", {});
  assert.ok(TableNames.includes("Logs_2031_05_06"), String(TableNames));
  await client.update("Line", { device: "x", at, text: "again" });
});

test("a refusal says whether the item is missing or its condition is false", async () => {
  await client.put("Line", { device: "lock", at: "2024-01-01T00:00:00Z", text: "open" });
  const close = (device) => refused(client.write("close", { device, at: "2024-01-01T00:00:00Z" }));
  assert.equal((await client.write("close", { device: "lock", at: "2024-01-01T00:00:00Z" })).operation, "UpdateItem");
  const closed = await close("lock");
  assert.equal(closed.code, "refused");
  assert.match(
    closed.message,
    /^update Line: the Line with device = lock, at = .* does not meet the condition text = "open"/,
  );
  const missing = await close("none");
  assert.equal(missing.code, "not_found");
  assert.match(missing.message, /^there is no Line with device = none/);
});

test("a write reports the capacity of its reads, too", async () => {
  await client.put("Customer", { customerId: "read", name: "Ann" });
  const put = await client.put("Place", { placeId: "read", city: "Ulm" });
  const { capacity } = await client.update("Place", { placeId: "read", rank: 2 });
  // The guard and the item are read.
  assert.ok(capacity >= put.capacity + 2, String(capacity));
});
