import { backoffMs, mostTries, readStages, restAfterFailureMs, transactionMs } from "../figures.ts";
import type { Policy } from "../policies/policy.ts";
import { findNearby, handOver } from "./hand-over.ts";
import { notifyReady } from "./notify.ts";
import { eventKind, type Offer, type World } from "./world.ts";

/** Schedules the next submission, with all jobs that arrive together. */
export function scheduleArrival(world: World, job: number): void {
  const at = world.trace.arrivals[job];
  if (at !== undefined) world.events.push(at, eventKind.arrive, job);
}

const mostInASubmission = 500;
/** The most jobs of one call that are handed over, as in packages/queue/component/model/submit/submit.ts. */
const mostHandedOver = 4;

/**
 * Submits the jobs from `first` on that arrive now, up to 500 per call. Jobs of a call with the same prefix
 * would all wait for one device, so each goes one slot further.
 */
export function arrive(world: World, first: number): void {
  const { policy } = world;
  const { arrivals } = world.trace;
  let job = first;
  const seen = new Map<number, number>();
  for (; arrivals[job] === arrivals[first] && job < world.trace.jobs; job += 1) {
    const turn = (job - first) % mostInASubmission;
    if (turn === 0) seen.clear();
    world.notHandedOver[job] = policy.handsOver && turn < mostHandedOver ? 0 : 1;
    const prefix = world.trace.prefixes[job] ?? 0;
    const before = seen.get(prefix) ?? 0;
    seen.set(prefix, before + 1);
    world.ordinals[job] = before;
    submit(world, job, 0);
  }
  scheduleArrival(world, job);
}

/** Tries to submit a job: chooses its place now. The job is ready after the commit. */
export function submit(world: World, job: number, lost: number): void {
  const { policy, trace, lane, random, events } = world;
  const ahead = policy.spreads ? (world.ordinals[job] ?? 0) * (lane.cells / lane.slots) : 0;
  world.places[job] = (policy.place(trace.prefixes[job] ?? 0, lane, random) + ahead) % lane.cells;
  const offer = world.notHandedOver[job] === 1 ? undefined : findNearby(world, job);
  if (offer !== undefined) world.offers.set(job, offer);
  events.push(world.now + submissionMs(policy, offer), eventKind.ready, job, lost + 1);
}

function submissionMs(policy: Policy, offer: Offer | undefined): number {
  const { submit, lengths } = readStages;
  return transactionMs(submit + (policy.readsLengths ? lengths : 0) + (offer?.stages ?? 0));
}

/**
 * Commits the submission unless the slot whose length it compared or the devices that it read have changed.
 * @param tries 0: a released job becomes ready again.
 */
export function becomeReady(world: World, job: number, tries: number): void {
  const { policy, lane, trace, measures, events, random, now } = world;
  const cell = world.places[job] ?? 0;
  if (tries > 0) {
    const offer = world.offers.get(job);
    world.offers.delete(job);
    const since = now - submissionMs(policy, offer);
    const lengthChanged = policy.readsLengths && lane.cellChangedSince(cell, since);
    const widthChanged = policy.spreads && lane.widthChangedSince(trace.prefixes[job] ?? 0, since);
    const handed = offer !== undefined && !widthChanged ? handOver(world, job, offer) : "no waiter";
    if (handed === "assigned") return;
    if (lengthChanged || widthChanged || handed === "conflict") {
      if (measures.counts(now)) measures.conflicts += 1;
      const again = tries < mostTries;
      if (!again && offer !== undefined) {
        // Gleaner's API also submits again without a hand-over.
        world.notHandedOver[job] = 1;
        submit(world, job, 0);
        return;
      }
      if (!again && measures.counts(now)) measures.failures += 1;
      const wait = again ? backoffMs(tries, random.next()) : restAfterFailureMs;
      events.push(now + wait, eventKind.submit, job, again ? tries : 0);
      return;
    }
  }
  lane.add(job, cell, now, tries === 0);
  world.readySince[job] = now;
  measures.change(now, 0, 1);
  notifyReady(world, job);
}
