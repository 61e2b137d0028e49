// The workbench attacked: other pages, other names, no token, and models that hold what a page must not run.

import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { closed, opened, started } from "./started.mjs";

const HOSTILE = `model hostile 1
table Tab (PK, SK)
entity A
  id: string
  key "<img src onerror=x()>{id}" "<script>alert('2')</script>\u202e&quot;"
pattern a(id) -> A?
`;

let workbench;
let token;

before(async () => {
  workbench = await started({ "<img src=x onerror=alert(4)>.keyfold": HOSTILE, "plain.keyfold": HOSTILE });
  token = new URL(workbench.url).searchParams.get("token");
});

after(async () => {
  await closed();
  await workbench?.end();
});

/** Asks without a browser: it would not send such headers. */
function ask(path, { method = "GET", headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request(`${workbench.origin}${path}`, { method, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (some) => (text += some));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    sent.on("upgrade", (answer, socket) => {
      socket.destroy();
      resolve({ status: answer.statusCode, headers: answer.headers, text: "" });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const SOCKET = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };

test("a model holds scripts, and none runs", async () => {
  const { page, faults, context } = await opened(workbench);
  assert.match(await page.locator("svg.map .partition").textContent(), /^<img src onerror=x\(\)>\{id\}/);
  // A mark that turns a text round shows.
  assert.match(await page.locator("svg.map .item .key").textContent(), /^<script>alert\('2'\)<\/script>\ufffd&quot;$/);
  await page.locator(".t-text", { hasText: "onerror" }).first().hover();
  await page.locator(".cm-tooltip-hover").waitFor();
  await page.getByRole("button", { name: "Patterns", exact: true }).click();
  assert.match(await page.locator(".patterns code").textContent(), /<img src onerror=x\(\)>\{id\}/);
  await page.keyboard.press("Control+k");
  await page.locator(".palette li", { hasText: "onerror=alert(4)" }).waitFor();
  assert.equal(await page.locator("img:not(.cm-widgetBuffer), script:not([nonce]), svg[onload]").count(), 0);
  assert.deepEqual(faults, []);

  const [cookie] = await context.cookies();
  assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, "Strict"]);
  const known = { cookie: `${cookie.name}=${cookie.value}` };
  const own = { ...known, origin: workbench.origin };

  // Another browser comes with the address that was used.
  assert.equal((await ask(`/?token=${token}`)).status, 403);
  for (const path of ["/", "/files", "/app.js", "/language", "/nothing"]) {
    const { status, text } = await ask(path);
    assert.equal(status, 403, path);
    assert.ok(!text.includes(token) && !text.includes("hostile"), text);
  }
  assert.equal((await ask("/files", { headers: known })).status, 200);

  for (const host of ["evil.example", `evil.example:${new URL(workbench.origin).port}`, "127.0.0.1"]) {
    assert.equal((await ask("/files", { headers: { ...known, host } })).status, 403, host);
  }
  for (const origin of ["http://evil.example", "null", "http://127.0.0.1:1"]) {
    assert.equal((await ask("/files", { headers: { ...known, origin } })).status, 403, origin);
    assert.equal((await ask("/language", { headers: { ...known, ...SOCKET, origin } })).status, 403, origin);
  }
  assert.equal((await ask("/language", { headers: { ...known, ...SOCKET } })).status, 403);
  assert.equal((await ask("/language", { headers: { ...own, ...SOCKET } })).status, 101);
  assert.equal((await ask("/language", { headers: own })).status, 400);

  const save = (body, headers) => ask("/save", { method: "POST", headers, body: JSON.stringify(body) });
  assert.equal((await save({ file: 1, before: HOSTILE, text: "" }, known)).status, 403, "without its page");
  assert.equal((await save({ file: 2, before: HOSTILE, text: "" }, own)).status, 404, "a file that was not given");
  assert.equal((await save({ file: "../../x", before: "", text: "" }, own)).status, 400);
  assert.equal((await save({ file: 1, before: "other", text: "" }, own)).status, 409);

  const page_ = await ask("/", { headers: known });
  assert.match(page_.headers["content-security-policy"], /^default-src 'self'; .*style-src 'self' 'nonce-[0-9a-f]{64}'$/);
  assert.match((await ask("/files", { headers: known })).headers["content-security-policy"], /^default-src 'self';/);
  assert.equal(page_.headers["x-content-type-options"], "nosniff");
});
