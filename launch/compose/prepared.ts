import type { ModelManifest } from "../../app/contract/model-manifest.ts";
import { type Backend, startBackend } from "../backend/backend.ts";
import { writeAddress } from "../backend-address.ts";
import type { Child } from "../core/child.ts";
import { type DataFolder, openDataFolder, readInstallation, readOrMakeSecret } from "../core/data-folder.ts";
import { readDemoModel } from "../organization/demo-model.ts";
import { chooseShell, type Shell } from "../donor/shell.ts";
import { startDesktopDonor, startHeadlessDonor } from "../donor/donor.ts";
import type { DonorStep } from "./next-steps.ts";
import { makeSecret } from "../organization/secrets.ts";
import type { StartOptions } from "./start-options.ts";

/** How long a first run donates whether or not the computer is in use, so that it can be tried at once. */
const firstHourMinutes = 60;

/** What must be in order before anything is started. */
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
  await readInstallation(folder);
  const adminKey = await readOrMakeSecret(folder.adminKeyFile, () => makeSecret("gleaner|"));
  return { options, folder, model, adminKey };
}

export async function startBackendPart({ folder, adminKey, options }: Prepared): Promise<Backend> {
  const backend = await startBackend(folder, adminKey, {
    host: options.host,
    port: options.port,
    sitePort: options.port + 1,
    console: true,
  });
  await writeAddress(folder.path, backend.url);
  return backend;
}

export type DonorPart = { readonly child: Child; readonly step: DonorStep };

/** Opens the desktop app where it can, else starts the same donor headless. */
export async function startDonorPart(
  { folder, options }: Prepared,
  backendUrl: string,
  enrolmentCode: string | null,
  firstHour: boolean,
): Promise<DonorPart> {
  const shell: Shell = options.headless
    ? { kind: "headless", because: "you asked for --headless", attended: false }
    : chooseShell(process.env);
  const common = {
    folder: folder.donorFolder,
    logFolder: folder.logFolder,
    backendUrl,
    enrolmentCode,
    panelPort: options.port + 2,
    donateNowMinutes: firstHour ? firstHourMinutes : null,
  };
  if (shell.kind === "desktop") {
    const child = await startDesktopDonor(shell, { ...common, unattended: false });
    return { child, step: { kind: "desktop", firstHour } };
  }
  const { because, attended } = shell;
  const child = await startHeadlessDonor({ ...common, unattended: !attended });
  const panelUrl = String(child.ready["panelUrl"]);
  return { child, step: { kind: "headless", panelUrl, because, attended, firstHour } };
}
