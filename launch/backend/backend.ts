import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { readyLine, startLine } from "@gleaner/embedded/start-line";
import { type Child, ChildFailed, startChild } from "../core/child.ts";
import { type DataFolder, readOrMakeSecret, readSecret } from "../core/data-folder.ts";
import { paths } from "../core/paths.ts";
import { makeSecret } from "../organization/secrets.ts";
import { backendFailure } from "./failure.ts";
import { publicName } from "./public-name.ts";

/**
 * Node's flags for the backend. The young generation is three times this size in MB. A smaller one copies the data of
 * waiting functions repeatedly. With 200 workers, half this size costs a seventh to a third more time. Memory at rest
 * is the same.
 */
export const backendFlags: readonly string[] = ["--max-semi-space-size=16"];

/** Caches compiled code. The start is faster, and the compiler takes 15 MB less memory. */
export function compileCache(dataFolder: string): NodeJS.ProcessEnv {
  return { NODE_COMPILE_CACHE: join(dataFolder, "compiled") };
}

export type Backend = {
  readonly child: Child;
  /** The address for Convex clients. */
  readonly url: string;
  /** The address of the HTTP actions: the OpenAI API, and the console. */
  readonly siteUrl: string;
  /** Both addresses for other computers. Equal to the above if other computers cannot connect. */
  readonly publicUrl: string;
  readonly publicSiteUrl: string;
  readonly adminKey: string;
};

export type BackendOptions = {
  /** The address to listen on. */
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly sitePort: number;
  /** Whether to serve the built console. */
  readonly console: boolean;
};

/** Starts the embedded backend on a data folder. Throws a LaunchError that says what to do. */
export async function startBackend(
  folder: DataFolder,
  adminKey: string,
  options: BackendOptions,
): Promise<Backend> {
  const { port, sitePort, host } = options;
  const name = publicName(host, networkInterfaces());
  const signingKey = await readOrMakeSecret(folder.signingKeyFile, () => makeSecret(""));
  // During a rotation the key before signs the new one.
  const previousKey = await readSecret(`${folder.signingKeyFile}.previous`);
  const child = await startChild({
    name: "backend",
    command: process.execPath,
    args: [
      ...backendFlags,
      paths.backendEntry,
      ...["--convex", paths.convex],
      ...["--data", folder.dataFile],
      ...["--host", host],
      ...["--port", String(port)],
      ...["--site-port", String(sitePort)],
      ...(name === null
        ? []
        : ["--public-url", `http://${name}:${port}`, "--public-site-url", `http://${name}:${sitePort}`]),
      ...["--pass-env", "GLEANER_SIGNING_KEY", "--pass-env", "GLEANER_SIGNING_KEY_PREVIOUS"],
      ...(options.console ? ["--static", `/console=${paths.console}`] : []),
      // People read its log, and the last lines are shown if it does not start.
      ...["--log-format", "text"],
      "--with-parent",
    ],
    env: {
      CONVEX_EMBEDDED_ADMIN_KEY: adminKey,
      GLEANER_SIGNING_KEY: signingKey,
      GLEANER_SIGNING_KEY_PREVIOUS: previousKey,
      ...compileCache(folder.path),
    },
    logFile: join(folder.logFolder, "backend.log"),
    readyWithinMs: 60_000,
  }).catch((error: unknown) => {
    if (!(error instanceof ChildFailed)) throw error;
    throw backendFailure(startLine.safeParse(error.report).data ?? null, error.output, folder);
  });
  const { url, siteUrl } = readyLine.parse(child.ready);
  return {
    child,
    url,
    siteUrl,
    publicUrl: name === null ? url : `http://${name}:${port}`,
    publicSiteUrl: name === null ? siteUrl : `http://${name}:${sitePort}`,
    adminKey,
  };
}
