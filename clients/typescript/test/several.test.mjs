/** Several writes in one transaction, and batches, on a server and on transports that answer in part. The requests
 * are compared with those of Keyfold's own client by `lockstep`. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { planOf } from "./model.mjs";
import { source } from "./source.mjs";

const { Client, KeyfoldError, startServer, transportOf } = await source(
  "client.js",
  "error.js",
  "transport/connect.js",
  "transport/node.js",
);

const MODEL = `
model several 1
table Main (PK, SK)
entity User
  userId: string, email: string
  key "USER#{userId}" "USER"
  unique email
  count posts of Post
entity Post
  userId: User.userId, postId: ulid = new, text: string
  key "USER#{userId}" "POST#{postId}"
entity Note
  n: int, text: string, at: time = now
  key "NOTE#{n:05}" "NOTE"
pattern user(userId)  -> User?
pattern posts(userId) -> Post[]
pattern note(n)       -> Note?
pattern notes(n[])    -> Note[]
write post(userId, text)
  create Post
`;

let server;
let client;
const plan = planOf(MODEL);

before(async () => {
  server = await startServer();
  client = new Client(plan, server.endpoint);
  await client.ensureTables();
});
after(() => server?.stop());

test("writes of a transaction happen together, and each reports what it made", async () => {
  const { operation, writes } = await client.transact([
    { create: "User", values: { userId: "a", email: "a@x" } },
    { write: "post", args: { userId: "a", text: "one" } },
    { create: "Post", values: { userId: "a", text: "two" } },
  ]);
  assert.equal(operation, "TransactWriteItems");
  assert.deepEqual(writes.map((one) => one.changes), [["put User", "put the guard of email"], ["put Post"], ["put Post"]]);
  assert.deepEqual(writes.map((one) => one.made.map(({ attribute }) => attribute)), [[], ["postId"], ["postId"]]);
  assert.notEqual(writes[1].made[0].value, writes[2].made[0].value);
  assert.equal((await client.one("user", { userId: "a" })).posts, 2);
});

test("a refused transaction names the write, and writes nothing", async () => {
  await client.create("User", { userId: "b", email: "b@x" });
  const refused = client.transact([
    { create: "Post", values: { userId: "b", text: "x" } },
    { create: "User", values: { userId: "c", email: "b@x" } },
  ]);
  await assert.rejects(refused, (error) => {
    assert.ok(error instanceof KeyfoldError);
    assert.deepEqual([error.code, error.write, error.place.entity], ["taken", 1, "User"]);
    assert.match(error.message, /^write 1 \(create User\): email `b@x` is taken/);
    return true;
  });
  const twice = client.transact([
    { update: "User", values: { userId: "b", email: "new@x" } },
    { delete: "User", key: { userId: "b" } },
  ]);
  await assert.rejects(twice, { message: /^write 1 \(delete User\): write 0 \(update User\) uses the same item, the User with userId = b: first/ });
  await assert.rejects(client.transact([]), { code: "invalid" });
  assert.equal((await client.one("user", { userId: "b" })).posts, 0);
});

test("batches are written and read by position", async () => {
  const notes = Array.from({ length: 60 }, (_, n) => ({ n, text: `note ${n}` }));
  const { requests, made } = await client.putMany("Note", notes);
  assert.deepEqual([requests, made.length, made[59][0].attribute], [3, 60, "at"]);
  const keys = Array.from({ length: 130 }, (_, at) => ({ n: (at * 7) % 70 }));
  const found = await client.getMany("Note", keys, { strong: true });
  assert.deepEqual(found.map((one) => one?.text), keys.map(({ n }) => (n < 60 ? `note ${n}` : undefined)));
  await client.deleteMany("Note", [{ n: 0 }, { n: 0 }, { n: 69 }]);
  assert.deepEqual((await client.getMany("Note", [{ n: 0 }, { n: 1 }])).map((one) => one?.n), [undefined, 1]);
});

test("what something follows from is in no batch", async () => {
  await assert.rejects(client.putMany("User", [{ userId: "d", email: "d@x" }]), {
    code: "invalid",
    message: /a guard keeps its email unique; put each, or up to 100 items in a transaction/,
  });
  await assert.rejects(client.deleteMany("Post", [{ userId: "a", postId: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }]), {
    message: /User\.posts follows it/,
  });
  const twice = [{ n: 1, text: "a" }, { n: 1, text: "b" }];
  await assert.rejects(client.putMany("Note", twice), (error) => {
    assert.match(error.message, /^items 0 and 1 of the batch are the same Note/);
    assert.deepEqual(error.detail, { code: "invalid", of: "Note", item: 1 });
    return true;
  });
});

test("a wrong item or key of a batch is named by its position", async () => {
  const notes = Array.from({ length: 120 }, (_, n) => ({ n, text: "x" }));
  const but = (at, one) => notes.map((note, n) => (n === at ? one : note));
  const keys = (at, one) => but(at, one).map(({ text: _, ...key }) => key);
  const long = "x".repeat(3_000);
  const wrong = [
    [client.putMany("Note", but(76, { n: "a", text: "x" })), 76, "n", "Note: n: `a` is not a whole number"],
    [client.putMany("Note", but(0, { n: 0 })), 0, "text", "Note needs text"],
    [client.putMany("Note", but(3, null)), 3, undefined, "Note: values by name are given as an object"],
    [client.putMany("Note", but(5, { n: 100_000, text: "x" })), 5, "n", /^100000 does not fit|^n/],
    [client.deleteMany("Note", keys(119, { n: 1.5 })), 119, "n", /^Note: n/],
    [client.deleteMany("Note", keys(2, { n: -1 })), 2, "n", /n/],
    [client.getMany("Note", keys(76, { n: "a" })), 76, "n", "Note: n: `a` is not a whole number"],
    [client.getMany("Note", keys(1, { n: 1, at: "2024-01-15T10:00:00Z" })), 1, "at", "at is no part of the key of Note, which is n"],
    [client.getMany("Note", keys(4, { n: -1 })), 4, "n", /n/],
    [client.getMany("User", [{ userId: "a" }, { userId: long }]), 1, "userId", /bytes/],
  ];
  for (const [call, at, name, reason] of wrong) {
    const error = await call.then(assert.fail, (one) => one);
    assert.ok(error instanceof KeyfoldError, error.stack);
    const start = `item ${at} of the batch: `;
    assert.ok(error.message.startsWith(start), error.message);
    const rest = error.message.slice(start.length);
    if (typeof reason === "string") assert.equal(rest, reason);
    else assert.match(rest, reason);
    const { of, item, ...detail } = error.detail;
    assert.match(of, /^(?:Note|User)$/);
    assert.deepEqual([item, detail], [at, { code: "invalid", ...(name !== undefined && { name }) }]);
  }
});

test("a wrong write of a transaction is named by its number", async () => {
  const good = { write: "post", args: { userId: "a", text: "one" } };
  const call = client.transact([good, { update: "User", values: { userId: 5 } }]);
  await assert.rejects(call, (error) => {
    assert.equal(error.message, "write 1 (update User): User: userId is no string: 5");
    assert.deepEqual([error.write, error.detail], [1, { code: "invalid", name: "userId", of: "User" }]);
    return true;
  });
  const created = Promise.resolve({ made: [] });
  for (const wrong of [created, undefined, 5, [], {}, { creat: "User" }]) {
    for (const writes of [[good, wrong], [wrong]]) {
      await assert.rejects(client.transact(writes), (error) => {
        assert.match(error.message, /^write [01] of the transaction: (?:a promise|undefined|5|an array|an object) is no write; give `\.part` of a generated client, like shop\.Order\.part\.create\(\.\.\), or \{ create, values \}, \{ put, values \}, \{ update, values \}, \{ delete, key \} or \{ write, args \}$/);
        assert.deepEqual([error.write, error.detail], [writes.length - 1, { code: "invalid", of: "a write of a transaction" }]);
        return true;
      });
    }
  }
});

test("a batch that is written in part says which items were", async () => {
  let sent = 0;
  const transport = {
    async call(_, { RequestItems }) {
      sent += 1;
      const all = RequestItems.Main;
      if (all.length === 25) return sent > 1 ? { UnprocessedItems: {} } : { UnprocessedItems: { Main: all.slice(24) } };
      if (all.length === 1) return { UnprocessedItems: {} };
      throw new KeyfoldError("lost", { code: "outcome_unknown", why: "lost", check: "it" });
    },
  };
  const partial = new Client(plan, transport);
  const notes = Array.from({ length: 27 }, (_, n) => ({ n, text: "x" }));
  await assert.rejects(partial.putMany("Note", notes), (error) => {
    const { code, written, unwritten, unknown } = error.detail;
    assert.deepEqual([code, written.length, unwritten, unknown], ["incomplete", 25, [], [25, 26]]);
    return true;
  });
});

for (const [name, answers] of [
  ["leaves what was not sent", () => ({ UnprocessedItems: { Main: [{ PutRequest: { Item: { PK: { S: "x" }, SK: { S: "y" } } } }] } })],
  [
    "leaves deletions of what is put",
    ({ RequestItems: { Main } }) => ({
      UnprocessedItems: { Main: Main.map(({ PutRequest: { Item: { PK, SK } } }) => ({ DeleteRequest: { Key: { PK, SK } } })) },
    }),
  ],
  ["fails with nothing", () => Promise.reject()],
]) {
  test(`a transport that ${name} may have written a batch`, async () => {
    const own = new Client(plan, { call: async (_, input) => answers(input) });
    const notes = Array.from({ length: 3 }, (_, n) => ({ n, text: "x" }));
    await assert.rejects(own.putMany("Note", notes), (error) => {
      assert.deepEqual([error?.code, error.detail.unknown], ["incomplete", [0, 1, 2]]);
      return true;
    });
  });
}

test("what was handed to no transport is not written", async () => {
  const notes = Array.from({ length: 27 }, (_, n) => ({ n, text: "x" }));
  const controller = new AbortController();
  let answers = () => ({});
  const sent = [];
  const transport = {
    call(_, input, signal) {
      sent.push(input);
      return answers(input, signal);
    },
  };
  const own = new Client(plan, transport);
  for (const options of [{ signal: AbortSignal.abort() }]) {
    for (const call of [() => own.putMany("Note", notes, options), () => own.deleteMany("Note", [{ n: 1 }], options)]) {
      await assert.rejects(call(), { code: "aborted" });
      assert.equal(sent.length, 0);
    }
  }
  // The service leaves all unprocessed, and the caller ends the call in the pause: nothing was written.
  answers = async (input) => {
    controller.abort();
    return { UnprocessedItems: input.RequestItems };
  };
  await assert.rejects(own.putMany("Note", notes.slice(0, 3), { signal: controller.signal }), { code: "aborted" });
  // What was handed over may have been written.
  const other = new AbortController();
  answers = (_, signal) => {
    other.abort();
    return Promise.reject(signal.reason);
  };
  await assert.rejects(own.putMany("Note", notes.slice(0, 3), { signal: other.signal }), (error) => {
    assert.deepEqual([error.code, error.detail.unknown], ["incomplete", [0, 1, 2]]);
    return true;
  });
});

/** A client whose service reads only so many keys of a request, and leaves the others. `sent` has the number of keys
 * of each request. */
function leaving(count) {
  const sent = [];
  const { call } = transportOf(server.endpoint);
  const transport = {
    async call(operation, input, signal) {
      if (operation !== "BatchGetItem") return call(operation, input, signal);
      const { Main } = input.RequestItems;
      const left = Main.Keys.slice(count(Main.Keys));
      sent.push(Main.Keys.length);
      const RequestItems = { Main: { ...Main, Keys: Main.Keys.slice(0, count(Main.Keys)) } };
      const answer = count(Main.Keys) === 0 ? { Responses: {} } : await call(operation, { ...input, RequestItems }, signal);
      return left.length === 0 ? answer : { ...answer, UnprocessedKeys: { Main: { ...Main, Keys: left } } };
    },
  };
  return { sent, own: new Client(plan, transport) };
}

/** The ways to read several keys, each with what it is asked and the numbers of the notes it finds. */
const READS = [
  ["getMany", (own, keys, options) => own.getMany("Note", keys.map((n) => ({ n })), options)],
  ["a pattern of keys", (own, n, options) => own.all("notes", { n }, 200, options)],
];

for (const [name, read] of READS) {
  test(`keys that the service leaves are asked for again: ${name}`, async () => {
    const numbers = Array.from({ length: 130 }, (_, at) => 90_000 - at);
    await client.putMany("Note", numbers.map((n) => ({ n, text: `${n}` })));
    const { sent, own } = leaving(({ length }) => Math.ceil(length / 2));
    const found = await read(own, [...numbers, 99_999], { timeout: 20_000 });
    assert.deepEqual(found.filter((one) => one !== undefined).map(({ n }) => n), numbers);
    assert.deepEqual(
      sent.sort((one, other) => other - one),
      // Half of 100 and of 31 each time.
      [100, 50, 31, 25, 15, 12, 7, 6, 3, 3, 1, 1],
    );
  });

  test(`keys that the service leaves without end are reported: ${name}`, async () => {
    // Each request reads one of five and then none.
    const { sent, own } = leaving(({ length }) => (length === 5 ? 1 : 0));
    const begun = Date.now();
    await assert.rejects(read(own, [1, 2, 3, 4, 5], { timeout: 500 }), { code: "aborted" });
    assert.ok(Date.now() - begun < 5_000);
    assert.ok(sent.length > 1 && sent.length < 16, `${sent.length} requests within 500 ms`);
    assert.deepEqual([...new Set(sent)], [5, 4]);
    // Without pauses, the number of requests is what ends it.
    sent.length = 0;
    const { random } = Math;
    Math.random = () => 0;
    try {
      const message = "the service left keys unprocessed again and again; try again later";
      await assert.rejects(read(own, [1, 2, 3, 4, 5]), { code: "transport", message });
    } finally {
      Math.random = random;
    }
    assert.equal(sent.length, 16);
  });
}

/** Notes for a transaction, with this many bytes in each text. */
const newNotes = (count, bytes) =>
  Array.from({ length: count }, (_, n) => ({ create: "Note", values: { n: 500 * count + n, text: "x".repeat(bytes) } }));

test("a transaction takes 100 items, and refuses more before anything is sent", async () => {
  const sent = [];
  const own = new Client(plan, server.endpoint, { onRequest: ({ operation }) => sent.push(operation) });
  await assert.rejects(own.transact(newNotes(101, 1)), {
    code: "refused",
    message: /^the write would change 101 items \(put Note: 101\), and a transaction changes at most 100; nothing was written: give it less at a time$/,
  });
  assert.deepEqual(sent, []);
  const { writes } = await own.transact(newNotes(100, 1));
  assert.equal(writes.length, 100);
  assert.deepEqual(sent, ["TransactWriteItems"]);
});

test("a transaction takes 4 MB, and refuses more before anything is sent", async () => {
  const most = 4 * 1024 * 1024;
  const sent = [];
  const own = new Client(plan, server.endpoint, { onRequest: ({ operation }) => sent.push(operation) });
  const all = newNotes(11, 390_000);
  const refused = await own.transact(all).catch((error) => error);
  assert.equal(refused.code, "refused");
  const [, bytes] =
    /^the write would put (\d+) bytes, and a transaction has at most 4194304; nothing was written: give it less at a time$/.exec(refused.message) ?? [];
  all[0].values.text = "x".repeat(390_000 - (Number(bytes) - most) + 1);
  await assert.rejects(own.transact(all), { code: "refused", message: /would put 4194305 bytes/ });
  assert.deepEqual(sent, []);
  all[0].values.text = all[0].values.text.slice(1);
  assert.equal((await own.transact(all)).writes.length, 11);
  assert.deepEqual(sent, ["TransactWriteItems"]);
});
