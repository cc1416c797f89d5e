import { setTimeout as sleep } from "node:timers/promises";
import type { SideName } from "../fleet/side.ts";
import { CLOUD, type Site, withSite } from "../fleet/site.ts";
import { totalsOf } from "../support/usage.ts";
import type { CostFigures } from "./figures.ts";

const DEVICES = 20;
/** Devices start over this long, so that their cadences are spread evenly over the time that is counted. */
const WORKING_SPREAD_MS = 20_000;
const IDLE_SPREAD_MS = 60_000;
/** A multiple of both sides' cadences: 15, 20 and 60 s. */
const COUNTED_MS = 120_000;
const HOUR_MS = 3_600_000;
const LONG_JOB_MS = 2 * HOUR_MS;

type WorkingFigures = Pick<
  CostFigures,
  "docsWrittenPerWorkingHour" | "callsPerWorkingHour" | "scheduledRunsPerWorkingHour" | "rerunsPerHeartbeat"
>;

/** Each device works on one long job that somebody watches; counted for a while at its own cadence. */
export function measureWorkingHour(name: SideName, folder: string): Promise<WorkingFigures> {
  return withSite(name, folder, CLOUD, async (site) => {
    let started = 0;
    await site.startWorkers(DEVICES, { onStarted: () => (started += 1) });
    for (let number = 1; number <= DEVICES; number += 1) {
      const jobId = await site.submit({ number, kind: "sleep", ms: LONG_JOB_MS });
      site.side.watch(site.client, jobId, () => undefined);
      await sleep(WORKING_SPREAD_MS / DEVICES);
    }
    while (started < DEVICES) await sleep(50);
    // Past what comes with a claim.
    await sleep(WORKING_SPREAD_MS / 4);
    const working = totalsOf(await site.counted(() => sleep(COUNTED_MS)));
    const perHour = (count: number): number => (count / DEVICES) * (HOUR_MS / COUNTED_MS);
    return {
      docsWrittenPerWorkingHour: perHour(working.documents),
      callsPerWorkingHour: perHour(working.calls),
      scheduledRunsPerWorkingHour: perHour(working.scheduledRuns),
      rerunsPerHeartbeat: await rerunsPerHeartbeat(site),
    };
  });
}

/** Among devices that work, each watched, and as many that wait for work. */
async function rerunsPerHeartbeat(site: Site): Promise<number> {
  const idle = await site.startWorkers(DEVICES);
  await idle.quiet();
  await sleep(WORKING_SPREAD_MS / 4);
  const usage = await site.counted(() => sleep(COUNTED_MS / 2));
  return totalsOf(usage).queryRuns / site.side.heartbeatsIn(usage.functions);
}

/** Devices that wait for work that does not come. */
export function measureIdleHour(
  name: SideName,
  folder: string,
): Promise<Pick<CostFigures, "callsPerIdleHour">> {
  return withSite(name, folder, CLOUD, async (site) => {
    const fleet = await site.startWorkers(DEVICES, {}, IDLE_SPREAD_MS);
    await fleet.quiet();
    const { calls } = totalsOf(await site.counted(() => sleep(COUNTED_MS)));
    return { callsPerIdleHour: (calls / DEVICES) * (HOUR_MS / COUNTED_MS) };
  });
}
