import { spawn, type ChildProcess } from "node:child_process";
import { watch } from "node:fs";
import { join } from "node:path";
import type { Child } from "./child.ts";
import { explain } from "./launch-error.ts";
import { nextSteps } from "./next-steps.ts";
import { openInstallation } from "./organization-on-disk.ts";
import { Setup } from "./organization.ts";
import { prepare, startBackendPart, startDonorPart } from "./parts.ts";
import { root } from "./paths.ts";
import { parseStartOptions } from "./start-options.ts";
import { stopSignal } from "./stop-signals.ts";

/** What a change in a folder restarts; the pages rebuild themselves. */
const restarts = {
  app: ["backend", "donor"],
  convex: ["backend"],
  embedded: ["backend"],
  main: ["donor"],
} as const satisfies Readonly<Record<string, readonly PartName[]>>;

type PartName = "backend" | "donor";

/** Waits until an editor or a checkout has finished writing. */
const settleMs = 200;

async function main(): Promise<void> {
  const stopped = stopSignal();
  const builders = [
    builder(["electron-vite", "build", "--watch"]),
    builder(["vite", "build", "--watch", "--config", "vite.console.config.ts"]),
  ];
  const prepared = await prepare(parseStartOptions(process.argv.slice(2)), join(root, ".gleaner/dev"));
  let backend = await startBackendPart(prepared);
  const setup = new Setup(backend);
  const { folder, model, options } = prepared;
  const { installation, firstRun } = await openInstallation(folder, setup, options.organization, model);
  const enrolmentCode = await setup.issueEnrolmentCode(installation.organizationId, "npm run dev");
  let donor = await startDonorPart(prepared, backend.url, enrolmentCode, firstRun);
  console.log(
    nextSteps({
      organizationName: installation.organizationName,
      dataFolder: folder.path,
      backendUrl: backend.url,
      apiBase: `${backend.siteUrl}/v1`,
      apiKey: installation.apiKey,
      modelId: model.id,
      signInLink: `${backend.siteUrl}/console/#signin=${await setup.makeSignInToken(installation.organizationId)}`,
      donor: donor.step,
      enrolmentCode,
    }),
  );
  const restart: Record<PartName, () => Promise<void>> = {
    backend: async () => {
      await backend.child.stop();
      backend = await startBackendPart(prepared);
    },
    donor: async () => {
      await donor.child.stop();
      donor = await startDonorPart(prepared, backend.url, enrolmentCode, false);
    },
  };
  watchAndRestart(restart);
  await stopped;
  for (const child of [donor.child, backend.child] satisfies Child[]) await child.stop();
  for (const child of builders) child.kill();
}

function builder(command: readonly string[]): ChildProcess {
  return spawn("npx", command, { cwd: root, stdio: "inherit" });
}

/** One restart at a time; changes that come meanwhile are one more restart. A part that fails waits for the next save. */
function watchAndRestart(restart: Readonly<Record<PartName, () => Promise<void>>>): void {
  const dirty = new Set<PartName>();
  let running = false;
  let timer: NodeJS.Timeout | undefined;
  const run = async (): Promise<void> => {
    if (running) return;
    running = true;
    for (const part of ["backend", "donor"] as const) {
      if (!dirty.delete(part)) continue;
      console.log(`dev: restarting the ${part}`);
      await restart[part]().catch((error: unknown) => {
        console.error(explain(error));
      });
    }
    running = false;
    if (dirty.size > 0) void run();
  };
  for (const [folder, parts] of Object.entries(restarts)) {
    watch(join(root, folder), { recursive: true }, (_event, file) => {
      if (file === null || !/\.(ts|json)$/.test(file) || /\.test\.ts$|_generated/.test(file)) return;
      parts.forEach((part) => dirty.add(part));
      clearTimeout(timer);
      timer = setTimeout(() => void run(), settleMs);
    });
  }
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(explain(error));
    process.exit(1);
  },
);
