import { REST_AFTER_FAILURE_MS, STAGES, TRIES, backoffMs, transactionMs } from "../figures.ts";
import type { Policy } from "../policies/policy.ts";
import { handOver } from "./handing-over.ts";
import { ARRIVE, READY, SUBMIT, type World } from "./world.ts";
import { tellOfReady } from "./waking.ts";

/** Schedules the next submission; one call of the client at a time, of all jobs that arrive together. */
export function scheduleArrival(world: World, job: number): void {
  const at = world.trace.arrivals[job];
  if (at !== undefined) world.events.push(at, ARRIVE, job);
}

const MOST_IN_A_SUBMISSION = 500;

/**
 * The jobs from `first` on that arrive now are submitted, up to 500 in a call. Those of a call that share a prefix would all
 * wait for one device: the second goes one slot further, and so on.
 */
export function arrive(world: World, first: number): void {
  const { arrivals } = world.trace;
  let job = first;
  const seen = new Map<number, number>();
  for (; arrivals[job] === arrivals[first] && job < world.trace.jobs; job += 1) {
    if ((job - first) % MOST_IN_A_SUBMISSION === 0) seen.clear();
    const prefix = world.trace.prefixes[job] ?? 0;
    const before = seen.get(prefix) ?? 0;
    seen.set(prefix, before + 1);
    world.ordinals[job] = before;
    submit(world, job, 0);
  }
  scheduleArrival(world, job);
}

/** One try to submit a job: the place is chosen from what is seen now, and it is ready once that is committed. */
export function submit(world: World, job: number, lost: number): void {
  const { policy, trace, lane, random, events } = world;
  const ahead = policy.spreads ? (world.ordinals[job] ?? 0) * (lane.cells / lane.slots) : 0;
  world.places[job] = (policy.place(trace.prefixes[job] ?? 0, lane, random) + ahead) % lane.cells;
  events.push(world.now + submissionMs(policy), READY, job, lost + 1);
}

function submissionMs(policy: Policy): number {
  const { submit, lengths, handOver } = STAGES;
  return transactionMs(submit + (policy.readsLengths ? lengths : 0) + (policy.handsOver ? handOver : 0));
}

/**
 * The transaction commits, unless the slot whose length it compared has changed, or the device that it gave the job to.
 * @param tries 0: a job comes back.
 */
export function becomeReady(world: World, job: number, tries: number): void {
  const { policy, lane, trace, measures, events, random, now } = world;
  const cell = world.places[job] ?? 0;
  if (tries > 0) {
    const since = now - submissionMs(policy);
    const lengthChanged = policy.readsLengths && lane.cellChangedSince(cell, since);
    const widthChanged = policy.spreads && lane.widthChangedSince(trace.prefixes[job] ?? 0, since);
    const handed = policy.handsOver && !widthChanged ? handOver(world, job, since) : "nobody";
    if (handed === "given") return;
    if (lengthChanged || widthChanged || handed === "lost") {
      if (measures.counts(now)) measures.conflicts += 1;
      const again = tries < TRIES;
      if (!again && measures.counts(now)) measures.failures += 1;
      const wait = again ? backoffMs(tries, random.next()) : REST_AFTER_FAILURE_MS;
      events.push(now + wait, SUBMIT, job, again ? tries : 0);
      return;
    }
  }
  lane.add(job, cell, now, tries === 0);
  world.readySince[job] = now;
  measures.change(now, 0, 1);
  tellOfReady(world, job);
}
