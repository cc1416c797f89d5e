import { join } from "node:path";
import { z } from "zod";
import { ChildFailed, startChild, type Child } from "./child.ts";
import type { DataFolder } from "./data-folder.ts";
import { LaunchError, portTaken } from "./launch-error.ts";
import { paths } from "./paths.ts";

const readySchema = z.object({ url: z.url(), siteUrl: z.url() });

export type Backend = {
  readonly child: Child;
  /** Where Convex clients connect. */
  readonly url: string;
  /** Where the HTTP actions are: the OpenAI API, and the console. */
  readonly siteUrl: string;
  readonly adminKey: string;
};

export type BackendPorts = { readonly port: number; readonly sitePort: number };

/** Starts the embedded backend on a data folder. Port 0 takes a free one. Throws a LaunchError that says what to do. */
export async function startBackend(
  folder: DataFolder,
  adminKey: string,
  ports: BackendPorts,
  pages: { readonly console: boolean },
): Promise<Backend> {
  const args = [
    paths.backendEntry,
    ...["--convex", paths.convex],
    ...["--data", folder.dataFile],
    ...["--port", String(ports.port)],
    ...["--site-port", String(ports.sitePort)],
    ...(pages.console ? ["--static", `/console=${paths.console}`] : []),
    "--with-parent",
  ];
  const child = await startChild({
    name: "backend",
    command: process.execPath,
    args,
    env: { GLEANER_ADMIN_KEY: adminKey },
    logFile: join(folder.logFolder, "backend.log"),
    readyWithinMs: 60_000,
  }).catch((error: unknown) => {
    throw explainFailure(error, folder, ports);
  });
  const { url, siteUrl } = readySchema.parse(child.ready);
  return { child, url, siteUrl, adminKey };
}

function explainFailure(error: unknown, folder: DataFolder, ports: BackendPorts): unknown {
  if (!(error instanceof ChildFailed)) return error;
  const busy = [ports.port, ports.sitePort].find((port) => error.output.includes(String(port)));
  if (/EADDRINUSE|already in use|is taken/.test(error.output)) return portTaken(busy ?? ports.port);
  const said = error.output.trim().split("\n").slice(-6).join("\n         ");
  return new LaunchError(
    `The backend did not start.\n         ${said}`,
    `Its log: ${join(folder.logFolder, "backend.log")}`,
  );
}
