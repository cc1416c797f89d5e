import { join } from "node:path";
import { app, BrowserWindow, Notification, powerMonitor } from "electron";
import type { Departure } from "../../app/contract/leaving.ts";
import { pauseMinutes } from "../../app/contract/pause-choices.ts";
import type { ManagedSettings } from "../../app/managed/managed-settings.ts";
import { type Donor, startDonor } from "../donor/donor.ts";
import type { KeyVault } from "../donor/organization/key-vault.ts";
import type { AnswerCall } from "../face/answer-call.ts";
import type { Agreed } from "../first-run/first-run.ts";
import { untilJoined } from "../first-run/until-joined.ts";
import type { Arguments } from "../headless/arguments.ts";
import { enrollOnce } from "../headless/enroll-once.ts";
import { reportMembership } from "../headless/report-membership.ts";
import { leaveOnce } from "../leave-once.ts";
import type { Log } from "../log.ts";
import { managedAt, type ServerOfStart } from "../managed/server-of-start.ts";
import { readManifest } from "../models/manifest.ts";
import type { programFiles } from "../program-files.ts";
import { idleFromShell } from "../sensors/base/idle.ts";
import { shellSensor } from "../sensors/common/shell-sensor.ts";
import { platformIdle } from "../sensors/platform-sensors.ts";
import { forkRunner } from "../supervisor/process/fork-runner.ts";
import { needNotices } from "../tray/need-notices.ts";
import { donorTray } from "../tray/tray.ts";
import type { TrayAction } from "../tray/tray-menu.ts";
import type { PanelOrigin } from "../window/panel-address.ts";
import type { PanelWindow } from "../window/panel-window.ts";
import { electronSystemEvents } from "../window/system-events.ts";
import { utilityRunner } from "../window/utility-runner.ts";
import type { AppLinks } from "./app-links.ts";
import { followStartAtLogin, type LoginItem } from "./login/start-at-login.ts";
import { offerOtherOrganization } from "./offer-other-organization.ts";
import type { ProgramText } from "./program-text.ts";
import type { Replacement, SelfUpdate } from "./self-update.ts";
import type { SpokenLanguage } from "./spoken-language.ts";

/** The parts of the program that outlast a membership. */
type Program = {
  readonly options: Arguments;
  readonly files: ReturnType<typeof programFiles>;
  readonly version: string;
  readonly panel: PanelOrigin;
  readonly window: PanelWindow;
  readonly serveCalls: (answer: AnswerCall) => void;
  readonly links: AppLinks;
  readonly language: SpokenLanguage<ProgramText>;
  /** Null if this program cannot start at login. */
  readonly loginItem: LoginItem | null;
  readonly keyVault: KeyVault | null;
  readonly managed: ManagedSettings;
  readonly selfUpdate: SelfUpdate;
  readonly printLine: (line: object) => void;
  /** The donor runs. */
  readonly onReady: () => void;
  readonly log: Log;
};

/** The server, and what a start of the program was told about it. */
export type Membership = ServerOfStart & {
  /** A person has agreed to join on the page of the first start, which is still open. */
  readonly isNew: boolean;
};

/** How the program was asked to start. */
type Start = {
  /** Without a window at first. */
  readonly hidden: boolean;
  readonly donateNow: number | undefined;
};

/** The end of a donation: a new version takes over, or the membership has ended. */
type Ended = { readonly kind: "replaced"; readonly how: Replacement } | EndedMembership;

type Outcome =
  Exclude<Ended, EndedMembership> | { readonly kind: "left"; readonly departure: Departure | null };

type EndedMembership = {
  readonly kind: "left";
  /** Null if this computer belonged to no organization. */
  readonly departure: Departure | null;
  /** The organization that the person agreed to join next. */
  readonly next: Agreed | null;
};

/**
 * Donates, with a tray and the panel, until this computer leaves its organization or a new version takes over. Quitting ends the
 * program instead.
 */
export async function donate(program: Program, membership: Membership, start: Start): Promise<Ended> {
  const {
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
  } = program;
  const { selfUpdate, printLine, onReady, log } = program;
  const { url, pin, insecureHttp, rejoin, code, isNew } = membership;
  const ended = Promise.withResolvers<Outcome>();
  const manifests = [files.demoModel, ...options.model];
  const donor = await startDonor({
    dataDir: options.data,
    backend: { url, pin, insecureHttp, rejoin, hasCode: code !== undefined },
    name: options.name,
    version,
    rolledBackVersion: selfUpdate.rolledBackVersion(),
    shell: "desktop",
    canStartAtLogin: loginItem !== null,
    keyVault,
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
    managed: managedAt(managed, url),
    log,
    onQuit: () => app.quit(),
    restartToUpdate: () => updates.restart(),
    onLeft: (departure) => ended.resolve({ kind: "left", departure }),
  });
  const offer = offerOtherOrganization({
    donor,
    version,
    name: options.name,
    server: url,
    managed,
    panel,
    window,
    onUnbound: () => ended.resolve({ kind: "left", departure: null }),
    log,
  });
  serveCalls(offer.answer);

  const tray = donorTray({
    icons: join(files.icons, "tray"),
    platform: process.platform,
    text: language.text,
    onAction: (action) => perform(action, donor, window),
  });
  tray.update(donor.snapshot.get());
  donor.snapshot.onDelta((delta) => {
    window.send(delta);
    tray.update(donor.snapshot.get());
  });
  // Without a reference, a click on a notice would be lost.
  const notices: Notification[] = [];
  const stopNotices = needNotices({
    snapshot: donor.snapshot,
    isWindowOpen: () => BrowserWindow.getAllWindows().some((each) => each.isVisible()),
    tell: () => {
      if (!Notification.isSupported()) return;
      const body = language.text().traySentence(donor.snapshot.get(), Date.now());
      const notice = new Notification({ title: "Gleaner", body, icon: join(files.icons, "256x256.png") });
      notice.on("click", window.show);
      notice.show();
      notices.splice(0, 1, notice);
    },
  });
  const stopSpeaking = language.onChange(() => tray.update(donor.snapshot.get()));
  const updates = selfUpdate.follow(donor, (how) => ended.resolve({ kind: "replaced", how }));
  const stopProving = donor.snapshot.onDelta(() => {
    const { connection, activity } = donor.snapshot.get();
    if (connection === "online" && activity.reason !== "starting") void selfUpdate.prove();
  });
  // No timer ran during sleep, and much may have changed.
  const onResume = (): void => donor.resumed();
  powerMonitor.on("resume", onResume);
  const { snapshot, handlers } = donor;
  const removeLoginItem =
    loginItem === null
      ? null
      : followStartAtLogin({ item: loginItem, snapshot, setRules: handlers.setRules, log });
  app.on("activate", window.show);
  const quit = leaveOnce(
    async () => {
      log("info", "desktop.leaving");
      await donor.stop();
      tray.destroy();
    },
    () => app.exit(0),
  );
  const onQuit = (event: { preventDefault(): void }): void => {
    // Release jobs first. quit() ends the program itself.
    event.preventDefault();
    quit();
  };
  app.on("before-quit", onQuit);

  if (start.donateNow !== undefined) await donor.handlers.donateNow({ minutes: start.donateNow });
  if (code !== undefined) enrollOnce(donor, code, log);
  if (isNew) {
    // Until then the page says that this computer is joining.
    await untilJoined(donor.snapshot);
    window.goTo(panel.address);
  }
  const opened = links.takeWaiting();
  links.listen((given) => {
    if (given === null) window.show();
    else offer.show(given);
  });
  if (opened?.link != null) offer.show(opened.link);
  else if (opened !== null || !start.hidden) window.show();
  reportMembership(donor.snapshot, printLine);
  onReady();

  const outcome = await ended.promise;
  updates.stop();
  stopProving();
  stopSpeaking();
  stopNotices();
  notices[0]?.close();
  if (outcome.kind === "left") await removeLoginItem?.();
  links.listen(null);
  await donor.stop();
  app.off("before-quit", onQuit);
  app.off("activate", window.show);
  powerMonitor.off("resume", onResume);
  tray.destroy();
  return outcome.kind === "left" ? { ...outcome, next: offer.next() } : outcome;
}

function perform(action: TrayAction, donor: Donor, window: PanelWindow): void {
  if (action.kind === "open") {
    if (action.tab === null) window.show();
    else window.showTab(action.tab);
    return;
  }
  if (action.kind === "pause") {
    void donor.handlers.pause({ minutes: pauseMinutes(action.length, Date.now()) });
    return;
  }
  const handle = donor.handlers[action.name] as (argument: unknown) => unknown;
  void handle(action.argument);
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
