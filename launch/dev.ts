import { spawnSync } from "node:child_process";
import { watch } from "node:fs";
import { join } from "node:path";
import { prepare, startLocalBackend, startLocalDonor, startLocalFarm } from "./compose/compose.ts";
import { parseStartOptions } from "./compose/start-options.ts";
import type { Child } from "./core/child.ts";
import { explain } from "./core/launch-error.ts";
import { defaultDataFolder, root } from "./core/paths.ts";
import { stopSignal } from "./core/stop-signal.ts";

type Action = "build" | "backend" | "donor";

/** The actions that a saved file needs, by its folder. An open page shows the new build after a reload. */
const actionsOf: Readonly<Record<string, readonly Action[]>> = {
  app: ["build", "backend", "donor"],
  convex: ["backend"],
  "packages/embedded": ["backend"],
  "packages/queue": ["build", "backend", "donor"],
  main: ["build", "donor"],
  renderer: ["build"],
};
const inOrder: readonly Action[] = ["build", "backend", "donor"];

/** Time for an editor or a checkout to finish writing. */
const settleMs = 200;

/** `npm run dev`: like `npm start`, in its own data folder. Builds and restarts the parts whose files change. */
async function main(): Promise<void> {
  const stopped = stopSignal();
  const dataPath = process.env["GLEANER_DATA"] ? defaultDataFolder(process.env) : join(root, ".gleaner/dev");
  const prepared = await prepare(parseStartOptions(process.argv.slice(2)), dataPath);
  build();
  const started: Child[] = [];
  try {
    const { backend, donor } = await startLocalFarm(prepared, started);
    let current = { backend: backend.child, donor: donor.child };
    const act: Readonly<Record<Action, () => void | Promise<void>>> = {
      build,
      backend: async () => {
        await current.backend.stop();
        current = { ...current, backend: (await startLocalBackend(prepared)).child };
      },
      donor: async () => {
        await current.donor.stop();
        current = { ...current, donor: (await startLocalDonor(prepared, backend, null, false)).child };
      },
    };
    watchAndAct(act);
    await stopped;
    started.push(current.backend, current.donor);
  } finally {
    for (const child of started.reverse()) await child.stop();
  }
}

/** Builds pages and desktop program. That takes about a second, so they need no watcher of their own. */
function build(): void {
  spawnSync("npm", ["run", "-s", "build"], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
}

/** One round at a time. Changes during a round start another one. A failed action waits for the next save. */
function watchAndAct(act: Readonly<Record<Action, () => void | Promise<void>>>): void {
  const due = new Set<Action>();
  let running = false;
  let timer: NodeJS.Timeout | undefined;
  const round = async (): Promise<void> => {
    if (running) return;
    running = true;
    while (due.size > 0) {
      const next = inOrder.find((action) => due.has(action)) ?? "build";
      due.delete(next);
      try {
        await act[next]();
        console.log(next === "build" ? "dev: built again" : `dev: the ${next} was restarted`);
      } catch (error) {
        console.error(explain(error));
      }
    }
    running = false;
  };
  for (const [folder, actions] of Object.entries(actionsOf)) {
    watch(join(root, folder), { recursive: true }, (_event, file) => {
      if (file === null || !/\.(tsx?|css|html|json)$/.test(file)) return;
      if (/\.(test|fixture)\.tsx?$|_generated/.test(file)) return;
      actions.forEach((action) => due.add(action));
      clearTimeout(timer);
      timer = setTimeout(() => void round(), settleMs);
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
