import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { app, dialog, powerMonitor, session } from "electron";
import fileLog from "electron-log/node.js";
import { pauseMinutes } from "../app/contract/pause-choices.ts";
import { appScheme } from "../app/join-link.ts";
import { desktopArguments } from "./desktop/arguments.ts";
import { askForOrganization } from "./desktop/ask-for-organization.ts";
import { followStartAtLogin } from "./desktop/login/start-at-login.ts";
import { systemLoginItem, wasOpenedAtLogin } from "./desktop/login/system-login-item.ts";
import { type Donor, startDonor } from "./donor/donor.ts";
import { readEnrolledServer } from "./donor/organization/identity.ts";
import { answerCalls } from "./face/answer-call.ts";
import { servePanelCalls } from "./face/electron/ipc.ts";
import { untilJoined } from "./first-run/until-joined.ts";
import type { Arguments } from "./headless/arguments.ts";
import { enrollOnce } from "./headless/enroll-once.ts";
import { reportMembership } from "./headless/report-membership.ts";
import { leaveOnce } from "./leave-once.ts";
import { jsonLinesLog, type Log } from "./log.ts";
import { readManifest } from "./models/manifest.ts";
import { programFiles } from "./program-files.ts";
import { idleFromShell } from "./sensors/base/idle.ts";
import { shellSensor } from "./sensors/common/shell-sensor.ts";
import { platformIdle } from "./sensors/platform-sensors.ts";
import { forbidCoreDumps } from "./supervisor/process/core-dumps.ts";
import { forkRunner } from "./supervisor/process/fork-runner.ts";
import { donorTray } from "./tray/tray.ts";
import type { TrayAction } from "./tray/tray-menu.ts";
import { logUncaught } from "./uncaught.ts";
import { lockDown } from "./window/lock-down.ts";
import { panelOrigin } from "./window/panel-address.ts";
import { claimPanelScheme, servePanelFiles } from "./window/panel-protocol.ts";
import { panelWindow } from "./window/panel-window.ts";
import { electronSystemEvents } from "./window/system-events.ts";
import { utilityRunner } from "./window/utility-runner.ts";

const args = desktopArguments(process.argv.slice(1), process.env, app.getPath("userData"));
if (args.parsed.kind === "invalid") {
  process.stderr.write(`${args.parsed.reason}\n`);
  dialog.showErrorBox("Gleaner cannot start", `${args.parsed.reason}.`);
  app.exit(64);
} else {
  // One program per data folder, which contains Electron's lock and Chromium's files.
  if (args.ownFolder) app.setPath("userData", join(args.parsed.value.data, "desktop"));
  if (app.requestSingleInstanceLock()) start(args.parsed.value, args);
  else app.exit(0);
}

type Started = Pick<typeof args, "hidden" | "ownFolder">;

function start(options: Arguments, started: Started): void {
  claimPanelScheme();
  // As root (in a container, in CI) Chromium requires --no-sandbox.
  if (!app.commandLine.hasSwitch("no-sandbox")) app.enableSandbox();
  app.setAppUserModelId("org.gleaner.desktop");
  // In a checkout, the program that opens links would be a bare Electron.
  if (app.isPackaged) app.setAsDefaultProtocolClient(appScheme);
  // The tray keeps the program alive.
  app.on("window-all-closed", () => undefined);
  app
    .whenReady()
    .then(
      () => run(options, started),
      () => app.exit(1),
    )
    .catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      dialog.showErrorBox("Gleaner cannot start", error instanceof Error ? error.message : String(error));
      app.exit(1);
    });
}

async function run(options: Arguments, started: Started): Promise<void> {
  const hidden = started.hidden || wasOpenedAtLogin();
  const files = programFiles(fileURLToPath(import.meta.url));
  const log = desktopLog(options.verbose);
  // The window and the tray stay, as after the dialog that Electron would show.
  logUncaught(log);
  forbidCoreDumps();
  const panel = panelOrigin(app.isPackaged, process.env["ELECTRON_RENDERER_URL"]);
  lockDown(app, session.defaultSession, panel);
  servePanelFiles(session.defaultSession, files.panel);
  const serveCalls = servePanelCalls(panel);
  const window = panelWindow({
    address: panel.address,
    preload: files.preload,
    icon: join(files.icons, "256x256.png"),
    log,
  });
  quitWith(options.withParent);

  const server = options.backend ?? (await readEnrolledServer(options.data));
  const agreed =
    server === null ? await askForOrganization({ options, hidden, panel, window, serveCalls, log }) : null;
  const code = agreed?.code ?? options.code;
  // A parent starts this program again by itself.
  const loginItem = options.withParent ? null : systemLoginItem(started.ownFolder ? options.data : null);
  const manifests = [files.demoModel, ...options.model];
  const donor = await startDonor({
    dataDir: options.data,
    backend: {
      url: agreed?.url ?? server ?? "",
      pin: agreed?.pin ?? options.pin ?? null,
      insecureHttp: agreed?.insecureHttp ?? options.insecureHttp,
      hasCode: code !== undefined,
      rejoin: options.rejoin,
    },
    name: options.name,
    version: app.getVersion(),
    shell: "desktop",
    canStartAtLogin: loginItem !== null,
    // On Linux the low priority must be set before the process's first thread starts.
    spawnRunner: process.platform === "linux" ? forkRunner(files.runner) : utilityRunner(files.runner),
    idle: platformIdle(
      process.platform,
      process.env,
      idleFromShell(() => powerMonitor.getSystemIdleTime()),
      log,
    ),
    shellSensors: [shellSensor(electronSystemEvents(process.platform))],
    ownCpuTime: cpuTimeOfAllProcesses,
    bundledModels: (await Promise.all(manifests.map(readManifest))).filter((file) => file !== null),
    baseRules: options.unattended ? { requireIdle: false } : {},
    log,
    onQuit: () => app.quit(),
  });
  serveCalls(answerCalls("panel", donor.handlers, log));

  const tray = donorTray({
    icons: join(files.icons, "tray"),
    platform: process.platform,
    onAction: (action) => perform(action, donor, window.show),
  });
  tray.update(donor.snapshot.get());
  donor.snapshot.onDelta((delta) => {
    window.send(delta);
    tray.update(donor.snapshot.get());
  });
  followSystem(donor);
  if (loginItem !== null) {
    const { snapshot, handlers } = donor;
    followStartAtLogin({ item: loginItem, snapshot, setRules: handlers.setRules, log });
  }

  app.on("second-instance", (_event, argv) => {
    // A start at login, although the program already runs.
    if (!argv.includes("--hidden")) window.show();
  });
  app.on("activate", window.show);
  const leave = leaveOnce(
    async () => {
      log("info", "desktop.leaving");
      await donor.stop();
      tray.destroy();
    },
    () => app.exit(0),
  );
  app.on("before-quit", (event) => {
    // Release jobs first. leave() ends the program itself.
    event.preventDefault();
    leave();
  });

  if (options.donateNow !== undefined) await donor.handlers.donateNow({ minutes: options.donateNow });
  if (code !== undefined) enrollOnce(donor, code, log);
  if (agreed !== null) {
    // Until then the page says that this computer is joining.
    await untilJoined(donor.snapshot);
    window.goTo(panel.address);
  }
  if (!hidden) window.show();
  reportMembership(donor.snapshot, printLine);
  printLine({ ready: true });
}

function printLine(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function perform(action: TrayAction, donor: Donor, show: () => void): void {
  if (action.kind === "open") {
    show();
    return;
  }
  if (action.kind === "pause") {
    void donor.handlers.pause({ minutes: pauseMinutes(action.length, Date.now()) });
    return;
  }
  const handle = donor.handlers[action.name] as (argument: unknown) => unknown;
  void handle(action.argument);
}

/** Wakes the loop after sleep: no timer ran, and much may have changed. */
function followSystem(donor: Donor): void {
  powerMonitor.on("resume", () => donor.resumed());
}

/** CPU time of this program and the runner, in ms. Null if Electron does not tell. */
function cpuTimeOfAllProcesses(): number | null {
  let seconds = 0;
  for (const { cpu } of app.getAppMetrics()) {
    if (cpu.cumulativeCPUUsage === undefined) return null;
    seconds += cpu.cumulativeCPUUsage;
  }
  return seconds * 1_000;
}

function quitWith(parent: boolean): void {
  process.on("SIGINT", () => app.quit());
  process.on("SIGTERM", () => app.quit());
  if (!parent) return;
  process.stdin.on("end", () => app.quit()).on("error", () => app.quit());
  process.stdin.resume();
}

/**
 * Logs to standard error. An installed program also logs to a file of limited size, since nobody reads its
 * standard error.
 */
function desktopLog(verbose: boolean): Log {
  fileLog.transports.console.level = false;
  fileLog.transports.file.level = app.isPackaged ? "silly" : false;
  fileLog.transports.file.format = "{text}";
  fileLog.transports.file.maxSize = 1024 * 1024;
  fileLog.transports.file.resolvePathFn = () => join(app.getPath("logs"), "gleaner.log");
  return jsonLinesLog(
    (line) => {
      process.stderr.write(line);
      fileLog.info(line.trimEnd());
    },
    verbose ? "debug" : "info",
  );
}
