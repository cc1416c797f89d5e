import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "./core/child.ts";
import { explain } from "./core/launch-error.ts";
import { stopSignal } from "./core/stop-signal.ts";
import { type Evidence, faults, summarize } from "./demo/result.ts";
import { makeScreen, resultTable, type Screen } from "./demo/screen.ts";
import { type Answer, ask, makeClient } from "./farm/ask.ts";
import { type Farm, startFarm } from "./farm/farm.ts";
import { demoPrompts } from "./farm/prompts.ts";
import { type DeviceRow, Watcher } from "./farm/watcher.ts";

const requests = 24;
const concurrency = 6;
/** One donor is killed after this many answers. By then both have earned credits, and the queue is still full. */
const killAfter = 8;
const donorNames = ["donor-1", "donor-2"] as const;

async function main(): Promise<void> {
  const json = process.argv.includes("--json");
  const screen = makeScreen(json);
  screen.say("Starting a backend and two donors in a temporary folder …");
  const farm = await startFarm();
  void stopSignal().then(async () => {
    await farm.close();
    process.exit(130);
  });
  try {
    const donors = await Promise.all(donorNames.map((name) => farm.startDonor(name)));
    const evidence = await run(farm, donors, screen);
    const result = summarize(evidence);
    console.log(json ? JSON.stringify(result) : `\n${resultTable(result)}\n`);
    const wrong = faults(result, evidence);
    for (const fault of wrong) console.error(`gleaner: ${fault}`);
    process.exitCode = wrong.length === 0 ? 0 : 1;
  } finally {
    await farm.close();
  }
}

async function run(farm: Farm, donors: readonly Child[], screen: Screen): Promise<Evidence> {
  const watcher = await Watcher.signIn(farm.backend.url, farm.organization.signInToken);
  try {
    await watcher.untilDevices(
      (devices) => devices.filter((device) => device.activity?.kind === "donating").length === 2,
      30_000,
    );
    screen.say(`Both donate. Sending ${requests} requests with the OpenAI client, ${concurrency} at a time.`);
    const answers = await askAll(farm, donors, watcher, screen);
    const jobs = await watcher.jobs(requests + 1);
    const ledger = await farm.setup.ledgerCheck();
    const { money } = await watcher.summary();
    return { answers, jobs, devices: await watcher.devices(), ledger, spentMicro: money?.spentMicro ?? 0n };
  } finally {
    await watcher.close();
  }
}

async function askAll(
  farm: Farm,
  donors: readonly Child[],
  watcher: Watcher,
  screen: Screen,
): Promise<readonly Answer[]> {
  const client = makeClient(farm.backend.siteUrl, farm.organization.apiKey);
  let done = 0;
  let killing = Promise.resolve();
  const answers = await inPool(demoPrompts(requests), concurrency, async (prompt, index) => {
    const answer = await ask(client, farm.modelId, prompt, index % 3 === 0);
    done++;
    screen.answer(done, requests, answer);
    if (done === killAfter) killing = killInTheMiddle(donors[1], watcher, screen);
    return answer;
  });
  await killing;
  return answers;
}

/** Enough time for the backend to receive everything that a donor sent before it was stopped. */
const sentMs = 250;

/**
 * Kills the second donor with SIGKILL while it holds a job. It cannot release the job, so only its expired lease
 * shows the loss. The demo's jobs end faster than the watcher sees them, so the donor is frozen before the last
 * check.
 */
async function killInTheMiddle(donor: Child | undefined, watcher: Watcher, screen: Screen): Promise<void> {
  const name = donorNames[1];
  if (donor === undefined) return;
  const holds = (devices: readonly DeviceRow[]): boolean =>
    devices.some((device) => device.name === name && device.jobsNow > 0);
  for (;;) {
    await watcher.untilDevices(holds, 30_000);
    process.kill(donor.pid, "SIGSTOP");
    await sleep(sentMs);
    if (holds(await watcher.devices())) break;
    process.kill(donor.pid, "SIGCONT");
  }
  donor.kill();
  screen.say(
    `   ☠ ${name} was killed in the middle of a job. Its lease expires within 40 s. Then the other donor takes the job.`,
  );
}

/** Runs `work` for all items, at most `width` at a time. */
async function inPool<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const takeItems = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index] as Item, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, takeItems));
  return results;
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(explain(error));
    process.exit(1);
  },
);
