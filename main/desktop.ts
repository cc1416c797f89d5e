import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { app, BrowserWindow, dialog, session } from "electron";
import fileLog from "electron-log/node.js";
import type { Departure } from "../app/contract/leaving.ts";
import { appScheme } from "../app/join-link.ts";
import { type AppLinks, appLinks } from "./desktop/app-links.ts";
import { desktopArguments } from "./desktop/arguments.ts";
import { askForOrganization } from "./desktop/ask-for-organization.ts";
import { donate, type Membership } from "./desktop/donate.ts";
import type { FailedStart } from "./desktop/failed-start.ts";
import { loadProgramText } from "./desktop/load-program-text.ts";
import { systemLoginItem, wasOpenedAtLogin } from "./desktop/login/system-login-item.ts";
import { restInLittleMemory } from "./desktop/memory/memory-at-rest.ts";
import { spareMemory } from "./desktop/memory/spare-memory.ts";
import type { ProgramText } from "./desktop/program-text.ts";
import { selfUpdate } from "./desktop/self-update.ts";
import { type SpokenLanguage, spokenLanguage } from "./desktop/spoken-language.ts";
import { systemKeyVault } from "./desktop/system-key-vault.ts";
import { readEnrolledServer } from "./donor/organization/identity.ts";
import { onChosenLanguage, servePanelCalls } from "./face/electron/ipc.ts";
import type { Agreed } from "./first-run/first-run.ts";
import type { Arguments } from "./headless/arguments.ts";
import type { DonorStartLine } from "./headless/start-line.ts";
import { jsonLinesLog, type Log } from "./log.ts";
import { managedSettings } from "./managed/find-settings.ts";
import { serverOfStart } from "./managed/server-of-start.ts";
import { programFiles, programVersion } from "./program-files.ts";
import { StartRefusal } from "./store/start-refusal.ts";
import { forbidCoreDumps } from "./supervisor/process/core-dumps.ts";
import { logUncaught } from "./uncaught.ts";
import { takeTrial } from "./update/trial/trial-mark.ts";
import { lockDown } from "./window/lock-down.ts";
import { panelOrigin } from "./window/panel-address.ts";
import { claimPanelScheme, servePanelFiles } from "./window/panel-protocol.ts";
import { panelWindow } from "./window/panel-window.ts";

// Before anything reads the environment: a program on trial takes the place of the installed one in it.
const onTrial = takeTrial(process.env);
const args = desktopArguments(process.argv.slice(1), process.env, app.getPath("userData"));
if (args.parsed.kind === "invalid") {
  const { reason } = args.parsed;
  printFailure(reason);
  // Before that Linux shows no dialog, and nobody knows the system's language.
  void app
    .whenReady()
    .then(() => speak(desktopLog(false)))
    .then((language) => showFailure(language, { kind: "options", why: reason }))
    .finally(() => app.exit(64));
} else {
  // One program per data folder, which contains Electron's lock and Chromium's files.
  if (args.ownFolder) app.setPath("userData", join(args.parsed.value.data, "desktop"));
  if (app.requestSingleInstanceLock()) start(args.parsed.value, { ...args, onTrial });
  else {
    printFailure(`Gleaner runs already with the data in ${args.parsed.value.data}. Its window is open now.`);
    app.exit(0);
  }
}

type Started = Pick<typeof args, "hidden" | "ownFolder"> & { readonly onTrial: boolean };
type Ready = Started & {
  readonly links: AppLinks;
  readonly language: SpokenLanguage<ProgramText>;
  readonly log: Log;
};

function start(options: Arguments, started: Started): void {
  const links = appLinks(app, process.argv);
  spareMemory();
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
      async () => {
        const log = desktopLog(options.verbose);
        const language = await speak(log);
        await run(options, { ...started, links, language, log }).catch((error: unknown) => {
          printFailure(error instanceof StartRefusal ? error.message : String(error));
          return showFailure(language, failureOf(error));
        });
      },
      () => undefined,
    )
    .catch((error: unknown) => void process.stderr.write(`${String(error)}\n`))
    .finally(() => app.exit(1));
}

function speak(log: Log): Promise<SpokenLanguage<ProgramText>> {
  return spokenLanguage({
    file: join(app.getPath("userData"), "language.json"),
    // Chromium makes the pages' languages of the same two.
    preferred: [app.getLocale(), ...app.getPreferredSystemLanguages()],
    load: loadProgramText,
    log,
  });
}

function failureOf(error: unknown): FailedStart {
  if (error instanceof StartRefusal) return { kind: "refused", sentence: error.sentence };
  return { kind: "error", why: error instanceof Error ? error.message : String(error) };
}

async function showFailure(language: SpokenLanguage<ProgramText>, failed: FailedStart): Promise<void> {
  await dialog.showMessageBox({ type: "error", title: "Gleaner", ...language.text().startFailed(failed) });
}

async function run(options: Arguments, started: Ready): Promise<void> {
  const { links, language, log } = started;
  const hidden = started.hidden || wasOpenedAtLogin();
  const files = programFiles(fileURLToPath(import.meta.url));
  // The window and the tray stay, as after the dialog that Electron would show.
  logUncaught(log);
  forbidCoreDumps();
  restInLittleMemory(log);
  const version = programVersion(files.package);
  const update = await selfUpdate({
    folder: options.data,
    version,
    config: files.updates,
    withParent: options.withParent,
    onTrial: started.onTrial,
    backend: async () => options.backend ?? (await readEnrolledServer(options.data)),
    log,
  });
  const panel = panelOrigin(app.isPackaged, process.env["ELECTRON_RENDERER_URL"]);
  lockDown(app, session.defaultSession, panel);
  servePanelFiles(session.defaultSession, files.panel);
  const serveCalls = servePanelCalls(panel);
  onChosenLanguage(panel, (chosen) => void language.choose(chosen));
  const window = panelWindow({
    address: panel.address,
    preload: files.preload,
    icon: join(files.icons, "256x256.png"),
    failedWords: () => language.text().windowFailed(),
    log,
  });
  quitWith(options.withParent);

  let isReady = false;
  const onReady = (): void => {
    if (!isReady) printLine({ ready: true });
    isReady = true;
  };
  const managed = await managedSettings(process.platform, process.env, log);
  const keyVault = await systemKeyVault(process.platform, log);
  // A parent starts this program again by itself.
  const loginItem = options.withParent ? null : systemLoginItem(started.ownFolder ? options.data : null);
  const program = {
    options,
    files,
    version,
    panel,
    window,
    serveCalls,
    links,
    language,
    loginItem,
    keyVault,
    managed,
    selfUpdate: update,
    printLine,
    onReady,
    log,
  };
  const ask = async (departure: Departure | null): Promise<Agreed> => {
    const agreed = await askForOrganization({ ...program, hidden: hidden && departure === null, departure });
    // It has just reached a server.
    await update.prove();
    return agreed;
  };
  const server = serverOfStart(options, await readEnrolledServer(options.data), managed);
  // The management of a computer can name a server without a code. Its person then enters one.
  const asks =
    server === null || (options.backend === undefined && server.joins && server.code === undefined);
  let membership: Membership = asks
    ? { ...membershipOf(await ask(null)), rejoin: server?.rejoin ?? false }
    : { ...server, isNew: false };
  let start = { hidden, donateNow: options.donateNow };
  for (;;) {
    const ended = await donate(program, membership, start);
    if (ended.kind === "replaced") {
      for (const window of BrowserWindow.getAllWindows()) window.destroy();
      await update.tryNext(ended.how);
      // The new version did not work, so this one goes on.
      membership = { ...membership, code: undefined, isNew: false };
      start = { hidden: true, donateNow: undefined };
      continue;
    }
    membership = membershipOf(ended.next ?? (await ask(ended.departure)));
    start = { hidden: false, donateNow: undefined };
  }
}

function membershipOf({ url, pin, code, insecureHttp }: Agreed): Membership {
  return { url, pin, code, insecureHttp, rejoin: false, joins: true, isNew: true };
}

/** Says why the program ends, to a person at a terminal and to a parent. */
function printFailure(why: string): void {
  process.stderr.write(`${why}\n`);
  const line: DonorStartLine = { ready: false, portTaken: false, why };
  printLine(line);
}

function printLine(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
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
