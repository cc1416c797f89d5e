import {
  PREFIX_MS,
  READ_MS,
  REST_AFTER_FAILURE_MS,
  STAGES,
  TRIES,
  backoffMs,
  transactionMs,
} from "../figures.ts";
import type { Look } from "../policies/policy.ts";
import { nothing } from "../policies/slots.ts";
import { leaveAfterAll } from "./people.ts";
import { ACTING, BUSY, RESTING, WAITING } from "./states.ts";
import { beginToWait, coverPassesOn } from "./waking.ts";
import { COMMIT, FINISH, RESTED, RETRY, WAKE, type Attempt, type World } from "./world.ts";

/** A waiting device claims the job that it was shown. */
export function claimById(world: World, device: number, job: number, stolen: boolean): void {
  act(world, device);
  begin(world, device, "claim by id", { job, stolen, read: [job], scans: [] }, 0);
}

/** A waiting device claims whatever comes first, as the published pattern does. */
export function claimFirst(world: World, device: number): void {
  act(world, device);
  begin(world, device, "claim first", nothing, 0);
}

/** A device has done its job, or has just come: it completes, and looks for the next one meanwhile. */
export function complete(world: World, device: number): void {
  world.fleet.states[device] = ACTING;
  begin(world, device, "complete", nothing, 0);
}

/** One more try, on a new snapshot. */
export function tryAgain(world: World, device: number): void {
  const attempt = world.attempts.get(device);
  if (attempt !== undefined) begin(world, device, attempt.kind, attempt.look, attempt.lost);
}

/** The transaction of a device comes to its commit. */
export function commit(world: World, device: number): void {
  const attempt = world.attempts.get(device);
  if (attempt === undefined) return;
  const { lane, measures, now, random, events } = world;
  if (lane.changedSince(attempt.look, attempt.snapshot)) {
    if (measures.counts(now)) measures.conflicts += 1;
    const lost = attempt.lost + 1;
    if (lost < TRIES) {
      world.attempts.set(device, { ...attempt, lost });
      events.push(now + backoffMs(lost, random.next()), RETRY, device);
    } else giveUp(world, device, attempt);
    return;
  }
  world.attempts.delete(device);
  if (attempt.kind === "complete") isDone(world, device);
  if (attempt.look.job < 0) wait(world, device);
  else run(world, device, attempt.look);
}

/** After a pause, what lost every try is tried again. */
export function rested(world: World, device: number): void {
  const attempt = world.attempts.get(device);
  if (attempt === undefined) waitAgain(world, device);
  else begin(world, device, attempt.kind, attempt.look, 0);
}

/** Takes its place among those that wait. */
export function wait(world: World, device: number): void {
  const { fleet, policy, lane, random } = world;
  if (fleet.leaving[device] === 1) {
    leaveAfterAll(world, device);
    return;
  }
  fleet.states[device] = WAITING;
  fleet.waiting.add(device);
  if (fleet.stands.cellOf(device) < 0) {
    fleet.stands.add(device, policy.watch(fleet.view(device), lane, random));
  }
  beginToWait(world, device);
}

function begin(world: World, device: number, kind: Attempt["kind"], shown: Look, lost: number): void {
  const { policy, lane, fleet, random, events, now } = world;
  const looks = kind === "claim first" || (kind === "complete" && !policy.claimsFirst);
  const look = looks ? policy.next(fleet.view(device), lane, random) : shown;
  const gone = kind === "claim by id" && !lane.isReady(look.job);
  if (gone || (kind === "claim first" && look.job < 0)) {
    // Nothing is written, so nothing can collide: one stage of reads, and it waits as before.
    world.attempts.delete(device);
    waitAgain(world, device);
    return;
  }
  world.attempts.set(device, { kind, look, snapshot: now, lost });
  events.push(now + transactionMs(stagesOf(world, kind, look)), COMMIT, device);
}

function stagesOf({ policy }: World, kind: Attempt["kind"], look: Look): number {
  if (kind === "claim by id") return STAGES.claim;
  if (kind === "claim first") return STAGES.claim + STAGES.home;
  if (policy.claimsFirst) return STAGES.complete;
  const looked = look.stolen || look.scans.some(({ of }) => of === "points");
  return STAGES.complete + STAGES.home + (looked ? STAGES.theft : 0);
}

function act({ fleet }: World, device: number): void {
  fleet.states[device] = ACTING;
  fleet.waiting.remove(device);
}

/** It has stood all the while: what it missed meanwhile it sees with its next look. */
function waitAgain(world: World, device: number): void {
  const { fleet, lane, events, now, policy } = world;
  if (fleet.leaving[device] === 1) {
    leaveAfterAll(world, device);
    return;
  }
  fleet.states[device] = WAITING;
  fleet.waiting.add(device);
  if (lane.ready > 0 && !policy.claimsFirst) events.push(now + 2 * READ_MS, WAKE, device);
}

function run(world: World, device: number, look: Look): void {
  const { fleet, lane, trace, measures, events, now } = world;
  const { job, stolen } = look;
  const stood = fleet.stands.cellOf(device);
  const cell = lane.cellOf(job);
  lane.take(job, now);
  if (stood >= 0) {
    fleet.stands.remove(device);
    coverPassesOn(world, stood);
  }
  const hit = fleet.holds(device, trace.prefixes[job] ?? 0);
  const length = (trace.lengths[job] ?? 0) + (hit ? 0 : PREFIX_MS);
  const prefix = trace.prefixes[job] ?? 0;
  const follower = lane.firstAt(cell);
  if (stood >= 0 && follower >= 0 && lane.prefixOf(follower) === prefix) lane.widen(prefix, now);
  measures.change(now, -1, -1);
  const first = world.startedOnce[job] === 0;
  if (job >= trace.countedFrom) {
    const since = first ? (trace.arrivals[job] ?? 0) : (world.readySince[job] ?? 0);
    measures.waited(now - since);
    measures.starts += 1;
    measures.hits += hit ? 1 : 0;
    measures.steals += stolen ? 1 : 0;
  }
  if (first) world.started += 1;
  world.startedOnce[job] = 1;
  fleet.hold(device, trace.prefixes[job] ?? 0);
  fleet.states[device] = BUSY;
  fleet.jobs[device] = job;
  if (fleet.leaving[device] === 1) leaveAfterAll(world, device);
  else events.push(now + length, FINISH, device, fleet.epochOf(device));
}

function isDone(world: World, device: number): void {
  const { fleet, doneTimes } = world;
  const job = fleet.jobOf(device);
  fleet.jobs[device] = -1;
  if (job < 0) return;
  doneTimes[job] = (doneTimes[job] ?? 0) + 1;
  world.done += 1;
}

function giveUp(world: World, device: number, attempt: Attempt): void {
  const { fleet, measures, events, now } = world;
  if (measures.counts(now)) measures.failures += 1;
  events.push(now + REST_AFTER_FAILURE_MS, RESTED, device);
  if (attempt.kind === "complete") return;
  world.attempts.delete(device);
  fleet.states[device] = RESTING;
}
