import { fileURLToPath } from "node:url";
import { departureWords } from "../app/contract/leaving.ts";
import type { MembershipReport } from "../app/contract/membership.ts";
import type { ModelFile } from "../app/contract/runner.ts";
import { mayPrintSecrets } from "../app/format/secrets.ts";
import { startDonor } from "./donor/donor.ts";
import { readEnrolledServer } from "./donor/organization/identity.ts";
import { answerCalls } from "./face/answer-call.ts";
import { type PanelServer, servePanel } from "./face/web-socket/panel-server.ts";
import { type Arguments, backendWords, parseArguments, usage } from "./headless/arguments.ts";
import { enrollOnce } from "./headless/enroll-once.ts";
import { isHopeless, reportMembership } from "./headless/report-membership.ts";
import type { DonorStartLine } from "./headless/start-line.ts";
import { leaveOnce } from "./leave-once.ts";
import { jsonLinesLog } from "./log.ts";
import { managedSettings } from "./managed/find-settings.ts";
import { managedAt, serverOfStart } from "./managed/server-of-start.ts";
import { readManifest } from "./models/manifest.ts";
import { programFiles, programVersion } from "./program-files.ts";
import { idleFromFile } from "./sensors/base/idle.ts";
import { platformIdle } from "./sensors/platform-sensors.ts";
import { StartRefusal } from "./store/start-refusal.ts";
import { forbidCoreDumps } from "./supervisor/process/core-dumps.ts";
import { forkRunner } from "./supervisor/process/fork-runner.ts";
import { logUncaught } from "./uncaught.ts";

const files = programFiles(fileURLToPath(import.meta.url));

/** The donor without Electron, for servers, lab machines, containers and tests. Logs to standard error. */
async function main(): Promise<void> {
  const parsed = parseArguments(process.argv.slice(2), process.env);
  if (parsed.kind === "invalid") {
    process.stderr.write(`${parsed.reason}\n\n${usage}\n`);
    printLine({ ready: false, portTaken: false, why: parsed.reason });
    process.exitCode = exitArguments;
    return;
  }
  await run(parsed.value);
}

async function run(args: Arguments): Promise<void> {
  const log = jsonLinesLog((line) => process.stderr.write(line), args.verbose ? "debug" : "info");
  logUncaught(log, () => process.exit(1));
  forbidCoreDumps();
  let stop = (): Promise<void> => Promise.resolve();
  let exitCode = 0;
  const end = leaveOnce(
    () => stop(),
    (isLate) => process.exit(isLate ? 1 : exitCode),
  );
  const leave = (why: string): void => {
    // A second signal ends the process at once.
    if (!end()) process.exit(130);
    log("info", "headless.leaving", { why });
  };
  process.on("SIGINT", () => leave("SIGINT"));
  process.on("SIGTERM", () => leave("SIGTERM"));
  if (args.withParent) {
    process.stdin.on("end", () => leave("parent ended")).on("error", () => leave("parent ended"));
    process.stdin.resume();
  }

  const managed = await managedSettings(process.platform, process.env, log);
  const server = serverOfStart(args, await readEnrolledServer(args.data), managed);
  if (server === null) {
    process.stderr.write(`--backend: ${backendWords}\n\n${usage}\n`);
    process.exit(exitArguments);
  }
  const idleFile = process.env["GLEANER_TEST_IDLE_FILE"];
  const donor = await startDonor({
    dataDir: args.data,
    backend: { ...server, hasCode: server.code !== undefined },
    name: args.name,
    version: programVersion(files.package),
    shell: "headless",
    // Only Electron reaches the keychain.
    keyVault: null,
    spawnRunner: forkRunner(files.runner),
    idle:
      idleFile === undefined
        ? platformIdle(process.platform, process.env, null, log)
        : idleFromFile(idleFile),
    bundledModels: await bundledModels(args.model),
    baseRules: args.unattended ? { requireIdle: false } : {},
    managed: managedAt(managed, server.url),
    log,
    onQuit: () => leave("quit"),
    onLeft: (departure) => {
      for (const sentence of departureWords(departure)) process.stderr.write(`${sentence}\n`);
      // Nobody can enter a code here, and systemd would start a service again, which could join again by its former code.
      if (!args.withParent) exitCode = exitArguments;
      leave("left the organization");
    },
  });
  let panel: PanelServer | null = null;
  stop = async () => {
    await panel?.close();
    await donor.stop();
  };
  if (args.panelPort.length > 0) {
    panel = await servePanel({
      ports: args.panelPort,
      folder: args.panelDir ?? files.panel,
      answer: answerCalls("panel", donor.handlers, log),
      snapshot: donor.snapshot,
    });
  }
  if (args.donateNow !== undefined) await donor.handlers.donateNow({ minutes: args.donateNow });
  if (server.code !== undefined) enrollOnce(donor, server.code, log);
  // A parent reads the panel's link from a pipe. Without a parent, the output may be a journal that others read.
  const mayPrint = args.withParent || mayPrintSecrets(process.stdout.isTTY, process.env);
  printLine({ ready: true, panelUrl: mayPrint ? (panel?.url ?? null) : null });
  reportMembership(donor.snapshot, (report) => {
    if (args.withParent) printLine(report);
    // Nobody can enter another code here.
    if (panel !== null || exitCode !== 0 || !isHopeless(report, donor.hasEnrollment())) return;
    process.stderr.write(`${report.problem?.sentence ?? ""}\n`);
    exitCode = exitArguments;
    leave("cannot join");
  });
}

/**
 * The same for arguments of a wrong form, for a code or a pin that the backend refutes, and after leaving. A service does not
 * restart.
 */
const exitArguments = 64;

function printLine(line: DonorStartLine | MembershipReport): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function bundledModels(manifests: readonly string[]): Promise<readonly ModelFile[]> {
  const found = await Promise.all([files.demoModel, ...manifests].map(readManifest));
  return found.filter((file) => file !== null);
}

main().catch((error: unknown) => {
  const portTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
  const words = portTaken
    ? "The panel's port is taken by another program: choose another --panel-port."
    : error instanceof StartRefusal
      ? error.message
      : String(error);
  process.stderr.write(`${words}\n`);
  printLine({ ready: false, portTaken, why: words });
  process.exit(1);
});
