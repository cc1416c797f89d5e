import { widenAtBacklog } from "../../packages/queue/component/model/spreads/width.ts";
import {
  backoffMs,
  mostTries,
  prefixMs,
  promptMs,
  readMs,
  readStages,
  restAfterFailureMs,
  shownJobs,
  transactionMs,
} from "../figures.ts";
import type { Look } from "../policies/policy.ts";
import { nothing } from "../policies/slots.ts";
import { beginToWait, coverPassesOn } from "./announcing.ts";
import { leaveAfterAll } from "./departures.ts";
import { deviceState } from "./states.ts";
import { type Attempt, eventKind, type World } from "./world.ts";

/** A waiting device claims the job that it saw. */
export function claimById(world: World, device: number, job: number, stolen: boolean): void {
  act(world, device);
  begin(world, device, "claim by id", { job, stolen, read: [job], scans: [] }, 0);
}

/** A waiting device claims the first job, as in the published pattern. */
export function claimFirst(world: World, device: number): void {
  act(world, device);
  begin(world, device, "claim first", nothing, 0);
}

/** A device has just come and searches for a job, more thoroughly if the policy says so. */
export function take(world: World, device: number): void {
  world.fleet.states[device] = deviceState.acting;
  world.fleet.woken[device] = 0;
  begin(world, device, "take", nothing, 0);
}

/** A device completes its job and searches for the next one in the same transaction. */
export function complete(world: World, device: number): void {
  world.fleet.states[device] = deviceState.acting;
  begin(world, device, "complete", nothing, 0);
}

/** One more try, on a new snapshot. */
export function tryAgain(world: World, device: number): void {
  const attempt = world.attempts.get(device);
  if (attempt !== undefined) begin(world, device, attempt.kind, attempt.look, attempt.lost);
}

/** Commits a device's transaction. */
export function commit(world: World, device: number): void {
  const attempt = world.attempts.get(device);
  if (attempt === undefined) return;
  const { fleet, lane, measures, now, random, events } = world;
  const widthChanged =
    attempt.crowded && lane.widthChangedSince(lane.prefixOf(attempt.look.job), attempt.snapshot);
  if (widthChanged || lane.changedSince(attempt.look, attempt.snapshot)) {
    if (measures.counts(now)) measures.conflicts += 1;
    const lost = attempt.lost + 1;
    if (lost < mostTries) {
      world.attempts.set(device, { ...attempt, lost });
      events.push(now + backoffMs(lost, random.next()), eventKind.retry, device);
    } else giveUp(world, device, attempt);
    return;
  }
  world.attempts.delete(device);
  world.touchedAt[device] = now;
  if (attempt.crowded) lane.widen(lane.prefixOf(attempt.look.job));
  fleet.woken[device] = isPrompt(world, attempt) ? 1 : 0;
  if (attempt.kind === "complete") isDone(world, device);
  if (attempt.look.job < 0) wait(world, device);
  else run(world, device, attempt.look);
}

/** Retries a transaction that lost every try, after a pause. */
export function rested(world: World, device: number): void {
  const attempt = world.attempts.get(device);
  if (attempt === undefined) waitAgain(world, device);
  else begin(world, device, attempt.kind, attempt.look, 0);
}

/** Joins the waiting devices. */
export function wait(world: World, device: number): void {
  const { fleet, policy, lane, random } = world;
  if (fleet.leaving[device] === 1) {
    leaveAfterAll(world, device);
    return;
  }
  fleet.states[device] = deviceState.waiting;
  fleet.waiting.add(device);
  if (fleet.stands.cellOf(device) < 0) {
    fleet.stands.add(device, policy.watch(fleet.view(device), lane, random));
  }
  beginToWait(world, device);
}

function begin(world: World, device: number, kind: Attempt["kind"], shown: Look, lost: number): void {
  const { policy, lane, fleet, random, events, now } = world;
  const ends = kind === "complete" || kind === "take";
  const rests = kind === "complete" && policy.restsWhenWoken && fleet.woken[device] === 1;
  const looks = kind === "claim first" || (ends && !policy.claimsFirst && !rests);
  const look = looks ? policy.next(fleet.view(device), lane, random, kind === "take") : shown;
  const gone = kind === "claim by id" && !lane.isReady(look.job);
  if (gone || (kind === "claim first" && look.job < 0)) {
    // Nothing is written, so nothing can collide. The device keeps waiting.
    world.attempts.delete(device);
    waitAgain(world, device);
    return;
  }
  const crowded = kind === "claim by id" && !look.stolen && isCrowded(world, look.job);
  world.attempts.set(device, { kind, look, crowded, snapshot: now, lost });
  const stages = stagesOf(world, kind, look) + (crowded ? readStages.crowd : 0);
  events.push(now + transactionMs(stages), eventKind.commit, device);
}

/** Whether others with its prefix are behind it in its slot, among the jobs that the device sees. */
function isCrowded({ policy, lane }: World, job: number): boolean {
  if (!policy.spreads) return false;
  let others = 0;
  let behind = lane.behind(job);
  for (let looked = 0; looked < shownJobs && behind >= 0; looked += 1) {
    if (lane.prefixOf(behind) === lane.prefixOf(job)) others += 1;
    behind = lane.behind(behind);
  }
  return others >= widenAtBacklog;
}

function isPrompt({ readySince, now }: World, { kind, look }: Attempt): boolean {
  return kind === "claim by id" && now - (readySince[look.job] ?? 0) < promptMs;
}

function stagesOf({ policy }: World, kind: Attempt["kind"], look: Look): number {
  if (kind === "claim by id") return readStages.claim;
  if (kind === "claim first") return readStages.claim + readStages.home;
  if (policy.claimsFirst || (kind === "complete" && look === nothing)) return readStages.complete;
  const looked = look.stolen || look.scans.some(({ of }) => of === "points");
  return readStages.complete + readStages.home + (looked ? readStages.theft : 0);
}

function act({ fleet }: World, device: number): void {
  fleet.states[device] = deviceState.acting;
  fleet.waiting.remove(device);
}

/** It kept its place. Its next look shows the jobs that it missed. */
function waitAgain(world: World, device: number): void {
  const { fleet, lane, events, now, policy } = world;
  if (fleet.leaving[device] === 1) {
    leaveAfterAll(world, device);
    return;
  }
  fleet.states[device] = deviceState.waiting;
  fleet.waiting.add(device);
  if (lane.ready > 0 && !policy.claimsFirst) events.push(now + 2 * readMs, eventKind.wake, device);
}

function run(world: World, device: number, { job, stolen }: Look): void {
  world.lane.take(job, world.now);
  begins(world, device, job, stolen);
}

/** A device begins its job. */
export function begins(world: World, device: number, job: number, stolen: boolean): void {
  const { fleet, trace, measures, events, now } = world;
  const stood = fleet.stands.cellOf(device);
  if (stood >= 0) {
    fleet.stands.remove(device);
    coverPassesOn(world, stood);
  }
  const hit = fleet.holds(device, trace.prefixes[job] ?? 0);
  const length = (trace.lengths[job] ?? 0) + (hit ? 0 : prefixMs);
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
  fleet.states[device] = deviceState.busy;
  fleet.jobs[device] = job;
  if (fleet.leaving[device] === 1) leaveAfterAll(world, device);
  else events.push(now + length, eventKind.finish, device, fleet.epochOf(device));
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
  events.push(now + restAfterFailureMs, eventKind.rested, device);
  if (attempt.kind === "complete" || attempt.kind === "take") return;
  world.attempts.delete(device);
  fleet.states[device] = deviceState.resting;
}
