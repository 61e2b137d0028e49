// The places of which the page is tested: a Keyfold server in memory; one with credentials and TLS; a data folder; another engine.
// `KEYFOLD_WEB_PLACE` names the place of tests that ask nothing special of it: `keyfold`, `secure`, `folder`, `moto` or `dynalite`.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const e2e = new URL("../../e2e/", import.meta.url).pathname;

export const kind = process.env.KEYFOLD_WEB_PLACE ?? "keyfold";

/** The programs of the tests have these keys; those of the workbench must not reach the page. */
const KEYS = [["AKIDKEPT", "kept-from-the-page"], ["AKIDTEST", "of-the-tests"]];

const freePort = () =>
  new Promise((resolve) => {
    const listener = createServer().listen(0, "127.0.0.1", () => {
      const { port } = listener.address();
      listener.close(() => resolve(port));
    });
  });

async function answers(port, process) {
  while (process.exitCode === null) {
    const there = await new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.unref();
      socket.on("connect", () => socket.end());
    });
    if (there) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the engine ended with ${process.exitCode}`);
}

/** Another engine from its package, on a free port. */
async function engine(command) {
  const port = await freePort();
  const process = spawn(command[0], [...command.slice(1), String(port)], { cwd: e2e, stdio: "ignore" });
  await answers(port, process);
  const end = async () => {
    const ended = new Promise((resolve) => process.on("exit", resolve));
    process.kill("SIGKILL");
    await ended;
  };
  return { endpoint: `http://127.0.0.1:${port}`, end };
}

/** A server with credentials and TLS, for which `run` starts the command. */
async function secure(run, model) {
  const folder = mkdtempSync(join(tmpdir(), "keyfold-secure-"));
  const [certificate, key, credentials] = ["certificate.pem", "key.pem", "credentials.json"].map((name) => join(folder, name));
  const names = ["subjectAltName=IP:127.0.0.1", "basicConstraints=critical,CA:FALSE"].flatMap((one) => ["-addext", one]);
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=this machine", ...names, "-days", "2", "-keyout", key, "-out", certificate], { stdio: "ignore" });
  writeFileSync(credentials, JSON.stringify(KEYS.map(([accessKey, secret]) => ({ accessKey, secret }))), { mode: 0o600 });
  const { result, end } = await run(["serve", model, "--memory", "--credentials", credentials, "--tls-cert", certificate, "--tls-key", key]);
  const ended = async () => {
    await end();
    rmSync(folder, { recursive: true, force: true });
  };
  return { endpoint: `${result.endpoint}?ca=${certificate}`, url: result.endpoint, certificate, end: ended };
}

/**
 * A data folder, which one process has open at a time: a server with what a test makes before it opens a workbench, and from then on (`at`)
 * the workbench.
 */
async function folder(run, model) {
  const parent = mkdtempSync(join(tmpdir(), "keyfold-folder-"));
  const data = join(parent, "data");
  const { result, end } = await run(["serve", model, "--data", data]);
  let isServed = true;
  const at = async () => {
    if (isServed) await end();
    isServed = false;
    return `keyfold:${data}`;
  };
  /** As it is now, in another folder. */
  const copied = () => {
    cpSync(data, join(parent, "copy"), { recursive: true });
    return `keyfold:${join(parent, "copy")}`;
  };
  const ended = async () => {
    await at();
    rmSync(parent, { recursive: true, force: true });
  };
  return { endpoint: result.endpoint, at, copied, end: ended };
}

/** What the SDK for JavaScript is made with, for a place. */
export function options({ endpoint, url = endpoint, certificate }) {
  const [accessKeyId, secretAccessKey] = KEYS[1];
  const trusted = certificate === undefined ? {} : { requestHandler: { httpsAgent: { ca: readFileSync(certificate) } } };
  return { endpoint: url, region: "us-east-1", credentials: { accessKeyId, secretAccessKey }, ...trusted };
}

/** Starts the place that is asked for, without tables or with those of the model; `run` starts the command. */
export async function begun(run, model) {
  [process.env.AWS_ACCESS_KEY_ID, process.env.AWS_SECRET_ACCESS_KEY] = KEYS[1];
  process.env.AWS_REGION ??= "us-east-1";
  if (kind === "secure") return secure(run, model);
  if (kind === "folder") return folder(run, model);
  if (kind === "moto") return engine([join(e2e, ".venv", "bin", "moto_server"), "-H", "127.0.0.1", "-p"]);
  if (kind === "dynalite") return engine(["node", join(e2e, "node_modules", ".bin", "dynalite"), "--host", "127.0.0.1", "--port"]);
  throw new Error(`KEYFOLD_WEB_PLACE is keyfold, secure, folder, moto or dynalite, and not ${kind}`);
}
