/** Credentials and regions of Amazon's shared files and of the AWS SDK, where it is installed. */

import { invalid } from "../error.js";
import type { CredentialProvider, Credentials } from "../options.js";
import { builtin, installed } from "./builtin.js";
import { environmentCredentials, variable } from "./environment.js";
import { noCredentials } from "../request-errors.js";

/** The settings of a profile, as the files have them. */
type Settings = Readonly<Record<string, string>>;

/** The settings of a profile in both shared files; `undefined` where neither has it. */
export async function profileSettings(profile: string): Promise<Settings | undefined> {
  const home = variable("HOME", "USERPROFILE") ?? "";
  const config = sections(await text(variable("AWS_CONFIG_FILE") ?? `${home}/.aws/config`));
  const keys = sections(await text(variable("AWS_SHARED_CREDENTIALS_FILE") ?? `${home}/.aws/credentials`));
  const own = profile === "default" ? config.get("default") : config.get(`profile ${profile}`);
  const secret = keys.get(profile);
  return own === undefined && secret === undefined ? undefined : { ...own, ...secret };
}

/** The text of a file; empty where there is none. */
async function text(path: string): Promise<string> {
  const { promises } = await builtin("node:fs");
  return promises.readFile(path, "utf8").catch(() => "");
}

/** The sections of a file, by the words in brackets. Indented lines belong to the setting above them. */
export function sections(file: string): Map<string, Record<string, string>> {
  const all = new Map<string, Record<string, string>>();
  let open: Record<string, string> = {};
  for (const line of file.split(/\r?\n/)) {
    const name = /^\[\s*([^\]]*?)\s*\]/.exec(line)?.[1]?.replace(/\s+/g, " ");
    const [, setting, value = ""] = /^([A-Za-z0-9_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined) {
      open = { ...all.get(name) };
      all.set(name, open);
    } else if (setting !== undefined) {
      open[setting] = value;
    }
  }
  return all;
}

/** The credentials of a profile, or without one those of the machine: of the environment, of the shared files,
 * and where the AWS SDK is installed, of each of its sources (sign-on, containers, instances). */
export async function chain(profile: string | undefined): Promise<Credentials | CredentialProvider> {
  const found = profile === undefined ? environmentCredentials() : undefined;
  if (found !== undefined) return found;
  const settings = await profileSettings(profile ?? variable("AWS_PROFILE") ?? "default");
  const { aws_access_key_id: id, aws_secret_access_key: secret, aws_session_token: token } = settings ?? {};
  if (id !== undefined && secret !== undefined) {
    return { accessKeyId: id, secretAccessKey: secret, sessionToken: token };
  }
  const providers = (await installed("@aws-sdk/credential-providers")) as Providers | undefined;
  const provider = providers?.fromNodeProviderChain(profile === undefined ? {} : { profile });
  if (provider !== undefined) return provider;
  if (profile !== undefined && settings === undefined) {
    throw invalid("the shared files of AWS do not have the profile of the connection", "profile");
  }
  throw noCredentials();
}

interface Providers {
  fromNodeProviderChain(settings: { readonly profile?: string }): CredentialProvider;
}
