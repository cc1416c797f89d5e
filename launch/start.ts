import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { joinedOrganization } from "../main/first-run/stored-membership.ts";
import { alreadyRunning } from "./compose/already-running.ts";
import { prepare, startLocalFarm } from "./compose/compose.ts";
import { parseStartOptions, usage } from "./compose/start-options.ts";
import type { Child } from "./core/child.ts";
import type { DataFolder } from "./core/data-folder.ts";
import { endedUnexpectedly, explain, type LaunchError } from "./core/launch-error.ts";
import { defaultDataFolder } from "./core/paths.ts";
import { quoted } from "./core/secret-output.ts";
import { stopSignal } from "./core/stop-signal.ts";

async function main(): Promise<void> {
  const options = parseStartOptions(process.argv.slice(2));
  if (options.help) {
    console.log(usage);
    return;
  }
  const stopped = stopSignal();
  const prepared = await prepare(options, defaultDataFolder(process.env));
  const running = await alreadyRunning(prepared);
  if (running !== null) {
    console.log(running);
    return;
  }
  console.log("Starting the backend and this computer's donor.");
  const children: Child[] = [];
  let farm: Awaited<ReturnType<typeof startLocalFarm>> | null = null;
  try {
    const starting = startLocalFarm(prepared, children).catch(async (error: unknown) => {
      // Calls to a backend that has just ended fail in other words.
      throw (await endedPart(children, prepared.folder.logFolder)) ?? error;
    });
    const first = await Promise.race([starting.then(() => "started"), stopped]);
    // Stopped during the start. Waits for the children that are starting, so that all can be stopped in order.
    farm = await starting.catch(() => null);
    if (first === "started" && farm !== null)
      await untilStopped(stopped, children, prepared.folder, farm.backend.url);
  } finally {
    await farm?.announcement?.stop();
    // Stops the donor first, so that it gives its jobs back while the backend still runs.
    for (const child of children.reverse()) await child.stop();
  }
}

const donorQuit =
  "This computer's donor was quit, so this computer donates nothing. The backend, the console and the API go on.\n" +
  "Ctrl-C stops them. To let this computer donate again, run in another terminal:";

const donorLeft =
  "This computer belongs to no organization now, so it donates nothing. The backend, the console and the API go on.\n" +
  "Ctrl-C stops them. To let this computer join again, make an enrollment code in the console, and run in another terminal:";

/** The first part that has ended. Null if all of them run. */
async function endedPart(children: readonly Child[], logFolder: string): Promise<LaunchError | null> {
  // The process's end may be reported after its connections have.
  const settled = sleep(500).then(() => null);
  const ended = children.map((child) => child.ended.then(() => partEnded(child, logFolder)));
  return await Promise.race([...ended, settled]);
}

function partEnded(child: Child, logFolder: string): LaunchError {
  return endedUnexpectedly(child.name, child.lastOutput(), join(logFolder, `${child.name}.log`));
}

/**
 * Waits for Ctrl-C. If a part fails, all end. If this computer's person quits the donor, the backend goes on, since other
 * computers and requesters use it.
 */
async function untilStopped(
  stopped: Promise<NodeJS.Signals>,
  children: readonly Child[],
  folder: DataFolder,
  backendUrl: string,
): Promise<void> {
  const first = await Promise.race([
    stopped.then(() => null),
    ...children.map((child) => child.ended.then((ending) => ({ child, ending }))),
  ]);
  if (first === null) {
    console.log("\nStopping. Jobs under way go back to the queue.");
    return;
  }
  if (first.child.name !== "backend" && first.ending.code === 0) {
    // Leaving ends the donor as quitting does, and erases its membership.
    const isMember = (await joinedOrganization(folder.donorFolder)) !== null;
    console.log(`\n${isMember ? donorQuit : donorLeft}
  ${isMember ? "" : "GLEANER_CODE=GLN-… "}npm run -s gleaner -- donate --backend ${backendUrl} --data ${quoted(folder.path)}`);
    const others = children.filter((child) => child !== first.child);
    await untilStopped(stopped, others, folder, backendUrl);
    return;
  }
  console.error(explain(partEnded(first.child, folder.logFolder)));
  process.exitCode = 1;
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(explain(error));
    process.exit(1);
  },
);
