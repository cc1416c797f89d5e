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
import type { SearchResult } from "../policies/policy.ts";
import { nothing } from "../policies/slots.ts";
import { departAfterTransaction } from "./departures.ts";
import { passArcOn, startWaiting } from "./notify.ts";
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

/** A device starts to ask for jobs. Some policies let it search further than at the end of a job. */
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
  if (attempt !== undefined) begin(world, device, attempt.kind, attempt.found, attempt.lost);
}

/** Commits a device's transaction. */
export function commit(world: World, device: number): void {
  const attempt = world.attempts.get(device);
  if (attempt === undefined) return;
  const { fleet, lane, measures, now, random, events } = world;
  const widthChanged =
    attempt.backlogged && lane.widthChangedSince(lane.prefixOf(attempt.found.job), attempt.snapshot);
  if (widthChanged || lane.changedSince(attempt.found, attempt.snapshot)) {
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
  if (attempt.backlogged) lane.widen(lane.prefixOf(attempt.found.job));
  fleet.woken[device] = isPrompt(world, attempt) ? 1 : 0;
  if (attempt.kind === "complete") finishJob(world, device);
  if (attempt.found.job < 0) wait(world, device);
  else run(world, device, attempt.found);
}

/** Retries a transaction that lost every try, after a pause. */
export function resume(world: World, device: number): void {
  const attempt = world.attempts.get(device);
  if (attempt === undefined) waitAgain(world, device);
  else begin(world, device, attempt.kind, attempt.found, 0);
}

/** Joins the waiting devices. */
export function wait(world: World, device: number): void {
  const { fleet, policy, lane, random } = world;
  if (fleet.leaving[device] === 1) {
    departAfterTransaction(world, device);
    return;
  }
  fleet.states[device] = deviceState.waiting;
  fleet.waiting.add(device);
  if (fleet.waiterRing.cellOf(device) < 0) {
    fleet.waiterRing.add(device, policy.watch(fleet.view(device), lane, random));
  }
  startWaiting(world, device);
}

function begin(world: World, device: number, kind: Attempt["kind"], shown: SearchResult, lost: number): void {
  const { policy, lane, fleet, random, events, now } = world;
  const ends = kind === "complete" || kind === "take";
  const rests = kind === "complete" && policy.restsWhenWoken && fleet.woken[device] === 1;
  const searches = kind === "claim first" || (ends && !policy.claimsFirst && !rests);
  const found = searches ? policy.next(fleet.view(device), lane, random, kind === "take") : shown;
  const gone = kind === "claim by id" && !lane.isReady(found.job);
  if (gone || (kind === "claim first" && found.job < 0)) {
    // Nothing is written, so nothing can conflict. The device keeps waiting.
    world.attempts.delete(device);
    waitAgain(world, device);
    return;
  }
  const backlogged = kind === "claim by id" && !found.stolen && isBacklogged(world, found.job);
  world.attempts.set(device, { kind, found, backlogged, snapshot: now, lost });
  const stages = stagesOf(world, kind, found) + (backlogged ? readStages.crowd : 0);
  events.push(now + transactionMs(stages), eventKind.commit, device);
}

/** Whether others with its prefix are behind it in its slot, among the jobs that the device sees. */
function isBacklogged({ policy, lane }: World, job: number): boolean {
  if (!policy.spreads) return false;
  let others = 0;
  let behind = lane.behind(job);
  for (let seen = 0; seen < shownJobs && behind >= 0; seen += 1) {
    if (lane.prefixOf(behind) === lane.prefixOf(job)) others += 1;
    behind = lane.behind(behind);
  }
  return others >= widenAtBacklog;
}

function isPrompt({ readySince, now }: World, { kind, found }: Attempt): boolean {
  return kind === "claim by id" && now - (readySince[found.job] ?? 0) < promptMs;
}

function stagesOf({ policy }: World, kind: Attempt["kind"], found: SearchResult): number {
  if (kind === "claim by id") return readStages.claim;
  if (kind === "claim first") return readStages.claim + readStages.home;
  if (policy.claimsFirst || (kind === "complete" && found === nothing)) return readStages.complete;
  const scanned = found.stolen || found.scans.some(({ of }) => of === "points");
  return readStages.complete + readStages.home + (scanned ? readStages.steal : 0);
}

function act({ fleet }: World, device: number): void {
  fleet.states[device] = deviceState.acting;
  fleet.waiting.remove(device);
}

/** The device kept its position. Its next wake shows the jobs that it missed. */
function waitAgain(world: World, device: number): void {
  const { fleet, lane, events, now, policy } = world;
  if (fleet.leaving[device] === 1) {
    departAfterTransaction(world, device);
    return;
  }
  fleet.states[device] = deviceState.waiting;
  fleet.waiting.add(device);
  if (lane.ready > 0 && !policy.claimsFirst) events.push(now + 2 * readMs, eventKind.wake, device);
}

function run(world: World, device: number, { job, stolen }: SearchResult): void {
  world.lane.take(job, world.now);
  startJob(world, device, job, stolen);
}

/** Starts a job on a device, and ends the device's wait. */
export function startJob(world: World, device: number, job: number, stolen: boolean): void {
  const { fleet, trace, measures, events, now } = world;
  const cell = fleet.waiterRing.cellOf(device);
  if (cell >= 0) {
    fleet.waiterRing.remove(device);
    passArcOn(world, cell);
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
  if (fleet.leaving[device] === 1) departAfterTransaction(world, device);
  else events.push(now + length, eventKind.finish, device, fleet.epochOf(device));
}

function finishJob(world: World, device: number): void {
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
  events.push(now + restAfterFailureMs, eventKind.resume, device);
  if (attempt.kind === "complete" || attempt.kind === "take") return;
  world.attempts.delete(device);
  fleet.states[device] = deviceState.resting;
}
