import { setTimeout as sleep } from "node:timers/promises";
import type { SideName } from "../fleet/side.ts";
import { CLOUD, type Site, withSite } from "../fleet/site.ts";
import { between, totalsOf, usageOf } from "../support/usage.ts";
import type { CostFigures } from "./figures.ts";

const JOBS = 200;
const JOB_MS = 20;
/** By then every lease has run out, and what was scheduled to look after it has run. */
const SETTLE_MS = 70_000;

type ShortJobFigures = Pick<
  CostFigures,
  "callsPerJob" | "docsWrittenPerJob" | "queryRunsPerJob" | "scheduledRunsPerJob"
>;

/** One idle worker; each job is submitted once the one before it is over, so that none comes with another's end. */
export function measureShortJobs(name: SideName, folder: string): Promise<ShortJobFigures> {
  return withSite(name, folder, CLOUD, async (site) => {
    let onCompleted: () => void = () => undefined;
    const fleet = await site.startWorkers(1, { onCompleted: () => onCompleted() });
    const run = async (number: number): Promise<void> => {
      await fleet.quiet();
      const completed = new Promise<void>((resolve) => (onCompleted = resolve));
      await submitShort(site, number);
      await completed;
    };
    await run(0);
    await fleet.quiet();
    const before = await usageOf(site.url);
    for (let number = 1; number <= JOBS; number += 1) await run(number);
    await fleet.quiet();
    const called = totalsOf(between(before, await usageOf(site.url)));
    await sleep(SETTLE_MS);
    const settled = totalsOf(between(before, await usageOf(site.url)));
    return {
      callsPerJob: called.calls / JOBS,
      queryRunsPerJob: called.queryRuns / JOBS,
      docsWrittenPerJob: settled.documents / JOBS,
      scheduledRunsPerJob: settled.scheduledRuns / JOBS,
    };
  });
}

function submitShort(site: Site, number: number): Promise<string> {
  return site.submit({ number, kind: "sleep", ms: JOB_MS });
}
