import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { startFarm } from "../../launch/farm/farm.ts";
import { start, type Started } from "../../main/deployment.fixture.ts";
import { packProgram } from "../../scripts/package/pack-program.ts";
import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { buildDesktop, buildHeadless } from "../support/build.ts";
import { desktopShell, missingForDesktop, openDisplay } from "../support/display.ts";
import { machineLine, machineNow } from "../support/machine.ts";
import { kindOf, proportionalMb, treeOf } from "../support/process-tree.ts";
import { repetitions } from "../support/repetitions.ts";
import { measureRest } from "../support/rest.ts";
import { tableRow } from "../support/rows.ts";
import { withScratch } from "../support/scratch.ts";
import { median, roundedNumbers } from "../support/statistics.ts";
import { closeWindow } from "./close-window.ts";
import { desktopBars, type DesktopFigures } from "./figures.ts";
import { installedSizes } from "./installed-sizes.ts";
import { hasDbusDaemon, startTrayHost, type TrayHost, type TrayIcon } from "./tray-host.ts";

/** After the first start the program enrolls and inspects its model. */
const enrollMs = 20_000;
/** Work at the start and its garbage do not count. */
const settleMs = 45_000;
const restMs = 60_000;
const restSamples = 6;
/** The time limit of the starts, and of the windows. */
const startsWithinMs = 30_000;
const windowsWithinMs = 25_000;
const closesWithinMs = 10_000;

export const desktopBench: Bench = {
  summary: "the packaged tray program: start, window, memory, processor time, disk",
  run: async (rounds, say) => {
    const missing = missingForDesktop() ?? (hasDbusDaemon() ? null : "dbus-daemon is not installed");
    if (missing !== null) return { json: { skipped: missing }, text: `  skipped, because ${missing}` };
    const machine = roundedNumbers(machineNow());
    const measured = await withScratch((folder) => measureDesktop(folder, rounds, say));
    const json = { ...roundedNumbers(measured), machine };
    const { installedMb, details } = json;
    const text = [
      tableRow("ms until the icon is in the tray", [json.trayMs]),
      tableRow("ms until the window is visible", [json.windowMs]),
      tableRow("memory (PSS) without a window, MB", [json.restPssMb]),
      tableRow("memory with the window, MB", [json.openPssMb]),
      tableRow("memory with the window closed again, MB", [details.closedPssMb]),
      tableRow("% of one core", [json.cpuPercent]),
      tableRow("context switches a second", [json.wakeupsPerSecond]),
      ...Object.entries(installedMb).map(([part, mb]) => tableRow(`installed, MB: ${part}`, [mb])),
      ...Object.entries(details.processesMb).map(([kind, mb]) => tableRow(`at rest, MB: ${kind}`, [mb])),
      "",
      ...barLines(desktopBars(json)),
      machineLine(machine),
    ].join("\n");
    return { json, text };
  },
};

type Measured = DesktopFigures & {
  readonly details: {
    /** Memory after the window was opened and closed. */
    readonly closedPssMb: number;
    /** Memory at rest by kind of process. */
    readonly processesMb: Readonly<Record<string, number>>;
  };
};

async function measureDesktop(
  folder: string,
  rounds: number,
  say: (line: string) => void,
): Promise<Measured> {
  const shell = desktopShell(":0");
  if (shell.kind === "headless") throw new Error(`No desktop program, because ${shell.because}.`);
  say("building");
  await buildHeadless();
  await buildDesktop();
  say("packing");
  const program = await packProgram(dirname(shell.electron), join(folder, "dist"));
  const installedMb = await installedSizes(program);
  const sockets = await mkdtemp(join(tmpdir(), "gleaner-tray-"));
  const [farm, display, tray] = await Promise.all([startFarm(), openDisplay(), startTrayHost(sockets)]);
  const env = {
    DISPLAY: display.name,
    DBUS_SESSION_BUS_ADDRESS: tray.busAddress,
    XDG_SESSION_TYPE: "x11",
    XDG_CONFIG_HOME: join(folder, "config"),
  };
  const code = await farm.setup.issueEnrollmentCode(farm.organization.organizationId, "desktop");
  const open = (extra: NodeJS.ProcessEnv = {}): Promise<Opened> =>
    openProgram({
      command: join(program, "gleaner-desktop"),
      args: [...shell.args, "--data", join(folder, "data"), "--backend", farm.backend.url, "--hidden"],
      env: { ...env, ...extra },
      tray,
    });
  let running: Started | null = null;
  try {
    say("enrolling");
    running = (await open({ GLEANER_CODE: code })).started;
    await sleep(enrollMs);
    say("starting");
    const trayMs: number[] = [];
    let last: Opened | null = null;
    for (const _round of repetitions(rounds, startsWithinMs)) {
      await stop(running);
      last = await open();
      running = last.started;
      trayMs.push(last.trayMs);
    }
    if (last === null) throw new Error("Nothing was measured.");
    say("at rest");
    await sleep(settleMs);
    const rest = await measureRest(last.pid, restMs, restSamples);
    const processesMb = memoryByKind(last.pid);
    say("opening the window");
    const windows = await measureWindows(last, display.name, rounds);
    return {
      trayMs: median(trayMs),
      windowMs: median(windows.ms),
      restPssMb: rest.pssMb,
      openPssMb: windows.openPssMb,
      cpuPercent: rest.cpuPercent,
      wakeupsPerSecond: rest.contextSwitchesPerSecond,
      installedMb,
      details: { closedPssMb: windows.closedPssMb, processesMb },
    };
  } finally {
    if (running !== null) await stop(running);
    await farm.close();
    await tray.close();
    await display.close();
    await rm(sockets, { recursive: true, force: true });
  }
}

type Opened = {
  readonly started: Started;
  readonly pid: number;
  readonly trayMs: number;
  readonly icon: TrayIcon;
};

type Program = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly tray: TrayHost;
};

async function openProgram({ command, args, env, tray }: Program): Promise<Opened> {
  const next = tray.nextIcon();
  const before = performance.now();
  const [started, icon] = await Promise.all([start([...args, "--with-parent"], env, command), next]);
  return { started, pid: started.process.pid ?? -1, trayMs: icon.at - before, icon };
}

async function stop(started: Started): Promise<void> {
  started.process.stdin?.end();
  await started.exited;
}

/** Memory in MB by kind of process. */
function memoryByKind(pid: number): Record<string, number> {
  const mb: Record<string, number> = {};
  for (const each of treeOf(pid)) mb[kindOf(each)] = (mb[kindOf(each)] ?? 0) + proportionalMb([each]);
  return mb;
}

/** Opens the window by a click on the icon and closes it, several times. */
async function measureWindows({ pid, icon }: Opened, display: string, rounds: number) {
  const xdotool = async (...args: readonly string[]): Promise<string> =>
    (
      await promisify(execFile)("xdotool", [...args], {
        env: { ...process.env, DISPLAY: display },
        timeout: 20_000,
      })
    ).stdout.trim();
  const ms: number[] = [];
  let openPssMb = 0;
  for (const _round of repetitions(rounds, windowsWithinMs)) {
    // It looks every 30 ms.
    const visible = xdotool("search", "--sync", "--onlyvisible", "--name", "^Gleaner$");
    await sleep(200);
    const before = performance.now();
    await icon.activate();
    const window = (await visible).split("\n")[0] ?? "";
    ms.push(performance.now() - before);
    await sleep(2_000);
    openPssMb = proportionalMb(treeOf(pid));
    await closeWindow(display, Number(window));
    await untilClosed(pid);
  }
  await sleep(10_000);
  return { ms, openPssMb, closedPssMb: proportionalMb(treeOf(pid)) };
}

/** A window that is still closing would be taken for the next one. */
async function untilClosed(pid: number): Promise<void> {
  const lateAt = performance.now() + closesWithinMs;
  while (treeOf(pid).some((each) => kindOf(each) === "renderer")) {
    if (performance.now() > lateAt) throw new Error("The window did not close.");
    await sleep(50);
  }
}
