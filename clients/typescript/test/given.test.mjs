/** What programs give, often from JSON: keys that are only keys, names that objects inherit, objects that are
 * none of the model's, options. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { counted, planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client, KeyfoldError, Writer, connect } = await source(
  "client.js",
  "error.js",
  "writer.js",
  "transport/node.js",
);

const PLAN = planOf(`
model given 1
table Main (PK, SK)
record Part
  label: string, "toString": string?
entity Account
  id: string, owner: string, balance: int, edition: int
  "__proto__": string?, "constructor": string?, parts: list of Part?
  key "ACCOUNT#{id}" "ACCOUNT"
  version edition
entity Place
  placeId: string, city: string
  key "CITY#{city}" "{placeId}"
  id placeId
entity Owner
  name: string
  key "OWNER#{name}" "OWNER"
  count "valueOf" of Loan
entity Loan
  name: Owner.name, number: int
  key "OWNER#{name}" "LOAN#{number:04}"
pattern account(id) -> Account?
pattern owner(name) -> Owner?
pattern place(placeId) -> Place?
pattern loans(name) -> Loan[] page 3
`.replace(", edition: int", ""));

const MADE = planOf(`
model made 1
table Main (PK, SK)
entity Made
  key: ulid = new, text: string
  key "MADE#{key}" "MADE"
`);

let server;
before(async () => {
  server = await connect("memory:");
  await new Client(PLAN, server).ensureTables();
});
after(() => server.close());

/** Asserts that a call is refused before anything is sent. */
async function refused(call, name, of, reason) {
  const transport = counted();
  const error = await call(new Client(PLAN, transport)).then(assert.fail, (one) => one);
  assert.ok(error instanceof KeyfoldError, String(error.stack));
  assert.equal(error.code, "invalid", error.message);
  assert.deepEqual([error.detail.name, error.detail.of], [name, of], error.message);
  if (reason !== undefined) assert.match(error.message, reason);
  assert.deepEqual(transport.sent, []);
}

test("a key has nothing but what identifies an item", async () => {
  const accounts = (client) => new Writer(client, "Account");
  const wrong = [
    [(client) => accounts(client).update({ id: "a", balance: 99 }, { owner: "x" }), "balance"],
    [(client) => accounts(client).delete({ id: "a", owner: "somebody" }), "owner"],
    [(client) => client.delete("Account", { id: "a", balance: 1 }), "balance"],
    [(client) => accounts(client).update({ id: "a" }, { id: "b", balance: 1 }), "id", /does not change/],
    [(client) => accounts(client).update({ id: "a" }, { id: null, balance: 1 }), "id"],
    [(client) => accounts(client).update({ id: "a", edition: 1 }, { edition: 2 }), "edition"],
    [(client) => accounts(client).update({}, { id: "a", balance: 1 }), "id"],
    [(client) => accounts(client).update(null, { balance: 1 }), undefined],
    [(client) => accounts(client).update({ id: "a" }, null), undefined],
    [(client) => accounts(client).update({ id: "a" }, ["x"]), undefined],
  ];
  for (const [call, name, reason] of wrong) await refused(call, name, "Account", reason);
  const client = new Client(PLAN, server);
  await accounts(client).create({ id: "a", owner: "ada", balance: 1 });
  await accounts(client).update({ id: "a", edition: 1 }, { balance: 2, id: undefined });
  await assert.rejects(accounts(client).update({ id: "a", edition: 1 }, { balance: 3 }), { code: "stale_version" });
  assert.equal((await client.one("account", { id: "a" })).balance, 2);
  await accounts(client).delete({ id: "a", edition: 2 });
  const places = new Writer(client, "Place");
  await places.create({ placeId: "p", city: "Rom" });
  await places.update({ placeId: "p" }, { city: "Ulm" });
  assert.equal((await client.one("place", { placeId: "p" })).city, "Ulm");
  await places.delete({ placeId: "p" });
});

test("names that every object has are names like others", async () => {
  const client = new Client(PLAN, server);
  await client.create("Owner", { name: "ada" });
  await client.create("Loan", { name: "ada", number: 1 });
  const owner = await client.one("owner", { name: "ada" });
  assert.equal(owner.valueOf, 1);
  await refused((one) => one.create("Owner", { name: "ada", valueOf: 5 }), "valueOf", "Owner");
  const given = JSON.parse('{"id":"p","owner":"x","balance":1,"__proto__":"own","constructor":"c","parts":[{"label":"l"}]}');
  await client.put("Account", given);
  const found = await client.one("account", { id: "p" });
  assert.deepEqual(Object.entries(found).filter(([name]) => name !== "kind" && name !== "edition").sort(), Object.entries(given).sort());
  const { constructor: _, ...without } = given;
  await client.put("Account", without);
  assert.ok(!Object.hasOwn(await client.one("account", { id: "p" }), "constructor"));
});

test("no values, no options and no records are invalid", async () => {
  for (const nothing of [null, 5, "text", ["x"]]) {
    await refused((client) => client.put("Account", nothing), undefined, "Account");
    await refused((client) => client.create("Account", nothing), undefined, "Account");
    await refused((client) => client.update("Account", nothing), undefined, "Account");
    await refused((client) => client.delete("Account", nothing), undefined, "Account");
    await refused((client) => client.page("loans", nothing), undefined, "the pattern loans");
  }
  for (const nothing of [null, {}, "text"]) {
    await refused((client) => client.transact(nothing), undefined, "the transaction");
    await refused((client) => client.getMany("Account", nothing), undefined, "Account");
    await refused((client) => client.putMany("Account", nothing), undefined, "Account");
  }
  await refused((client) => client.transact([null]), undefined, "a write of a transaction");
  await refused((client) => client.getMany("Account", [null]), undefined, "Account");
  await refused((client) => client.getMany("Account", [{ id: "a", owner: "x" }]), "owner", "Account");
  await refused((client) => client.transact([{ delete: "Account", key: { id: "a", owner: "x" } }]), "owner", "Account");
  await refused((client) => client.page("loans", { name: "ada" }, null), "options", "the pattern loans");
  await refused((client) => client.put("Owner", { name: "ada" }, null), "options", "Owner");
  for (const record of [null, undefined, 5, {}, { dynamodb: null }, { dynamodb: "x" }, { dynamodb: { Keys: null } }]) {
    await refused((client) => client.event(record), "record", undefined);
  }
});

test("what bounds a call is a number, and what ends it a signal", async () => {
  const calls = [
    [(client, options) => client.page("loans", { name: "a" }, options), "the pattern loans"],
    [(client, options) => client.one("owner", { name: "a" }, options), "the pattern owner"],
    [(client, options) => client.all("loans", { name: "a" }, 9, options), "the pattern loans"],
    [(client, options) => client.create("Owner", { name: "a" }, options), "Owner"],
    [(client, options) => client.update("Account", { id: "a", balance: 1 }, options), "Account"],
    [(client, options) => client.delete("Owner", { name: "a" }, options), "Owner"],
    [(client, options) => client.getMany("Owner", [{ name: "a" }], options), "Owner"],
    [(client, options) => client.transact([{ create: "Owner", values: { name: "a" } }], options), undefined],
    [(client, options) => client.ensureTables(options), undefined],
  ];
  for (const [call, of] of calls) {
    for (const timeout of [Number.NaN, "5", null, {}, Object.create(null), -1, -0.5, Number.NEGATIVE_INFINITY]) {
      await refused((client) => call(client, { timeout }), "timeout", of);
    }
    for (const signal of [{}, 5, "x", new AbortController(), { aborted: false }]) {
      await refused((client) => call(client, { signal }), "signal", of);
    }
  }
  for (const timeout of [Number.NaN, "5", {}, 5n]) {
    assert.throws(() => new Client(PLAN, counted(), { timeout }), { code: "invalid", detail: { code: "invalid", name: "timeout" } });
  }
  for (const most of [Number.NaN, undefined, null, "5", -1, 2.5, 5n, Symbol("s"), true]) {
    await refused((client) => client.all("loans", { name: "a" }, most), "most", "the pattern loans");
  }
  const client = new Client(PLAN, server, { timeout: null });
  const free = { timeout: Number.POSITIVE_INFINITY, signal: null };
  assert.deepEqual(await client.all("loans", { name: "nobody" }, Number.POSITIVE_INFINITY, free), []);
});

test("options that say nothing are refused in a short sentence", async () => {
  const page = (client, options) => client.page("loans", { name: "a" }, options);
  for (const wrong of ["yes", 1, 0, null, {}, [], Symbol("s"), Object.create(null), "x".repeat(9999)]) {
    for (const name of ["strong", "backward"]) {
      await refused((client) => page(client, { [name]: wrong }), name, "the pattern loans", /^`\w+` is true or false$/);
    }
    await refused((client) => client.getMany("Owner", [{ name: "a" }], { strong: wrong }), "strong", "Owner");
    await refused((client) => client.event({}, { copies: wrong }), "copies", undefined);
    await refused((client) => client.event({}, { onUnknown: wrong }), "onUnknown", undefined, /"error" or "skip"/);
    for (const name of ["onUnknown", "numbers"]) {
      assert.throws(() => new Client(PLAN, counted(), { [name]: wrong }), { code: "invalid" });
    }
  }
  for (const limit of [0, -1, 1.5, "3", null, Symbol("s"), Object.create(null), 2 ** 31, 1e300]) {
    await refused((client) => page(client, { limit }), "limit", "the pattern loans", /from 1 to 2147483647, and not .+$/);
  }
  await refused((client) => page(client, { limit: 0 }), "limit", "the pattern loans", /, and not 0$/);
  await refused((client) => page(client, { limit: "0" }), "limit", "the pattern loans", /, and not '0'$/);
  for (const name of ["limt", "toString", "x".repeat(9999)]) {
    await refused((client) => page(client, { [name]: 1 }), name, "the pattern loans", /^there is no option `.{4,130}`$/);
  }
  for (const remove of ["owner", 5, {}, [5], [Symbol("s")]]) {
    await refused((client) => client.update("Account", { id: "a" }, { remove }), "remove", "Account", /an array of names$/);
  }
  const client = new Client(PLAN, server, { onUnknown: undefined, numbers: undefined });
  const absent = { strong: undefined, backward: undefined, limit: undefined, after: null, signal: null };
  assert.deepEqual((await client.page("loans", { name: "nobody" }, absent)).items, []);
});

test("options are looked at once, wherever they are, and are those of the call", async () => {
  const page = (client, options) => client.page("loans", { name: "a" }, options);
  class Own {
    get limit() {
      return "x";
    }
  }
  for (const options of [Object.create({ limit: 0 }), new Own(), Object.assign(Object.create(null), { limit: 0 })]) {
    await refused((client) => page(client, options), "limit", "the pattern loans");
  }
  await refused((client) => page(client, Object.create({ limt: 1 })), "limt", "the pattern loans");
  for (const options of [new Map([["limit", 1]]), new Set(), [], () => 1]) {
    await refused((client) => page(client, options), "options", "the pattern loans");
  }
  let reads = 0;
  const counting = {
    get limit() {
      reads += 1;
      return reads;
    },
  };
  await page(new Client(PLAN, server), counting);
  assert.equal(reads, 1);
  const heard = { aborted: false, addEventListener() {}, removeEventListener() {} };
  for (const [name, value] of [["aborted", "no"], ["addEventListener", undefined], ["removeEventListener", 5]]) {
    await refused((client) => page(client, { signal: { ...heard, [name]: value } }), "signal", "the pattern loans");
  }
  await page(new Client(PLAN, server), { signal: heard });
});

test("an option of another call is refused by its name", async () => {
  const values = { limit: 1, after: null, backward: true, strong: true, remove: [], key: {}, copies: true, onUnknown: "skip" };
  const calls = [
    [(client, options) => client.page("loans", { name: "a" }, options), ["limit", "after", "backward", "strong"]],
    [(client, options) => client.getMany("Owner", [{ name: "a" }], options), ["strong"]],
    [(client, options) => client.update("Account", { id: "a" }, options), ["remove", "key"]],
    [(client, options) => client.put("Owner", { name: "a" }, options), []],
    // A writer gives the key apart, and takes no options for it.
    [(client, options) => new Writer(client, "Owner").create({ name: "a" }, options), []],
    [(client, options) => new Writer(client, "Owner").put({ name: "a" }, options), []],
    [(client, options) => new Writer(client, "Account").update({ id: "a" }, {}, options), []],
    [(client, options) => new Writer(client, "Account").delete({ id: "a" }, options), []],
    [(client, options) => client.delete("Owner", { name: "a" }, options), []],
    [(client, options) => client.putMany("Owner", [{ name: "a" }], options), []],
    [(client, options) => client.transact([{ create: "Owner", values: { name: "a" } }], options), []],
    [(client, options) => client.ensureTables(options), []],
    [(client, options) => client.event({}, options), ["copies", "onUnknown"]],
  ];
  for (const [call, own] of calls) {
    for (const [name, value] of Object.entries(values)) {
      if (own.includes(name)) continue;
      const error = await call(new Client(PLAN, counted()), { [name]: value }).then(assert.fail, (one) => one);
      assert.deepEqual([error.code, error.message], ["invalid", `there is no option \`${name}\``], error.stack);
    }
  }
});

test("a timeout of 0 ends a call before its first request", async () => {
  const transport = counted();
  const client = new Client(PLAN, transport);
  const timeout = 0;
  const calls = [client.page("loans", { name: "a" }, { timeout }), client.create("Owner", { name: "a" }, { timeout })];
  for (const call of calls) await assert.rejects(call, { code: "aborted" });
  assert.deepEqual(transport.sent, []);
});

test("names that are no texts are refused in a short sentence", async () => {
  const strange = [{ constructor: { name: 5 } }, { constructor: { name: Symbol("s") } }, { get constructor() { throw new Error("no"); } }];
  for (const name of [Symbol("s"), Object.create(null), {}, 5, "x".repeat(9999), undefined, null, ...strange]) {
    for (const call of [
      (client) => client.page(name, {}),
      (client) => client.all(name, {}, 5),
      (client) => client.create(name, {}),
      (client) => client.getMany(name, []),
      (client) => client.write(name, {}),
      (client) => client.transact([{ create: name, values: {} }]),
    ]) {
      const error = await call(new Client(PLAN, counted())).then(assert.fail, (one) => one);
      assert.equal(error.code, "invalid", error.stack);
      assert.ok(error.message.length < 400, error.message);
    }
  }
});

test("what is wrong in a key has its entity, pattern or write", async () => {
  await refused((client) => client.create("Owner", { name: "" }), "name", "Owner");
  await refused((client) => client.page("loans", { name: "" }), "name", "the pattern loans");
  await refused((client) => client.page("loans", { name: "a" }, { limit: "3" }), "limit", "the pattern loans");
  await refused((client) => client.page("loans", { name: "a" }, { after: "x" }), "after", "the pattern loans");
});

test("options of a client are an object of options that there are", () => {
  for (const options of [null, "x", "", 5, true, [], [{}], new Map(), () => 1, Symbol("s")]) {
    assert.throws(() => new Client(PLAN, counted(), options), { code: "invalid", message: "`options` is an object" });
  }
  for (const options of [{ timout: 1 }, { toString: 1 }, { retires: 1 }, Object.create({ retires: 1 })]) {
    const [name] = Object.keys(options).concat("retires");
    assert.throws(() => new Client(PLAN, counted(), options), (error) => {
      assert.equal(error.message, `there is no option \`${name}\``);
      assert.deepEqual(error.detail, { code: "invalid", name });
      return true;
    });
  }
  for (const options of [{ retries: -1 }, { timeout: -1 }, { timeout: Number.NEGATIVE_INFINITY }, { retries: Number.NaN }]) {
    const [name] = Object.keys(options);
    assert.throws(() => new Client(PLAN, counted(), options), { code: "invalid", message: `\`${name}\` is a number from 0 on` });
  }
  const all = { numbers: "exact", onUnknown: "skip", cursorSecret: "s", timeout: 0, retries: 0 };
  const absent = { onRequest: undefined, tracing: undefined, now: undefined, random: undefined, timout: undefined };
  for (const options of [undefined, {}, all, { ...all, ...absent }, Object.create(all), Object.assign(Object.create(null), all)]) {
    assert.ok(new Client(PLAN, counted(), options));
  }
  assert.equal(new Client(PLAN, counted(), Object.create(all)).numbers, "exact");
});

test("what is no plan is told from one of another version", () => {
  for (const none of ["shop.plan.json", JSON.stringify(PLAN), "", null, undefined, 5, [], {}, [PLAN], { model: "x" }, Promise.resolve(PLAN)]) {
    assert.throws(() => new Client(none, counted()), {
      code: "invalid",
      message: "this is no plan: give the JSON of `keyfold plan`, parsed",
    });
  }
  for (const version of [0, 2, "1", null]) {
    assert.throws(() => new Client({ ...PLAN, keyfoldPlan: version }, counted()), {
      code: "invalid",
      message: `this is a plan of version ${version}, and this runtime knows 1; update it`,
    });
  }
});

test("a secret of cursors is a text", () => {
  for (const cursorSecret of ["", null, 5, new Uint8Array(32)]) {
    assert.throws(() => new Client(PLAN, counted(), { cursorSecret }), { code: "invalid" });
  }
});

/** What each option of a client, and each member of an endpoint, does not take. */
const NO_FUNCTIONS = [5, "now", {}, [], true, null];
const NO_CREDENTIALS = [
  ...[5, "AKIA", true, [], {}, { accessKeyId: "a" }, { accessKeyId: 1, secretAccessKey: "b" }, { accessKeyId: "a", secretAccessKey: 2 }],
  ...[{ accessKeyId: "", secretAccessKey: "b" }, { accessKeyId: "a\n", secretAccessKey: "b" }, { accessKeyId: "a", secretAccessKey: "" }],
  { accessKeyId: "a", secretAccessKey: "b", sessionToken: 5 },
];

test("each option of a client takes values of its kind", () => {
  const wrong = {
    ...{ numbers: ["bigint", 5, null], onUnknown: ["drop", 5, null], cursorSecret: ["", 5, {}, null], timeout: ["5", -1], retries: ["5", -1] },
    ...{ onRequest: NO_FUNCTIONS, now: NO_FUNCTIONS, random: NO_FUNCTIONS },
    tracing: [...NO_FUNCTIONS, () => 1, { startActiveSpan: 5 }],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      assert.throws(() => new Client(PLAN, counted(), { [name]: value }), (error) => {
        assert.ok(error instanceof KeyfoldError, `${name} ${String(value)}: ${error.stack}`);
        assert.deepEqual(error.detail, { code: "invalid", name });
        assert.match(error.message, new RegExp(`^\`${name}\` is `));
        return true;
      });
    }
  }
  const all = { onRequest() {}, now: () => 5, random: () => new Uint8Array(16), tracing: { startActiveSpan() {} }, timeout: null };
  assert.ok(new Client(PLAN, counted(), all));
});

test("each member of an endpoint takes values of its kind", () => {
  const endpoint = "http://localhost:1";
  const wrong = { endpoint: [5, {}, true], region: [5, {}, "eu west"], fetch: NO_FUNCTIONS.slice(0, -1), credentials: NO_CREDENTIALS };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      assert.throws(() => new Client(PLAN, { endpoint, [name]: value }), (error) => {
        assert.ok(error instanceof KeyfoldError, `${name} ${String(value)}: ${error.stack}`);
        assert.deepEqual(error.detail, { code: "invalid", name: "connection" }, error.message);
        return true;
      });
    }
  }
  const whole = { accessKeyId: "a", secretAccessKey: "b/+=", sessionToken: "c", expiration: new Date(), accountId: "1" };
  for (const credentials of [whole, { accessKeyId: "a", secretAccessKey: "b" }, async () => whole]) {
    assert.ok(new Client(PLAN, { endpoint, credentials, fetch }));
  }
});

test("what a function of the program gives is looked at before anything is sent", async () => {
  for (const now of [() => Number.NaN, () => "5", () => undefined, () => new Date(), async () => 5, () => 1e300]) {
    const transport = counted();
    const error = await new Client(PLAN, transport, { now }).put("Owner", { name: "a" }).then(assert.fail, (one) => one);
    assert.deepEqual([error.code, error.detail.name, transport.sent], ["invalid", "now", []], error.stack);
  }
  for (const random of [() => 5, () => undefined, () => new Uint8Array(15), () => "x".repeat(16)]) {
    const transport = counted();
    const error = await new Client(MADE, transport, { random }).create("Made", { text: "a" }).then(assert.fail, (one) => one);
    assert.deepEqual([error.code, error.detail.name, transport.sent], ["invalid", "random", []], error.stack);
  }
  let sent = 0;
  const fetch = async () => ((sent += 1), new Response("{}"));
  for (const value of [...NO_CREDENTIALS, null, undefined]) {
    for (const credentials of [() => value, async () => value]) {
      const connection = { endpoint: "http://localhost:1", credentials, fetch };
      const error = await new Client(PLAN, connection).put("Owner", { name: "a" }).then(assert.fail, (one) => one);
      assert.ok(error instanceof KeyfoldError, String(error.stack));
      assert.deepEqual([error.code, sent], ["transport", 0], error.message);
    }
  }
});

test("what cannot be read is invalid", async () => {
  const throwing = (name) => Object.defineProperty({}, name, { enumerable: true, get: () => { throw new RangeError("no"); } });
  const proxy = new Proxy({}, { ownKeys: () => { throw new RangeError("no"); }, get: () => { throw new RangeError("no"); } });
  const calls = [
    (client, wrong) => client.page("loans", wrong("name")),
    (client, wrong) => client.page("loans", { name: "a" }, wrong("limit")),
    (client, wrong) => client.put("Owner", wrong("name")),
    (client, wrong) => client.put("Owner", { name: "a" }, wrong("timeout")),
    (client, wrong) => client.put("Account", { id: "a", owner: "b", balance: 1, parts: [wrong("label")] }),
    (client, wrong) => client.update("Account", wrong("id")),
    (client, wrong) => client.update("Account", { balance: 1 }, { key: wrong("id") }),
    (client, wrong) => client.delete("Owner", wrong("name")),
    (client, wrong) => client.getMany("Owner", [wrong("name")]),
    (client, wrong) => client.putMany("Owner", [wrong("name")]),
    (client, wrong) => client.transact([{ create: "Owner", values: wrong("name") }]),
    (client, wrong) => client.transact([wrong("create")]),
    (client, wrong) => client.event(wrong("dynamodb")),
    (client, wrong) => client.event({ dynamodb: wrong("Keys") }),
    (client, wrong) => client.event({ dynamodb: { Keys: wrong("PK") } }),
  ];
  for (const call of calls) {
    for (const wrong of [throwing, () => proxy]) {
      const transport = counted();
      const error = await call(new Client(PLAN, transport), wrong).then(assert.fail, (one) => one);
      assert.ok(error instanceof KeyfoldError, `${call}\n${error.stack}`);
      assert.deepEqual([error.code, transport.sent], ["invalid", []], error.message);
    }
  }
  for (const make of [
    () => new Client(PLAN, counted(), throwing("timeout")),
    () => new Client(PLAN, counted(), proxy),
    () => new Client(PLAN, throwing("endpoint")),
    () => new Client(PLAN, throwing("call")),
    () => new Client(PLAN, proxy),
    () => new Client(proxy, counted()),
    () => new Client(throwing("keyfoldPlan"), counted()),
    ...[{}, { tables: 5 }, { tables: [null] }, { tables: [], entities: [5, null] }].map((rest) => () => new Client({ keyfoldPlan: 1, ...rest }, counted())),
  ]) {
    assert.throws(make, (error) => error instanceof KeyfoldError && error.code === "invalid", String(make));
  }
});
