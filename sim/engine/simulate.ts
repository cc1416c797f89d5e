import { availableMs, inUseMs, jobMeanMs, prefixMs, resizeMs } from "../figures.ts";
import type { Policy } from "../policies/policy.ts";
import { availableOf, jobLength, type Trace } from "../scenarios/trace.ts";
import { commit, complete, resume, tryAgain, wait } from "./claim.ts";
import { expireLease } from "./departures.ts";
import { reclaimUnstarted, startHanded } from "./hand-over.ts";
import type { Outcome } from "./measures.ts";
import { comeBack, leave, scheduleLeave, scheduleReturn } from "./people.ts";
import { deviceState } from "./states.ts";
import { arrive, becomeReady, scheduleArrival, submit } from "./submit.ts";
import { claimLate, nextOfHerd, poll, steal, wake } from "./wake.ts";
import { warmUp } from "./warm-up.ts";
import { createWorld, eventKind, type World } from "./world.ts";

/** The time limit after the last arrival, beyond the time to work off all jobs. */
const patienceMs = 10 * 60_000;
const slack = 3;

/** Runs one policy on one trace until every job has started, time is up, or `mostEvents` have happened. */
export function simulate(policy: Policy, trace: Trace, mostEvents: number): Outcome {
  const { world, events } = run(policy, trace, mostEvents, "started");
  const cutWhileWarming = world.now < (trace.arrivals[trace.countedFrom] ?? 0);
  return cutWhileWarming
    ? simulate(policy, { ...trace, countedFrom: 0 }, mostEvents)
    : outcomeOf(world, events);
}

/** Like `simulate`, but until all jobs reach `goal`. Returns the final world. */
export function run(
  policy: Policy,
  trace: Trace,
  mostEvents: number,
  goal: "started" | "done",
): { readonly world: World; readonly events: number } {
  const world = createWorld(policy, trace);
  populate(world);
  scheduleArrival(world, 0);
  scheduleLeave(world);
  scheduleReturn(world);
  world.events.push(resizeMs, eventKind.resize);
  const work = (trace.jobs * (jobMeanMs + prefixMs)) / availableOf(trace.devices);
  const until = (trace.arrivals[trace.jobs - 1] ?? 0) + patienceMs + slack * work;
  const event = { at: 0, kind: 0, a: 0, b: 0 };
  let events = 0;
  while (world[goal] < trace.jobs && events < mostEvents && world.events.pop(event) && event.at <= until) {
    world.now = event.at;
    events += 1;
    handlers[event.kind]?.(world, event.a, event.b);
  }
  return { world, events };
}

/** Handlers by kind of event. `a` and `b` are its numbers. */
const handlers: Readonly<Record<number, (world: World, a: number, b: number) => void>> = {
  [eventKind.arrive]: arrive,
  [eventKind.submit]: submit,
  [eventKind.ready]: becomeReady,
  [eventKind.wake]: wake,
  [eventKind.commit]: commit,
  [eventKind.retry]: tryAgain,
  [eventKind.resume]: resume,
  [eventKind.finish]: finish,
  [eventKind.steal]: steal,
  [eventKind.herd]: nextOfHerd,
  [eventKind.poll]: poll,
  [eventKind.late]: claimLate,
  [eventKind.resize]: resize,
  [eventKind.leave]: leave,
  [eventKind.return]: comeBack,
  [eventKind.expireLease]: expireLease,
  [eventKind.handed]: startHanded,
  [eventKind.reclaim]: (world, device, job) => {
    reclaimUnstarted(world, device);
    becomeReady(world, job, 0);
  },
};

function finish(world: World, device: number, epoch: number): void {
  if (world.fleet.epochOf(device) !== epoch) return;
  world.measures.change(world.now, 1, 0);
  complete(world, device);
}

/** Starts the fleet in a typical state: some devices are away, and some work on jobs that do not count. */
function populate(world: World): void {
  const { fleet, random, trace, events } = world;
  const idle: number[] = [];
  for (let device = 0; device < fleet.devices; device += 1) {
    if (random.next() >= availableMs / (availableMs + inUseMs)) continue;
    fleet.homes.add(device, fleet.positionOf(device));
    if (random.next() >= trace.busyAtStart) {
      idle.push(device);
      continue;
    }
    fleet.states[device] = deviceState.busy;
    events.push((jobLength(random, 1) + prefixMs) * random.next(), eventKind.finish, device, 0);
  }
  fitSlots(world);
  warmUp(world);
  for (const device of idle) wait(world, device);
  world.measures.change(0, idle.length, 0);
}

function resize(world: World): void {
  world.events.push(world.now + resizeMs, eventKind.resize);
  const { fleet, lane, policy, random } = world;
  const before = lane.slots;
  fitSlots(world);
  if (lane.slots === before || policy.wakes !== "watchers") return;
  for (let index = 0; index < fleet.waiting.size; index += 1) {
    const device = fleet.waiting.at(index);
    fleet.waiterRing.remove(device);
    fleet.waiterRing.add(device, policy.watch(fleet.view(device), lane, random));
  }
}

/** Slots follow the fleet only when their number would double or halve. */
function fitSlots({ fleet, lane, policy }: World): void {
  const accepting = fleet.homes.count;
  const more = policy.slots(Math.floor(accepting / 1.25));
  const fewer = policy.slots(Math.ceil(accepting * 1.25));
  if (lane.slots === 1) lane.slots = policy.slots(accepting);
  else if (more > lane.slots) lane.slots = more;
  else if (fewer < lane.slots) lane.slots = fewer;
}

function outcomeOf(world: World, events: number): Outcome {
  const { trace, measures, now, startedOnce } = world;
  measures.change(now, 0, 0);
  let jobs = 0;
  let unstarted = 0;
  for (let job = trace.countedFrom; job < trace.jobs; job += 1) {
    const arrival = trace.arrivals[job] ?? 0;
    if (arrival > now) break;
    jobs += 1;
    if (startedOnce[job] === 1) continue;
    unstarted += 1;
    measures.waited(now - arrival);
  }
  return measures.outcome(jobs, unstarted, events);
}
