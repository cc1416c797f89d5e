import type { Child } from "./child.ts";
import { explain } from "./launch-error.ts";
import { nextSteps } from "./next-steps.ts";
import { openInstallation } from "./organization-on-disk.ts";
import { Setup } from "./organization.ts";
import { prepare, startBackendPart, startDonorPart, type Prepared } from "./parts.ts";
import { defaultDataFolder } from "./paths.ts";
import { parseStartOptions, usage } from "./start-options.ts";
import { stopSignal } from "./stop-signals.ts";

async function main(): Promise<void> {
  const options = parseStartOptions(process.argv.slice(2));
  if (options.help) {
    console.log(usage);
    return;
  }
  const stopped = stopSignal();
  const prepared = await prepare(options, defaultDataFolder(process.env));
  const children: Child[] = [];
  try {
    await startAll(prepared, children);
    await untilStopped(stopped, children, prepared.folder.logFolder);
  } finally {
    // The donor first: it gives its jobs back while the backend still listens.
    for (const child of children.reverse()) await child.stop();
  }
}

async function startAll(prepared: Prepared, children: Child[]): Promise<void> {
  const { folder, model, options } = prepared;
  const backend = await startBackendPart(prepared);
  children.push(backend.child);
  const setup = new Setup(backend);
  const { installation, firstRun } = await openInstallation(folder, setup, options.organization, model);
  const enrolmentCode = await setup.issueEnrolmentCode(installation.organizationId, "npm start");
  const signInToken = await setup.makeSignInToken(installation.organizationId);
  const donor = await startDonorPart(prepared, backend.url, enrolmentCode, firstRun);
  children.push(donor.child);
  console.log(
    nextSteps({
      organizationName: installation.organizationName,
      dataFolder: folder.path,
      backendUrl: backend.url,
      apiBase: `${backend.siteUrl}/v1`,
      apiKey: installation.apiKey,
      modelId: model.id,
      signInLink: `${backend.siteUrl}/console/#signin=${signInToken}`,
      donor: donor.step,
      enrolmentCode,
    }),
  );
}

/** Waits for Ctrl-C. A part that ends by itself ends everything: half a farm would only look like one. */
async function untilStopped(
  stopped: Promise<NodeJS.Signals>,
  children: readonly Child[],
  logFolder: string,
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
  console.error(`gleaner: the ${first.child.name} ended unexpectedly; its log is in ${logFolder}`);
  process.exitCode = 1;
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(explain(error));
    process.exit(1);
  },
);
