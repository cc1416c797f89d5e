import { hostname } from "node:os";
import { join } from "node:path";
import { type MembershipReport, membershipReport } from "../../app/contract/membership.ts";
import type { Pin } from "../../main/connection/pin.ts";
import { donorStartLine } from "../../main/headless/start-line.ts";
import { type Child, ChildFailed, startChild } from "../core/child.ts";
import { LaunchError, notStarted, portTaken } from "../core/launch-error.ts";
import { installed, paths } from "../core/paths.ts";
import { headlessEntry, headlessFlags } from "./headless-entry.ts";
import { electronFailure, type Shell } from "./shell.ts";

export type DonorChildOptions = {
  readonly name?: string;
  /** The donor's own data folder, with its device key and settings. */
  readonly folder: string;
  readonly logFolder: string;
  /** Null if the computer's managed settings name it. */
  readonly backendUrl: string | null;
  /** The key of the backend; null if the system's authorities vouch for it, or on loopback. */
  readonly pin?: Pin | null;
  /** Allows plain HTTP to another computer. */
  readonly insecureHttp?: boolean;
  /** Used on the first run. A device that already has its key ignores it. */
  readonly enrollmentCode: string | null;
  /** With a code: join again, as a new device. */
  readonly rejoin?: boolean;
  readonly panelPort: number;
  /** Take another port for the panel if that one is taken. */
  readonly anyPanelPort?: boolean;
  /** The command that takes another port for the panel, if it is not `npm start`. */
  readonly panelPortCommand?: string;
  /** True if nobody uses this computer. It then donates without waiting until it is idle. */
  readonly unattended: boolean;
  /** Donates for this many minutes from the start, even while the computer is in use. */
  readonly donateNowMinutes: number | null;
  /** Manifests of models in addition to the demo model. */
  readonly modelManifests?: readonly string[];
  /** The Node that runs the donor without Electron. Defaults to the Node of this process. */
  readonly node?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Called when this computer's place in its organization is known, and at each change. */
  readonly onMembership?: (report: MembershipReport) => void;
};

/** A donor that runs, and the shell in which it does. */
type StartedDonor = { readonly child: Child; readonly shell: Shell };

/**
 * Starts a donor in this shell: on a computer that a person may use, it waits until nobody does. Where Electron itself does not
 * start, for example for want of a library or of its sandbox, the donor starts without it.
 */
export async function startDonorChild(
  shell: Shell,
  options: Omit<DonorChildOptions, "unattended">,
): Promise<StartedDonor> {
  if (shell.kind === "headless") {
    return { child: await startHeadlessDonor({ ...options, unattended: !shell.attended }), shell };
  }
  const attended = { ...options, unattended: false };
  try {
    return { child: await startDesktopDonor(shell, attended), shell };
  } catch (error) {
    // The desktop program reports why it does not start. If it ended without a report, it never ran.
    if (!(error instanceof ChildFailed) || error.report !== null || error.isLate)
      throw explainFailure(error, attended);
    const because = `Electron does not start: ${electronFailure(error.output) ?? error.message}`;
    const child = await startHeadlessDonor(attended).catch((headless: unknown) => {
      throw withSecondReason(headless, because);
    });
    return { child, shell: { kind: "headless", because, attended: true } };
  }
}

/** Starts a donor without Electron. It serves its panel on loopback (`panelUrl` in its ready line). */
export async function startHeadlessDonor(options: DonorChildOptions): Promise<Child> {
  return startChild({
    name: options.name ?? "donor",
    command: options.node ?? process.execPath,
    args: [
      ...headlessFlags,
      headlessEntry(),
      ...commonArgs(options),
      ...["--panel-port", String(options.panelPort)],
      ...(options.anyPanelPort === true ? ["--panel-port", "0"] : []),
      ...["--panel-dir", paths.panel],
      ...(options.unattended ? ["--unattended"] : []),
      "--with-parent",
    ],
    env: environment(options),
    logFile: join(options.logFolder, `${options.name ?? "donor"}.log`),
    readyWithinMs: 30_000,
    onReport: membershipReader(options),
  }).catch((error: unknown) => {
    throw explainFailure(error, options);
  });
}

/** Starts the desktop app: tray icon and window. */
async function startDesktopDonor(
  shell: Extract<Shell, { kind: "desktop" }>,
  options: DonorChildOptions,
): Promise<Child> {
  return startChild({
    name: "desktop",
    command: shell.electron,
    // The installed program needs no path: it starts itself. This command runs in it as plain Node.
    args: [...(installed ? [] : [paths.desktopApp]), ...shell.args, ...commonArgs(options), "--with-parent"],
    env: { ...environment(options), ELECTRON_RUN_AS_NODE: undefined },
    logFile: join(options.logFolder, "desktop.log"),
    readyWithinMs: 60_000,
    onReport: membershipReader(options),
  });
}

function membershipReader({ onMembership }: DonorChildOptions): (report: object) => void {
  return (report) => {
    const parsed = membershipReport.safeParse(report);
    if (parsed.success) onMembership?.(parsed.data);
  };
}

/** The code is a secret: it goes through the environment, since any user can list the arguments of a process. */
function environment({ enrollmentCode, env }: DonorChildOptions): NodeJS.ProcessEnv {
  return { ...(enrollmentCode === null ? {} : { GLEANER_CODE: enrollmentCode }), ...env };
}

function commonArgs(options: DonorChildOptions): string[] {
  return [
    ...["--data", options.folder],
    ...(options.backendUrl === null ? [] : ["--backend", options.backendUrl]),
    ...(options.pin === undefined || options.pin === null ? [] : ["--pin", options.pin]),
    ...(options.insecureHttp === true ? ["--insecure-http"] : []),
    ...(options.rejoin === true ? ["--rejoin"] : []),
    ...["--name", options.name ?? hostname()],
    ...(options.modelManifests ?? []).flatMap((manifest) => ["--model", manifest]),
    ...(options.donateNowMinutes === null ? [] : ["--donate-now", String(options.donateNowMinutes)]),
  ];
}

/** The donor without Electron failed, too. Its own reason is the one to mend first. */
function withSecondReason(error: unknown, reason: string): unknown {
  if (!(error instanceof LaunchError)) return error;
  return new LaunchError(`${error.message}\n         ${reason}.`, error.remedy);
}

function explainFailure(error: unknown, options: DonorChildOptions): unknown {
  if (!(error instanceof ChildFailed)) return error;
  const report = donorStartLine.safeParse(error.report).data;
  if (report?.ready === false && report.portTaken)
    return portTaken(options.panelPort, options.panelPortCommand);
  const said =
    report?.ready === false ? report.why : error.isLate ? `${error.output}\n${error.message}.` : error.output;
  return notStarted("donor", said, `Its logs: ${options.logFolder}`);
}
