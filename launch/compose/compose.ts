import { setTimeout as sleep } from "node:timers/promises";
import type { MembershipReport } from "../../app/contract/membership.ts";
import type { ModelManifest } from "../../app/contract/model-manifest.ts";
import { readMembership } from "../../main/first-run/stored-membership.ts";
import { announceServer, type ServerAnnouncement } from "../backend/announce.ts";
import { type Backend, startBackend } from "../backend/backend.ts";
import type { Child } from "../core/child.ts";
import {
  type DataFolder,
  openDataFolder,
  readInstallation,
  readOrMakeSecret,
  requireRoom,
  writeBackendAddress,
} from "../core/data-folder.ts";
import { openSecretOutput, type SecretOutput } from "../core/secret-output.ts";
import { startDonorChild } from "../donor/donor.ts";
import { findShell } from "../donor/shell.ts";
import { readDemoModel } from "../organization/demo-model.ts";
import { openInstallation } from "../organization/installation.ts";
import { makeSecret } from "../organization/secrets.ts";
import { Setup } from "../organization/setup.ts";
import { consoleOf, signInLink } from "../organization/sign-in-link.ts";
import { type DonorStep, nextSteps, type OthersStep } from "./next-steps.ts";
import type { StartOptions } from "./start-options.ts";

/** A first run donates for this long even while the computer is in use, so that people can try it at once. */
const firstHourMinutes = 60;

/** The backend runs here, so the donor knows its place within a second. What it cannot learn is printed when it knows. */
const knownWithinMs = 5_000;

/** Why this computer's donor joins, for a start that is not the first run. */
const joiningNotes: Readonly<Record<string, string>> = {
  unjoined: "This computer's donor had not joined before its last start ended, so it joins now.",
  damaged:
    "The file of this computer's donor was damaged, so the donor joins again, as a new device. The former one stays in the\n" +
    "console, where you can retire it.",
};

/** The result of the checks before anything is started. */
export type Prepared = {
  readonly options: StartOptions;
  readonly folder: DataFolder;
  readonly model: ModelManifest;
  readonly adminKey: string;
};

/** Checks the model and the data folder. Throws a LaunchError that says what to do. */
export async function prepare(options: StartOptions, dataPath: string): Promise<Prepared> {
  const model = await readDemoModel();
  const folder = await openDataFolder(dataPath);
  await requireRoom(folder);
  await readInstallation(folder);
  const adminKey = await readOrMakeSecret(folder.adminKeyFile, () => makeSecret("gleaner|"));
  return { options, folder, model, adminKey };
}

export async function startLocalBackend({ folder, adminKey, options }: Prepared): Promise<Backend> {
  const backend = await startBackend(folder, adminKey, {
    host: options.host,
    port: options.port,
    sitePort: options.port + 1,
    insecureHttp: options.insecureHttp,
    console: true,
  });
  // Over loopback, where a browser does not warn of our own certificate.
  await writeBackendAddress(folder.path, backend);
  return backend;
}

type LocalDonor = { readonly child: Child; readonly step: DonorStep };

/** Opens the desktop app if that is possible here, else starts the same donor without a window. */
export async function startLocalDonor(
  { folder, options }: Prepared,
  backend: Pick<Backend, "url" | "pin">,
  enrollmentCode: string | null,
  firstHour: boolean,
): Promise<LocalDonor> {
  const warn = warner();
  const place = Promise.withResolvers<MembershipReport>();
  const { child, shell } = await startDonorChild(await findShell(options), {
    folder: folder.donorFolder,
    logFolder: folder.logFolder,
    backendUrl: backend.url,
    pin: backend.pin,
    // Its traffic does not leave this computer, even with an address of its network.
    insecureHttp: options.insecureHttp,
    enrollmentCode,
    panelPort: options.port + 2,
    donateNowMinutes: firstHour ? firstHourMinutes : null,
    onMembership: (report) => {
      warn(report);
      if ((report.isOnline && report.device !== null) || report.problem !== null) place.resolve(report);
    },
  });
  const ended = child.ended.then(() => null);
  const found = await Promise.race([place.promise, ended, sleep(knownWithinMs, null)]);
  const isRetired = found?.isRetired ?? false;
  if (shell.kind === "desktop") return { child, step: { kind: "desktop", firstHour, isRetired } };
  const { because, attended } = shell;
  const panelUrl = String(child.ready["panelUrl"]);
  return { child, step: { kind: "headless", panelUrl, because, attended, firstHour, isRetired } };
}

/** Prints each reason why this computer's donor cannot join, once. */
function warner(): (report: MembershipReport) => void {
  let last: string | null = null;
  return ({ problem }) => {
    const sentence = problem?.sentence ?? null;
    if (sentence !== null && sentence !== last) console.error(`gleaner: this computer's donor: ${sentence}`);
    last = sentence;
  };
}

type LocalFarm = {
  readonly backend: Backend;
  readonly donor: LocalDonor;
  /** Null if other computers cannot connect, or should not be told. */
  readonly announcement: ServerAnnouncement | null;
};

/**
 * Starts the backend, opens the organization or makes one, starts this computer's donor, and prints the next steps for
 * admin, requester and donor. Adds each child to `started` at once, so that the caller can stop it if a later one fails.
 */
export async function startLocalFarm(prepared: Prepared, started: Child[]): Promise<LocalFarm> {
  const { folder, model, options } = prepared;
  const backend = await startLocalBackend(prepared);
  started.push(backend.child);
  const setup = new Setup(backend);
  const { installation, firstRun, note } = await openInstallation(
    folder,
    setup,
    { url: backend.siteUrl, pin: backend.pin },
    options.organization,
    model,
  );
  const notes = await setup.signCatalogs();
  const { organizationId, organizationName, apiKey } = installation;
  const { kind: membership } = await readMembership(folder.donorFolder);
  // The donor refuses a newer version's file, so a code would be of no use.
  const needsCode = firstRun || (membership !== "joined" && membership !== "newer");
  const ownCode = needsCode ? await setup.issueEnrollmentCode(organizationId, "This computer") : null;
  const donor = await startLocalDonor(prepared, backend, ownCode, firstRun);
  started.push(donor.child);
  const joins = firstRun ? null : (joiningNotes[membership] ?? null);
  for (const each of [note, joins, ...notes]) if (each !== null) console.log(`\n${each}`);
  const secrets = await openSecretOutput(
    folder.path,
    options.printSecrets || process.stdout.isTTY,
    process.env,
  );
  console.log(
    nextSteps({
      organizationName,
      dataFolder: folder.path,
      secretsFolder: secrets.folder,
      publicSiteUrl: backend.publicSiteUrl,
      publicUrl: backend.publicUrl,
      certificate: backend.certificate,
      apiKey: await secrets.word("api-key", apiKey),
      modelId: model.id,
      ...(await signInLinks(backend, await setup.makeSignInToken(organizationId), secrets)),
      donor: await shownDonor(donor.step, secrets),
      others: await othersStep(backend, setup, organizationId, secrets),
    }),
  );
  return { backend, donor, announcement: announced(backend, organizationName, options) };
}

function announced(
  { isReachable, publicUrl: url, certificate }: Backend,
  organization: string,
  { announce }: StartOptions,
): ServerAnnouncement | null {
  if (!isReachable || !announce || certificate === null) return null;
  return announceServer({ organization, url, pin: certificate.pin });
}

/** With TLS, this computer's own link leads over loopback, where the browser does not warn. */
async function signInLinks(
  { siteUrl, publicSiteUrl, certificate }: Backend,
  token: string,
  secrets: SecretOutput,
): Promise<{ readonly signInLink: string; readonly awaySignInLink: string | null }> {
  const away = signInLink(consoleOf(publicSiteUrl), token);
  if (certificate === null || siteUrl === publicSiteUrl) {
    return { signInLink: await secrets.line("sign-in-link", away), awaySignInLink: null };
  }
  return {
    signInLink: await secrets.line("sign-in-link", signInLink(consoleOf(siteUrl), token)),
    awaySignInLink: await secrets.line("sign-in-link-away", away),
  };
}

/** The panel's link opens the panel without a password, so it is a secret. */
async function shownDonor(step: DonorStep, secrets: SecretOutput): Promise<DonorStep> {
  return step.kind === "desktop"
    ? step
    : { ...step, panelUrl: await secrets.line("panel-link", step.panelUrl) };
}

async function othersStep(
  backend: Backend,
  setup: Setup,
  organizationId: Parameters<Setup["issueEnrollmentCode"]>[0],
  secrets: SecretOutput,
): Promise<OthersStep> {
  if (!backend.isReachable) return { kind: "loopback" };
  const code = await setup.issueEnrollmentCode(organizationId, "Another computer");
  return { kind: "network", enrollmentCode: await secrets.line("enrollment-code", code) };
}
