import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readBackendUrl } from "../../launch/core/data-folder.ts";
import { defaultDataFolder } from "../../launch/core/paths.ts";
import { CommandError, exitUnreachable, exitUsage } from "../command/command.ts";

export const deploymentOptions = {
  url: { type: "string" },
  "admin-key-file": { type: "string" },
} as const;

export const deploymentUsage = `  --url URL              the deployment (default: the one that \`npm start\` runs)
  --admin-key-file FILE  its admin key (default: GLEANER_ADMIN_KEY, else the one that \`npm start\` made)
  GLEANER_DATA           the data folder of \`npm start\` (default: .gleaner in the checkout)`;

type DeploymentFlags = {
  readonly url?: string | undefined;
  readonly "admin-key-file"?: string | undefined;
};

const failure = z.object({ message: z.string() });

/** A running deployment, called with its admin key. */
export class Deployment {
  readonly url: string;
  readonly adminKey: string;

  constructor(url: string, adminKey: string) {
    this.url = url;
    this.adminKey = adminKey;
  }

  /** Resolves only with a successful response. Rejects with a CommandError that has the deployment's message. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { Authorization: `Convex ${this.adminKey}` };
    let response;
    try {
      response = await fetch(`${this.url}${path}`, { ...init, headers });
    } catch (error) {
      const cause =
        error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      throw new CommandError(
        `Nothing answers at ${this.url} (${cause}). Start it with \`npm start\`, or name another with --url.`,
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
  const url = flags.url ?? (await readBackendUrl(folder));
  if (URL.parse(url) === null) throw new CommandError(`"${url}" is not a URL.`, exitUsage);
  return new Deployment(url.replace(/\/+$/, ""), await readAdminKey(flags, env, folder));
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
