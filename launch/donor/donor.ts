import { hostname } from "node:os";
import { join } from "node:path";
import { type Child, ChildFailed, startChild } from "../core/child.ts";
import type { Shell } from "./shell.ts";
import { headlessEntry, headlessFlags } from "./headless-entry.ts";
import { LaunchError, portTaken } from "../core/launch-error.ts";
import { installed, paths } from "../core/paths.ts";

export type DonorOptions = {
  readonly name?: string;
  /** The donor's own folder: its device key and settings. */
  readonly folder: string;
  readonly logFolder: string;
  readonly backendUrl: string;
  /** Enrols on first run; ignored by a device that has its key already. */
  readonly enrolmentCode: string | null;
  readonly panelPort: number;
  /** No person sits here: idleness is not asked for. */
  readonly unattended: boolean;
  /** Donate for so many minutes from the start, in use or not. */
  readonly donateNowMinutes: number | null;
  /** Manifests of models beside the demo model. */
  readonly modelManifests?: readonly string[];
  /** The Node that runs it without Electron, if not the one that runs this. */
  readonly node?: string;
  readonly env?: NodeJS.ProcessEnv;
};

/** Starts a donor without Electron; its panel is served on loopback (`panelUrl` in its ready line). */
export async function startHeadlessDonor(options: DonorOptions): Promise<Child> {
  return startChild({
    name: options.name ?? "donor",
    command: options.node ?? process.execPath,
    args: [
      ...headlessFlags,
      headlessEntry(),
      ...commonArgs(options),
      ...["--panel-port", String(options.panelPort)],
      ...["--panel-dir", paths.panel],
      ...(options.unattended ? ["--unattended"] : []),
      "--with-parent",
    ],
    env: environment(options),
    logFile: join(options.logFolder, `${options.name ?? "donor"}.log`),
    readyWithinMs: 30_000,
  }).catch((error: unknown) => {
    throw explainFailure(error, options);
  });
}

/** Starts the desktop app: tray icon and window. */
export async function startDesktopDonor(
  shell: Extract<Shell, { kind: "desktop" }>,
  options: DonorOptions,
): Promise<Child> {
  return startChild({
    name: "desktop",
    command: shell.electron,
    // An installed program knows which it is, and runs this command with itself as plain Node.
    args: [...(installed ? [] : [paths.desktopApp]), ...shell.args, ...commonArgs(options), "--with-parent"],
    env: { ...environment(options), ELECTRON_RUN_AS_NODE: undefined },
    logFile: join(options.logFolder, "desktop.log"),
    readyWithinMs: 60_000,
  }).catch((error: unknown) => {
    throw explainFailure(error, options);
  });
}

/** The code is a secret: it goes by the environment, since everybody can list a process's arguments. */
function environment({ enrolmentCode, env }: DonorOptions): NodeJS.ProcessEnv {
  return { ...(enrolmentCode === null ? {} : { GLEANER_CODE: enrolmentCode }), ...env };
}

function commonArgs(options: DonorOptions): string[] {
  return [
    ...["--data", options.folder],
    ...["--backend", options.backendUrl],
    ...["--name", options.name ?? hostname()],
    ...(options.modelManifests ?? []).flatMap((manifest) => ["--model", manifest]),
    ...(options.donateNowMinutes === null ? [] : ["--donate-now", String(options.donateNowMinutes)]),
  ];
}

function explainFailure(error: unknown, options: DonorOptions): unknown {
  if (!(error instanceof ChildFailed)) return error;
  if (error.output.includes("panel's port is taken")) return portTaken(options.panelPort);
  const said = error.output.trim().split("\n").slice(-6).join("\n         ");
  return new LaunchError(`The donor did not start.\n         ${said}`, `Its logs: ${options.logFolder}`);
}
