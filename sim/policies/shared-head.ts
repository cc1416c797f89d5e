import type { DeviceView, LaneView, Policy, SearchResult } from "./policy.ts";
import { frontOf, nothing } from "./slots.ts";

/** The number of jobs from the head that a device searches for one of its prefixes. */
const reach = 16;
const cellCount = 1024;

/** The published pattern: one range for all. Everybody is woken and takes the first job. */
export function sharedHead(affinity: boolean): Policy {
  return {
    name: affinity ? "shared-head-affinity" : "shared-head",
    summary: affinity
      ? `one range; everybody is woken and takes, of the first ${reach}, one whose prefix it holds`
      : "one range; everybody is woken and takes the first",
    cells: () => cellCount,
    slots: () => 1,
    place: () => 0,
    spreads: false,
    readsLengths: false,
    handsOver: false,
    wakes: "everybody",
    watch: () => 0,
    next: affinity ? amongTheFirst : (_, lane) => frontOf(0, 1, lane),
    restsWhenWoken: false,
    positions: "hash",
    claimsFirst: true,
    steal: null,
    polls: "never",
  };
}

function amongTheFirst(device: DeviceView, lane: LaneView): SearchResult {
  const first = lane.firstIn(0, 1);
  if (first < 0) return nothing;
  const read: number[] = [];
  let held = -1;
  for (let job = first; job >= 0 && read.length < reach; job = lane.behind(job)) {
    read.push(job);
    if (held < 0 && device.holds(lane.prefixOf(job))) held = job;
  }
  // The search reached the end, so it would also have read a job that is added now.
  const scans = read.length < reach ? [{ of: "places", from: 0, to: 1 } as const] : [];
  return { job: held < 0 ? first : held, stolen: false, read, scans };
}
