/** Credentials that only `@aws-sdk/credential-providers` finds: it is asked where it is installed, and an error says
 * to install it where it is not. */

import assert from "node:assert/strict";
import { build } from "esbuild";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const FOLDER = mkdtempSync(join(tmpdir(), "keyfold-chain-"));
const SOURCES = fileURLToPath(new URL("../src", import.meta.url));
/** A provider that says which settings it was made with, and how often it was asked. */
const STUB = `
let asked = 0;
export const fromNodeProviderChain = (settings) => async () => ({
  accessKeyId: \`\${settings.profile ?? "machine"}-\${(asked += 1)}\`,
  secretAccessKey: "s",
  sessionToken: "t",
});
`;

/** The `fetch` of the program: it sends nothing. */
const fetch = async (_, { headers }) => {
  sent.push(`${/Credential=([^/]*)/.exec(headers.authorization)?.[1]} ${headers["x-amz-security-token"] ?? ""}`);
  return new Response('{"TableNames":[]}');
};
const own = globalThis.fetch;
const known = { ...process.env };
const sent = [];

before(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith("AWS_")) delete process.env[name];
  process.env.AWS_CONFIG_FILE = join(FOLDER, "config");
  process.env.AWS_SHARED_CREDENTIALS_FILE = join(FOLDER, "none");
  const sso = "sso_session = company\nsso_account_id = 1\nsso_role_name = reader\nregion = eu-west-3\n";
  writeFileSync(process.env.AWS_CONFIG_FILE, `[profile staff]\n${sso}[profile own]\naws_access_key_id = own\naws_secret_access_key = s\n`);
});

after(() => {
  globalThis.fetch = own;
  for (const name of Object.keys(process.env)) if (!(name in known)) delete process.env[name];
  Object.assign(process.env, known);
  rmSync(FOLDER, { recursive: true });
});

/** The transports of a program in a folder of its own. */
async function program(name) {
  const outfile = join(FOLDER, name, "program.mjs");
  const entryPoints = [join(SOURCES, "transport/connect.ts")];
  await build({ entryPoints, outfile, bundle: true, format: "esm", platform: "node", target: "node20" });
  // What a program puts in the place of `fetch` is used; the one that was there at the start is not.
  globalThis.fetch = own;
  const { transportOf } = await import(pathToFileURL(outfile).href);
  globalThis.fetch = fetch;
  return transportOf;
}

test("where the providers of the SDK are installed, they are asked", async () => {
  const packaged = join(FOLDER, "with/node_modules/@aws-sdk/credential-providers");
  mkdirSync(packaged, { recursive: true });
  writeFileSync(join(packaged, "package.json"), '{ "type": "module", "exports": "./index.js" }');
  writeFileSync(join(packaged, "index.js"), STUB);
  const transportOf = await program("with");
  for (const [text, credentials] of [
    ["dynamodb://eu-west-1?profile=staff", "staff-1 t"],
    ["dynamodb://?profile=staff", "staff-2 t"],
    ["dynamodb://eu-west-1", "machine-3 t"],
    // Keys that a file has are used as they are.
    ["dynamodb://eu-west-1?profile=own", "own "],
    // A profile may be one that only the SDK knows.
    ["dynamodb://eu-west-1?profile=elsewhere", "elsewhere-4 t"],
  ]) {
    sent.length = 0;
    await transportOf(text).call("ListTables", {});
    assert.deepEqual(sent, [credentials], text);
  }
});

test("where they are not, the error says to install them", async () => {
  const transportOf = await program("without");
  sent.length = 0;
  for (const [text, expected] of [
    ["dynamodb://eu-west-1?profile=staff", /install @aws-sdk\/credential-providers/],
    ["dynamodb://eu-west-1", /install @aws-sdk\/credential-providers/],
    ["dynamodb://eu-west-1?profile=elsewhere", /the shared files of AWS do not have the profile/],
  ]) {
    const error = await transportOf(text).call("ListTables", {}).then(assert.fail, (one) => one);
    assert.match(error.message, expected, text);
    assert.match(error.code, /^(?:transport|invalid)$/);
  }
  assert.deepEqual(sent, []);
});
