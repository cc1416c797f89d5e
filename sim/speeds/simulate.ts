import { durationMs, referenceRate } from "../../packages/queue/component/model/speed.ts";
import type { Rate } from "../../packages/queue/shared/validators.ts";
import { type Event, EventQueue } from "../structures/event-queue.ts";
import type { Random } from "../structures/random.ts";
import type { SpeedPolicy } from "./policies.ts";
import type { Job } from "./trace.ts";

/**
 * The share of the ready jobs that a device finds at the end of a job: its home, and a scan of a part of the lane. A device
 * that was woken for its job finds none.
 */
const foundAtEnd = 0.1;

const submit = 0;
const end = 1;
const patienceOver = 2;

/**
 * Runs jobs on a fleet of devices with different speeds, and returns the turnaround of each, in ms. Calls of the backend
 * take no time, and people leave their devices alone: sim/engine/ has those.
 */
export function simulateSpeeds(
  policy: SpeedPolicy,
  fleet: readonly Rate[],
  jobs: readonly Job[],
  random: Random,
): readonly number[] {
  const reference = referenceRate(fleet);
  if (reference === null) return [];
  const positions = fleet.map(() => random.next());
  const waiting = new Set(fleet.keys());
  const ready = new Set<number>();
  const turnarounds: number[] = [];
  const events = new EventQueue();
  for (const [job, { at }] of jobs.entries()) events.push(at, submit, job);

  const rateOf = (device: number): Rate => fleet[device] ?? reference;
  /** The waiting devices of a ring at and before a point, the nearest first. */
  const before = (point: number, slow: boolean): readonly number[] => {
    const back = (device: number): number => (point - (positions[device] ?? 0) + 1) % 1;
    return [...waiting]
      .filter((device) => policy.isSlow(rateOf(device), reference) === slow)
      .sort((a, b) => back(a) - back(b));
  };
  const patience = (device: number, { size }: Job): number =>
    policy.patienceMs(size, rateOf(device), reference);
  const start = (device: number, job: number, now: number): void => {
    const { at, size } = jobs[job] as Job;
    waiting.delete(device);
    ready.delete(job);
    const endAt = now + durationMs(size, rateOf(device));
    turnarounds.push(endAt - at);
    events.push(endAt, end, device);
  };
  /** The waiting device of each ring sees the jobs of its arc, and claims one when its patience is over. */
  const show = (job: number, now: number): void => {
    const { at, point } = jobs[job] as Job;
    for (const slow of [false, true]) {
      const [device] = before(point, slow);
      if (device === undefined || !ready.has(job)) continue;
      const due = at + patience(device, jobs[job] as Job);
      if (due <= now) start(device, job, now);
      else events.push(due, patienceOver, device, job);
    }
  };
  const onSubmit = (job: number, now: number): void => {
    const { point } = jobs[job] as Job;
    const near = before(point, false).slice(0, Math.max(1, policy.compared));
    const [best] =
      policy.compared === 0
        ? near
        : near.toSorted((a, b) => rateOf(b).outputPerSecond - rateOf(a).outputPerSecond);
    if (best !== undefined) {
      start(best, job, now);
      return;
    }
    ready.add(job);
    show(job, now);
  };
  const onEnd = (device: number, now: number): void => {
    for (const job of ready) {
      const { at } = jobs[job] as Job;
      if (random.next() > foundAtEnd || now - at < patience(device, jobs[job] as Job)) continue;
      start(device, job, now);
      return;
    }
    waiting.add(device);
    // The arcs are divided anew.
    for (const job of [...ready]) if (waiting.has(device)) show(job, now);
  };

  const event: Event = { at: 0, kind: 0, a: 0, b: 0 };
  while (events.pop(event)) {
    const { at, kind, a, b } = event;
    if (kind === submit) onSubmit(a, at);
    else if (kind === end) onEnd(a, at);
    else if (ready.has(b)) show(b, at);
  }
  return turnarounds;
}
