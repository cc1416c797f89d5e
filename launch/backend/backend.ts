import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { backendFailure } from "./failure.ts";
import { backendFlags, compileCache } from "./backend-process.ts";
import { type Child, ChildFailed, startChild } from "../core/child.ts";
import type { DataFolder } from "../core/data-folder.ts";
import { paths } from "../core/paths.ts";
import { publicName } from "./public-name.ts";

const readySchema = z.object({ url: z.url(), siteUrl: z.url() });

export type Backend = {
  readonly child: Child;
  /** Where Convex clients connect. */
  readonly url: string;
  /** Where the HTTP actions are: the OpenAI API, and the console. */
  readonly siteUrl: string;
  /** The same two as other computers reach them; equal to the above where they cannot. */
  readonly publicUrl: string;
  readonly publicSiteUrl: string;
  readonly adminKey: string;
};

export type BackendOptions = {
  /** The address to listen on. */
  readonly host: string;
  /** 0 takes a free one. */
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
      ...(options.console ? ["--static", `/console=${paths.console}`] : []),
      // Its log is a file that people read; see also what is said where it does not start.
      ...["--log-format", "text"],
      "--with-parent",
    ],
    env: { GLEANER_ADMIN_KEY: adminKey, ...compileCache(folder.path) },
    logFile: join(folder.logFolder, "backend.log"),
    readyWithinMs: 60_000,
  }).catch((error: unknown) => {
    throw explainFailure(error, folder, options);
  });
  const { url, siteUrl } = readySchema.parse(child.ready);
  return {
    child,
    url,
    siteUrl,
    publicUrl: name === null ? url : `http://${name}:${port}`,
    publicSiteUrl: name === null ? siteUrl : `http://${name}:${sitePort}`,
    adminKey,
  };
}

function explainFailure(error: unknown, folder: DataFolder, ports: BackendOptions): unknown {
  return error instanceof ChildFailed ? backendFailure(error.output, folder, ports) : error;
}
