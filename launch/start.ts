import { join } from "node:path";
import { startBackend, type Backend } from "./backend.ts";
import type { Child } from "./child.ts";
import {
  openDataFolder,
  readInstallation,
  readOrMakeSecret,
  writeInstallation,
  type DataFolder,
  type Installation,
} from "./data-folder.ts";
import { readDemoModel, type DemoModel } from "./demo-model.ts";
import { chooseShell, type Shell } from "./display.ts";
import { startDesktopDonor, startHeadlessDonor } from "./donor.ts";
import { explain } from "./launch-error.ts";
import { nextSteps, type DonorStep } from "./next-steps.ts";
import { Setup } from "./organization.ts";
import { defaultDataFolder } from "./paths.ts";
import { makeSecret } from "./secrets.ts";
import { parseStartOptions, usage, type StartOptions } from "./start-options.ts";
import { stopSignal } from "./stop-signals.ts";

/** How long a first run donates whether or not the computer is in use, so that it can be tried at once. */
const firstHourMinutes = 60;

async function main(): Promise<void> {
  const options = parseStartOptions(process.argv.slice(2));
  if (options.help) {
    console.log(usage);
    return;
  }
  const stopped = stopSignal();
  const model = await readDemoModel();
  const folder = await openDataFolder(defaultDataFolder(process.env));
  const known = await readInstallation(folder);
  const backend = await startBackend(
    folder,
    await readOrMakeSecret(folder.adminKeyFile, () => makeSecret("gleaner|")),
    { port: options.port, sitePort: options.port + 1 },
  );
  const children: Child[] = [backend.child];
  try {
    const setup = new Setup(backend);
    const installation = known ?? (await install(folder, setup, options, model));
    const enrolmentCode = await setup.issueEnrolmentCode(installation.organizationId, "npm start");
    const donor = await startDonor(folder, backend, options, enrolmentCode, known === null);
    children.unshift(donor.child);
    console.log(
      nextSteps({
        organizationName: installation.organizationName,
        dataFolder: folder.path,
        apiBase: `${backend.siteUrl}/v1`,
        apiKey: installation.apiKey,
        modelId: model.id,
        signInLink: `${backend.siteUrl}/console/#signin=${await setup.makeSignInToken(installation.organizationId)}`,
        donor: donor.step,
        enrolmentCode,
        backendUrl: backend.url,
      }),
    );
    await untilStopped(stopped, children, folder);
  } finally {
    // The donor first: it gives its jobs back while the backend still listens.
    for (const child of children) await child.stop();
  }
}

/** Creates the first organization, or completes a setup that an earlier run did not finish. */
async function install(
  folder: DataFolder,
  setup: Setup,
  options: StartOptions,
  model: DemoModel,
): Promise<Installation> {
  const existing = (await setup.organizations())[0];
  const organization =
    existing === undefined
      ? { ...(await setup.createOrganization(options.organization, model)), name: options.organization }
      : {
          organizationId: existing.id,
          name: existing.name,
          apiKey: await setup.issueKey(existing.id, "Requester (issued anew)"),
        };
  const installation: Installation = {
    version: 1,
    organizationId: organization.organizationId,
    organizationName: organization.name,
    apiKey: organization.apiKey,
  };
  await writeInstallation(folder, installation);
  return installation;
}

async function startDonor(
  folder: DataFolder,
  backend: Backend,
  options: StartOptions,
  enrolmentCode: string,
  firstRun: boolean,
): Promise<{ readonly child: Child; readonly step: DonorStep }> {
  const shell: Shell = options.headless
    ? { kind: "headless", because: "you asked for --headless" }
    : chooseShell(process.env);
  const common = {
    folder: folder.donorFolder,
    logFolder: folder.logFolder,
    backendUrl: backend.url,
    enrolmentCode,
    panelPort: options.port + 2,
  };
  if (shell.kind === "desktop") {
    const donateNowMinutes = firstRun ? firstHourMinutes : null;
    return {
      child: await startDesktopDonor(shell, { ...common, unattended: false, donateNowMinutes }),
      step: { kind: "desktop" },
    };
  }
  const child = await startHeadlessDonor({ ...common, unattended: true, donateNowMinutes: null });
  const panelUrl = String(child.ready["panelUrl"]);
  return { child, step: { kind: "headless", panelUrl, because: shell.because } };
}

/** Waits for Ctrl-C. A part that ends by itself ends everything: half a farm would only look like one. */
async function untilStopped(
  stopped: Promise<NodeJS.Signals>,
  children: readonly Child[],
  folder: DataFolder,
): Promise<void> {
  const first = await Promise.race([
    stopped.then(() => null),
    ...children.map((child) => child.ended.then((ending) => ({ child, ending }))),
  ]);
  if (first === null) {
    console.log("\nStopping: jobs under way go back to the queue.");
    return;
  }
  if (first.child.name === "desktop" && first.ending.code === 0) {
    console.log("The desktop app was quit: stopping the rest.");
    return;
  }
  console.error(
    `gleaner: the ${first.child.name} ended unexpectedly; its log is in ${join(folder.logFolder)}`,
  );
  process.exitCode = 1;
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(explain(error));
    process.exit(1);
  },
);
