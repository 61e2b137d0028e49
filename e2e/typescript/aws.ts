// Clients of the AWS SDK itself as the connections of generated clients, against a server: `generated.test.mjs`
// calls these programs.

import assert from "node:assert/strict";
import * as sdk from "@aws-sdk/client-dynamodb";
import { type Connection, KeyfoldError } from "@keyfold/client";
import { awsTransport } from "@keyfold/client/aws";
import { AccountId, AnswersClient, type NewAccount, TicketId } from "./made/answers.js";
import { ProductId, ShopClient } from "./made/shop.js";

/** The client that a program has already. `sent` counts what goes through its middleware. */
function clientOf(endpoint: string, maxAttempts: number): { client: sdk.DynamoDBClient; sent: { [command: string]: number } } {
  const credentials = { accessKeyId: "key", secretAccessKey: "s/e+c", sessionToken: "token" };
  const client = new sdk.DynamoDBClient({ endpoint, region: "eu-west-1", credentials, maxAttempts });
  const sent: { [command: string]: number } = {};
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      (given) => {
        sent[commandName] = (sent[commandName] ?? 0) + 1;
        return next(given);
      },
    { step: "initialize" },
  );
  return { client, sent };
}

/** The error of a call that must fail. */
async function errorOf(call: Promise<unknown>): Promise<KeyfoldError> {
  const error = await call.then(() => "none", (one: unknown) => one);
  assert.ok(error instanceof KeyfoldError, String(error));
  return error;
}

/** A client hands its endpoint, region and credentials over: requests are this package's own. */
export async function itsSettings(endpoint: string): Promise<void> {
  const { client, sent } = clientOf(endpoint, 3);
  await program(client, "settings");
  assert.deepEqual(sent, {});
}

/** A transport of a client sends each request by it. */
export async function itsTransport(endpoint: string): Promise<void> {
  const { client, sent } = clientOf(endpoint, 1);
  await program(awsTransport(client, sdk), "transport");
  for (const name of ["GetItem", "PutItem", "Query", "TransactWriteItems", "BatchGetItem", "BatchWriteItem"]) {
    assert.ok((sent[`${name}Command`] ?? 0) > 0, `${name}: ${JSON.stringify(sent)}`);
  }
  client.destroy();
}

/** The SDK must not send a write again whose answer was lost. */
export async function itsAttempts(endpoint: string): Promise<void> {
  const answers = new AnswersClient(awsTransport(clientOf(endpoint, 3).client, sdk));
  const error = await errorOf(answers.findAccount({ id: AccountId("a") }));
  assert.deepEqual([error.code, error.message.includes("`maxAttempts: 1`")], ["invalid", true]);
}

/** A profile whose keys only the SDK finds, as the files of `generated.test.mjs` have one. */
export async function itsCredentials(endpoint: string): Promise<void> {
  await program(`${endpoint}?profile=printed`, "credentials");
  const error = await errorOf(new AnswersClient(`${endpoint}?profile=none`).findAccount({ id: AccountId("a") }));
  assert.equal(error.code, "transport", error.message);
}

/** Reads, writes, pages and refusals. Items of each caller are its own. */
async function program(connection: Connection, caller: string): Promise<void> {
  const answers = new AnswersClient(connection);
  await answers.ensureTables();
  const [ada, bob, none] = ["ada", "bob", "none"].map((name) => AccountId(`${caller}-${name}`)) as [AccountId, AccountId, AccountId];
  const place = { country: caller, city: "b", street: "s" };
  const logo = new Uint8Array([0, 1, 255]);
  const account: NewAccount = { id: ada, owner: "Ada", ...place, balance: 10, logo, tags: new Set(["x", "y"]) };
  await answers.Account.create(account);
  await answers.Account.create({ ...account, id: bob, owner: "Bob", balance: 0 });
  const { owner, balance, logo: read, tags } = await answers.account({ id: ada }, { strong: true });
  assert.deepEqual({ owner, balance, logo: read, tags }, { owner: "Ada", balance: 10, logo, tags: account.tags });
  assert.equal((await errorOf(answers.account({ id: none }))).code, "not_found");
  await refusals(answers, [ada, bob, none]);
  await pages(answers, ada);
  assert.equal((await answers.accounts({ id: [ada, bob, none] }).all(10)).length, 2);
  await batches(new ShopClient(connection), caller);
}

/** A refused condition has the item that refused it; a refused transaction its write. */
async function refusals(answers: AnswersClient, [ada, bob, none]: [AccountId, AccountId, AccountId]): Promise<void> {
  const again = await errorOf(answers.Account.create({ id: ada, owner: "A", country: "c", city: "b", street: "s" }));
  assert.deepEqual([again.code, again.place?.entity, again.place?.id], ["exists", "Account", { id: ada }]);
  await answers.transfer({ amount: 4, "from.id": ada, "to.id": bob });
  const refused = await errorOf(answers.transfer({ amount: 7, "from.id": ada, "to.id": bob }));
  const key = { PK: `ACCOUNT#${ada}`, SK: "ACCOUNT" };
  assert.deepEqual([refused.code, refused.place?.action, refused.place?.key], ["refused", "update Account as from", key]);
  assert.ok(refused.message.includes("balance >= amount"), refused.message);
  const missing = await errorOf(answers.transfer({ amount: 1, "from.id": ada, "to.id": none }));
  assert.deepEqual([missing.code, missing.place?.id], ["not_found", { id: none }]);
  const parts = [answers.part.transfer({ amount: 1, "from.id": ada, "to.id": bob }), answers.Account.part.create({ id: none, owner: "N", country: "c", city: "b", street: "s" })];
  const { writes } = await answers.transact(parts);
  assert.equal(writes.length, 2);
  const both = await errorOf(answers.transact(parts));
  assert.deepEqual([both.code, both.write, both.place?.id], ["exists", 1, { id: none }]);
  assert.equal((await answers.account({ id: ada }, { strong: true })).balance, 5, "all or none");
  await answers.Account.delete({ id: none });
}

/** Batches of 25 and of 100. */
async function batches(shop: ShopClient, caller: string): Promise<void> {
  await shop.ensureTables();
  const products = Array.from({ length: 30 }, (_, n) => ({ productId: ProductId(`${caller}-${n}`), name: "Pen", price: n, stock: n }));
  assert.equal((await shop.Product.putMany(products)).requests, 2);
  const found = await shop.Product.getMany(products.map(({ productId }) => ({ productId })), { strong: true });
  assert.deepEqual(found.map((one) => one?.price), products.map(({ price }) => price));
}

/** Pages go on after their cursors. */
async function pages(answers: AnswersClient, id: AccountId): Promise<void> {
  for (let n = 0; n < 5; n += 1) {
    await answers.openTicket({ id, openedAt: `2024-01-15T10:00:0${n}Z`, severity: n });
  }
  const lengths: number[] = [];
  for await (const { items } of answers.severe({ id, least: 0 }).pages({ limit: 2 })) lengths.push(items.length);
  assert.deepEqual(lengths.filter((length) => length > 0), [2, 2, 1]);
  const { items, next } = await answers.severe({ id, least: 0 }).page({ limit: 3 });
  assert.ok(next !== undefined);
  const rest = await answers.severe({ id, least: 0 }).page({ limit: 3, after: next });
  assert.deepEqual([items.length, rest.items.length], [3, 2]);
  assert.deepEqual([...items, ...rest.items].map(({ severity }) => severity).sort(), [0, 1, 2, 3, 4]);
  assert.equal(await answers.ticket({ id, ticketId: TicketId("01HZY3K8C7Q5W2N4V6X8Z0A1B2") }), undefined);
}
