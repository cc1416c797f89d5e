import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { type BackendAddress, readBackendAddress } from "../../launch/core/data-folder.ts";
import { networkReason } from "../../launch/core/network-reason.ts";
import { defaultDataFolder } from "../../launch/core/paths.ts";
import { fetchPinned } from "../../launch/core/pinned-fetch.ts";
import type { Pin } from "../../main/connection/pin.ts";
import { CommandError, exitUnreachable, exitUsage } from "../command/command.ts";
import { readTrustFor, trustOptions, trustUsage } from "../command/trust.ts";

export const deploymentOptions = {
  url: { type: "string" },
  "admin-key-file": { type: "string" },
  ...trustOptions,
} as const;

export const deploymentUsage = `  --url URL              the deployment (default: the one that \`npm start\` runs)
${trustUsage}
  --admin-key-file FILE  its admin key (default: GLEANER_ADMIN_KEY, else the one that \`npm start\` made)
  GLEANER_DATA           the data folder of \`npm start\` (default: .gleaner in the checkout)`;

type DeploymentFlags = {
  readonly url?: string | undefined;
  readonly "admin-key-file"?: string | undefined;
  readonly pin?: string | undefined;
  readonly "insecure-http"?: boolean | undefined;
};

/** Deadline in ms of a call that reads or writes little. */
const answersWithinMs = 30_000;

const failure = z.object({ message: z.string() });

/** A running deployment, called with its admin key. */
export class Deployment {
  readonly url: string;
  readonly adminKey: string;
  /** The key of the deployment; null if the system's authorities vouch for it, or on loopback. */
  readonly pin: Pin | null;
  /** The address of its API and console, if it is known. */
  readonly siteUrl: string | null;
  readonly #fetch: typeof fetch;

  constructor({ url, pin, siteUrl }: BackendAddress, adminKey: string, withinMs = answersWithinMs) {
    this.url = url;
    this.adminKey = adminKey;
    this.pin = pin;
    this.siteUrl = siteUrl;
    this.#fetch = fetchPinned(pin, withinMs);
  }

  /**
   * Resolves only with a successful response. Rejects with a CommandError that has the deployment's message. Without a
   * signal the call has 30 s.
   */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { Authorization: `Convex ${this.adminKey}` };
    let response;
    try {
      response = await this.#fetch(`${this.url}${path}`, { ...init, headers });
    } catch (error) {
      throw new CommandError(
        `Nothing answers at ${this.url} (${networkReason(error)}). Start it with \`npm start\`, or name another with --url.`,
        exitUnreachable,
      );
    }
    if (response.ok) return response;
    const said = failure.safeParse(await response.json().catch(() => null));
    throw new CommandError(
      said.success ? said.data.message : `${path}: HTTP status ${String(response.status)}`,
    );
  }
}

/** Finds the deployment that the flags name, or the one that `npm start` runs. Rejects with CommandError. */
export async function findDeployment(flags: DeploymentFlags, env: NodeJS.ProcessEnv): Promise<Deployment> {
  const folder = defaultDataFolder(env);
  // The recorded address is of this machine, so its traffic stays here.
  const address =
    flags.url === undefined
      ? await readBackendAddress(folder)
      : { url: flags.url, pin: readTrustFor(flags.url, flags, env).pin, siteUrl: null };
  const url = address.url.replace(/\/+$/, "");
  return new Deployment({ ...address, url }, await readAdminKey(flags, env, folder));
}

async function readAdminKey(flags: DeploymentFlags, env: NodeJS.ProcessEnv, folder: string): Promise<string> {
  const fromEnvironment = env["GLEANER_ADMIN_KEY"];
  if (flags["admin-key-file"] === undefined && fromEnvironment !== undefined) return fromEnvironment.trim();
  const file = flags["admin-key-file"] ?? join(folder, "admin-key");
  try {
    return (await readFile(file, "utf8")).trim();
  } catch {
    throw new CommandError(
      `There is no admin key at ${file}. Name its file with --admin-key-file, or set GLEANER_ADMIN_KEY.`,
      exitUsage,
    );
  }
}
