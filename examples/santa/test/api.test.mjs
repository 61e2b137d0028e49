/** The API: each access pattern of the design by its id. On a server in memory, or on the engine that
 * EXAMPLE_CONNECTION names: moto. It carries out transactions that come at once into each other, so that it has to get
 * one request after another; elves still come between the requests of others. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open } from "../dist/workshop.js";
import { newLetterId } from "../dist/ulid.js";
import { caller, promised } from "./described.mjs";

const elsewhere = process.env.EXAMPLE_CONNECTION;
/** Other engines are asked for the requests, and not for how many units they count. */
const counted = (requests) => (elsewhere === undefined ? requests : requests.replace(/ [\d.]+/g, " 0.5"));

let workshop, call, answered;

before(async () => {
  workshop = await open({ connection: elsewhere ?? "memory:", cursorSecret: "a secret of the tests" });
  ({ call, answered } = caller(workshop.address));
});
after(() => workshop?.close());

/** Makes the call, which must succeed, and returns its body. */
async function did(...args) {
  const { status, value } = await call(...args);
  assert.ok(status < 300, `${args.slice(0, 2).join(" ")}: ${status} ${JSON.stringify(value)}`);
  return value;
}

let toysMade = 0;
async function toy(price, name = `Toy ${(toysMade += 1)}`) {
  return (await did("POST", "/toys", { name, description: "For the tests.", price })).toyId;
}

async function letter(wishes, child = "Mia") {
  const asked = Object.entries(wishes).map(([toyId, quantity]) => ({ toyId, quantity }));
  return (await did("POST", "/letters", { child, address: "Storgata 12\nTromsø", wishes: asked })).letterId;
}

/** All of a list, page by page. */
async function all(path, name) {
  const found = [];
  let pages = 0;
  for (let next = ""; next !== undefined; pages += 1) {
    const page = await did("GET", `${path}${next && `?after=${encodeURIComponent(next)}`}`);
    found.push(...page[name]);
    next = page.next;
  }
  return [found, pages];
}

const repriced = (toyId, seen, price) => did("PUT", `/toys/${toyId}/price`, { seen, price });

test("S1 S2 S6: toys are made, listed by pages and read", async () => {
  assert.equal((await call("GET", "/toys")).value.toys.length, 0);
  const ids = [];
  for (let n = 0; n < 55; n += 1) ids.push(await toy(100 + n));
  const [found, pages] = await all("/toys", "toys");
  assert.deepEqual([found.map(({ toyId }) => toyId), pages], [ids.sort(), 2]);
  const { value, requests } = await call("GET", "/toys/toy-7");
  assert.deepEqual(value, {
    toyId: "toy-7",
    name: "Toy 7",
    description: "For the tests.",
    price: 106,
    wanted: 0,
  });
  assert.equal(counted(requests), "GetItem 0.5");
});

test("S6: the id of a toy follows from its name, and belongs to one toy", async () => {
  assert.equal(await toy(1, "  Élan’s Ring & Bell  "), "elan-s-ring-bell");
  assert.equal(await toy(1, "雪だるま"), "雪たるま");
  const again = await call("POST", "/toys", { name: "elan s ring bell", description: "x", price: 5 });
  assert.deepEqual([again.status, again.value.code, again.value.field], [409, "exists", "name"]);
  for (const wrong of [
    { name: "" },
    { name: "!!" },
    { name: "x".repeat(61) },
    { price: 0 },
    { price: 1.5 },
    { price: "5" },
  ]) {
    const { status, value } = await call("POST", "/toys", {
      name: "Drum",
      description: "x",
      price: 5,
      ...wrong,
    });
    assert.deepEqual(
      [status, value.code, value.field],
      [400, "invalid", Object.keys(wrong)[0]],
      JSON.stringify(wrong),
    );
  }
});

test("S4 S5: a letter is one transaction, and reads with its toys and their total", async () => {
  const [top, kite] = [await toy(1250, "Top"), await toy(1890, "Kite")];
  const { value, requests } = await call("POST", "/letters", {
    child: "Mia",
    address: "Storgata 12",
    wishes: [
      { toyId: top, quantity: 2, price: 1250 },
      { toyId: kite, quantity: 1 },
    ],
  });
  assert.match(requests, /^BatchGetItem [\d.]+, TransactWriteItems [\d.]+$/);
  const read = await call("GET", `/letters/${value.letterId}`);
  assert.equal(counted(read.requests), "Query 0.5");
  const { receivedAt, wishes, ...rest } = read.value;
  assert.deepEqual(rest, {
    letterId: value.letterId,
    child: "Mia",
    address: "Storgata 12",
    total: 4390,
    version: 1,
  });
  assert.ok(Math.abs(Date.parse(receivedAt) - Date.now()) < 60_000);
  assert.deepEqual(
    wishes.map(({ toyId, name, quantity, price, amount }) => [toyId, name, quantity, price, amount]),
    [
      [kite, "Kite", 1, 1890, 1890],
      [top, "Top", 2, 1250, 2500],
    ],
  );
});

test("S5: a letter that is sent twice is one letter", async () => {
  const drum = await toy(900, "Drum");
  const sent = {
    letterId: newLetterId(),
    child: "Ada",
    address: "Here",
    wishes: [{ toyId: drum, quantity: 3 }],
  };
  const send = () => call("POST", "/letters", sent);
  const both = await Promise.all([send(), send(), send()]);
  assert.deepEqual(
    both.map(({ status }) => status),
    [201, 201, 201],
  );
  assert.equal((await did("GET", `/toys/${drum}`)).wanted, 3);
  const other = await call("POST", "/letters", { ...sent, wishes: [{ toyId: drum, quantity: 4 }] });
  assert.deepEqual([other.status, other.value.code], [409, "exists"]);
});

test("S5: a wrong letter is refused and changes nothing, and the answer says what to do", async () => {
  const bell = await toy(500, "Bell");
  const wrong = [
    [
      404,
      "not_found",
      {
        wishes: [
          { toyId: bell, quantity: 1 },
          { toyId: "no-such", quantity: 1 },
        ],
      },
    ],
    [409, "price_changed", { wishes: [{ toyId: bell, quantity: 1, price: 400 }] }],
    [400, "invalid", { wishes: [] }],
    [400, "invalid", { wishes: [{ toyId: bell, quantity: 0 }] }],
    [
      400,
      "invalid",
      {
        wishes: [
          { toyId: bell, quantity: 1 },
          { toyId: bell, quantity: 2 },
        ],
      },
    ],
    [
      400,
      "invalid",
      { wishes: Array.from({ length: 41 }, (_, n) => ({ toyId: `toy-${n + 1}`, quantity: 1 })) },
    ],
    [400, "invalid", { child: " " }],
    [400, "invalid", { address: 5 }],
    [400, "invalid", { letterId: "no ulid" }],
    [400, "invalid", { wishes: { length: 1 } }],
    [400, "invalid", { child: "half \ud800" }],
    [400, "invalid", { child: "Mia\0" }],
    [400, "invalid", { address: "Here\x1b[2J" }],
    [400, "invalid", { child: "🎄".repeat(61) }],
  ];
  for (const [status, error, given] of wrong) {
    const answer = await call("POST", "/letters", {
      child: "Ada",
      address: "Here",
      wishes: [{ toyId: bell, quantity: 1 }],
      ...given,
    });
    assert.deepEqual([answer.status, answer.value.code], [status, error], JSON.stringify(given));
    assert.match(answer.value.detail, /^[A-Z].+[.:] .+\.$/s);
  }
  assert.equal((await did("GET", `/toys/${bell}`)).wanted, 0);
});

test("S5: the characters of a name are counted as people count them", async () => {
  const child = "🎄".repeat(60);
  const letterId = await letter({ [await toy(1)]: 1 }, child);
  assert.equal((await did("GET", `/letters/${letterId}`)).child, child);
});

test("S5: the largest letter fits one transaction", async () => {
  const wishes = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`toy-${n + 1}`, 1]));
  const { total, wishes: stored } = await did("GET", `/letters/${await letter(wishes)}`);
  assert.equal(stored.length, 40);
  assert.equal(
    total,
    stored.reduce((sum, { amount }) => sum + amount, 0),
  );
});

test("S3: all letters come once and whole, the latest first, wherever a page ends", async () => {
  const made = [];
  for (let n = 0; n < 45; n += 1) {
    const wishes = Object.fromEntries(Array.from({ length: 1 + (n % 6) }, (_, at) => [`toy-${at + 1}`, 1]));
    made.unshift(await letter(wishes, `Child ${n}`));
  }
  const [found, pages] = await all("/letters", "letters");
  assert.ok(pages > 3, `${pages} pages`);
  assert.equal(new Set(found.map(({ letterId }) => letterId)).size, found.length);
  const latest = found.filter(({ child }) => child.startsWith("Child "));
  assert.deepEqual(latest.map(({ letterId }) => letterId).sort(), [...made].sort());
  const ids = found.map(({ letterId }) => letterId);
  assert.deepEqual(ids, [...ids].sort().reverse());
  for (const one of found) assert.deepEqual(one, await did("GET", `/letters/${one.letterId}`));
});

test("S7: a toy has all letters that ask for it, and the number to deliver", async () => {
  const flute = await toy(700, "Flute");
  assert.deepEqual((await did("GET", `/toys/${flute}/demand`)).wishes, []);
  const made = [];
  for (let n = 0; n < 65; n += 1)
    made.unshift(await letter({ [flute]: 1 + (n % 3), "toy-1": 1 }, `Child ${n}`));
  const { value, requests } = await call("GET", `/toys/${flute}/demand`);
  assert.match(requests, /^Query [\d.]+$/);
  const [found, pages] = await all(`/toys/${flute}/demand`, "wishes");
  assert.equal(pages, 2);
  assert.deepEqual(new Set(found.map(({ letterId }) => letterId)), new Set(made));
  assert.equal(found.length, made.length);
  assert.equal(
    value.toy.wanted,
    found.reduce((sum, { quantity }) => sum + quantity, 0),
  );
});

test("S8 S9: prices rise, letters change, and the history stays as it was", async () => {
  const [lamp, globe] = [await toy(2000, "Lamp"), await toy(3000, "Globe")];
  const letterId = await letter({ [lamp]: 2 });
  const { value: then, requests } = await call("GET", `/letters/${letterId}/history`);
  assert.equal(counted(requests), "GetItem 0.5");
  assert.deepEqual(
    [then.total, then.toys],
    [4000, [{ toyId: lamp, name: "Lamp", price: 2000, quantity: 2 }]],
  );

  await repriced(lamp, 2000, 2500);
  const priced = await call("GET", `/letters/${letterId}/prices`);
  assert.equal(counted(priced.requests), "Query 0.5, BatchGetItem 0.5");
  assert.deepEqual(priced.value.toys, [
    { toyId: lamp, name: "Lamp", quantity: 2, price: 2000, priceNow: 2500 },
  ]);
  assert.equal(priced.value.total, 4000);

  const wishes = [
    { toyId: lamp, quantity: 1 },
    { toyId: globe, quantity: 1, price: 3000 },
  ];
  await did("PUT", `/letters/${letterId}`, { version: 1, address: "Elsewhere", wishes });
  const now = await did("GET", `/letters/${letterId}`);
  assert.deepEqual([now.total, now.address, now.version], [5000, "Elsewhere", 2], "the lamp keeps its price");
  assert.deepEqual(
    [(await did("GET", `/toys/${lamp}`)).wanted, (await did("GET", `/toys/${globe}`)).wanted],
    [1, 1],
  );
  await did("PUT", `/letters/${letterId}`, { version: 2, address: "Elsewhere", wishes: wishes.slice(1) });
  assert.equal((await did("GET", `/toys/${lamp}`)).wanted, 0);
  assert.deepEqual(await did("GET", `/letters/${letterId}/history`), then);
});

test("S4 S5: of elves that change one letter at once, one succeeds, and the others are refused and hear why", async () => {
  const doll = await toy(1000, "Doll");
  const letterId = await letter({ [doll]: 1 });
  const changes = Array.from({ length: 12 }, (_, n) =>
    call("PUT", `/letters/${letterId}`, {
      version: 1,
      address: `Elf ${n}`,
      wishes: [{ toyId: doll, quantity: n + 2 }],
    }),
  );
  const answers = await Promise.all(changes);
  const won = answers.findIndex(({ status }) => status === 200);
  const others = answers.filter((_, at) => at !== won).map(({ value }) => value.code);
  assert.deepEqual(new Set(others), new Set(["changed_meanwhile"]));
  const now = await did("GET", `/letters/${letterId}`);
  assert.deepEqual([now.version, now.address, now.total], [2, `Elf ${won}`, (won + 2) * 1000]);
  assert.equal((await did("GET", `/toys/${doll}`)).wanted, won + 2);
});

test("S2 S5: a price changes only from the one that was seen, and a letter at the old one is refused after", async () => {
  const ball = await toy(100, "Ball");
  const answers = await Promise.all(
    [200, 300, 400].map((price) => call("PUT", `/toys/${ball}/price`, { seen: 100, price })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  const { price } = await did("GET", `/toys/${ball}`);
  const body = { child: "Ada", address: "Here", wishes: [{ toyId: ball, quantity: 1, price }] };
  const race = await Promise.all([
    ...Array.from({ length: 6 }, () => call("POST", "/letters", body)),
    call("PUT", `/toys/${ball}/price`, { seen: price, price: 900 }),
  ]);
  const sent = race.slice(0, 6);
  assert.ok(
    sent.every(({ status, value }) => status === 201 || ["price_changed", "busy"].includes(value.code)),
    JSON.stringify(sent),
  );
  const late = await call("POST", "/letters", body);
  assert.equal(late.value.code, race[6].status === 200 ? "price_changed" : undefined);
  const written = sent.filter(({ status }) => status === 201).length + (late.status === 201 ? 1 : 0);
  assert.equal((await did("GET", `/toys/${ball}`)).wanted, written);
});

test("S5 S6: a price that is none is refused by its name, and no elf is blamed for it", async () => {
  const owl = await toy(500, "Owl");
  const wishing = (price) => ({ child: "Ada", address: "Here", wishes: [{ toyId: owl, quantity: 1, price }] });
  const cents = /^The (wishes\[0\]\.)?price is not a whole number of cents from 1 to 1,000,000\. /;
  for (const price of ["a", null, 1.5, 0, -1, 1_000_001, [500], true]) {
    for (const [method, path, body, field = "price"] of [
      ["POST", "/toys", { name: "Fox", description: "x", price }],
      ["PUT", `/toys/${owl}/price`, { seen: 500, price }],
      ["POST", "/letters", wishing(price), "wishes[0].price"],
    ]) {
      const { status, value } = await call(method, path, body);
      assert.deepEqual([status, value.field], [400, field], `${path} ${JSON.stringify(value)}`);
      assert.match(value.detail, cents);
    }
  }
  for (const seen of [undefined, null, "500", 1.5, [500]]) {
    const { status, value } = await call("PUT", `/toys/${owl}/price`, { seen, price: 600 });
    assert.deepEqual([status, value.field], [400, "seen"], JSON.stringify(value));
  }
});

test("S5 S6: a member that there is not is refused, wherever it is", async () => {
  const kite = await toy(500, "Kiting");
  const letter = { child: "Ada", address: "Here", wishes: [{ toyId: kite, quantity: 1 }] };
  for (const [method, path, body, field] of [
    ["POST", "/letters", { ...letter, leterId: "x" }, "leterId"],
    ["POST", "/letters", { ...letter, wishes: [{ ...letter.wishes[0], zzz: 1 }] }, "wishes[0].zzz"],
    ["POST", "/letters", { ...letter, wishes: [{ toyId: "\0", quantity: 1 }] }, "wishes[0].toyId"],
    ["PUT", `/toys/${kite}/price`, { seen: 500, price: 600, zzz: 1 }, "zzz"],
    ["POST", "/toys", { name: "Fox", description: "x", price: 5, zzz: 1 }, "zzz"],
  ]) {
    const { status, value } = await call(method, path, body);
    assert.deepEqual([status, value.code, value.field], [400, "invalid", field], JSON.stringify(value));
    assert.doesNotMatch(value.detail, /escape|batch|PK/);
  }
});

test("a form speaks of euros, and only a form has a field to go to", async () => {
  const filled = new URLSearchParams({ name: "Elk", description: "x", price: "12.345" });
  const form = await fetch(`${workshop.address}/toys`, { method: "POST", body: filled });
  const text = await form.text();
  assert.match(text, /from 0\.01 to 10,000 with at most two digits behind the point/);
  assert.match(text, /href="#price"/);
  for (const path of ["/letters/nix", "/toys?after=abc", "/letters/nix/history"]) {
    assert.doesNotMatch(await (await fetch(`${workshop.address}${path}`)).text(), /href="#(?!main)/, path);
  }
});

test("S1 to S9: what does not exist is refused by 404, and what cannot be read by 400", async () => {
  const nobody = newLetterId();
  const change = { version: 1, address: "x", wishes: [{ toyId: "toy-1", quantity: 1 }] };
  for (const [method, path, body] of [
    ["GET", "/toys/no-such"],
    ["GET", "/toys/no-such/demand"],
    ["PUT", "/toys/no-such/price", { seen: 1, price: 2 }],
    ["GET", `/letters/${nobody}`],
    ["GET", `/letters/${nobody}/prices`],
    ["GET", `/letters/${nobody}/history`],
    ["PUT", `/letters/${nobody}`, change],
    ["GET", "/nothing"],
    ["GET", `/toys/${"x".repeat(3000)}`],
    ["GET", `/toys/${"x".repeat(3000)}/demand`],
    ["GET", "/toys/%F0"],
  ]) {
    const { status, value } = await call(method, path, body);
    assert.deepEqual([status, value.code], [404, "not_found"], path);
  }
  for (const [method, path, body] of [
    ["GET", "/toys/toy-1/demand?after=abc"],
    ["GET", "/toys?after=abc"],
    ["GET", "/letters?after="],
    ["GET", "/toys?limit=abc"],
    ["GET", "/letters?limit=5"],
    ["GET", "/letters/abc"],
    ["GET", "/letters/abc/prices"],
    ["GET", "/letters/abc/history"],
    ["PUT", "/letters/abc", change],
    ["PUT", `/letters/${nobody}`, { ...change, version: "1" }],
    ["PUT", "/toys/toy-1/price", { seen: 1, price: -1 }],
    ["POST", "/toys", "no JSON"],
    ["POST", "/letters", "[]"],
  ]) {
    const { status, value } = await call(method, path, body);
    assert.deepEqual([status, value.code], [400, "invalid"], `${path} ${JSON.stringify(value)}`);
  }
});

test("S5 S6: what is too large is refused, and so is what a page of another site sends", async () => {
  const foreign = { origin: "https://evil.example" };
  const big = `{"name":"${"x".repeat(2_000_000)}"}`;
  for (const [method, path] of [
    ["POST", "/toys"],
    ["POST", "/letters"],
    ["PUT", "/toys/toy-1/price"],
    ["PUT", `/letters/${newLetterId()}`],
  ]) {
    const large = await call(method, path, big);
    assert.deepEqual([large.status, large.value.code], [413, "too_large"]);
    for (const headers of [foreign, { "sec-fetch-site": "cross-site" }]) {
      const { status, value } = await call(method, path, {}, headers);
      assert.deepEqual([status, value.code], [403, "forbidden"]);
    }
  }
});

test("each answer of the description was seen", async () => {
  await did("GET", "/openapi.json");
  assert.deepEqual([...answered].filter((one) => !/ 5\d\d$/.test(one)).sort(), [...promised].sort());
});
