import type { Policy, SearchResult } from "../policies/policy.ts";
import type { Trace } from "../scenarios/trace.ts";
import { EventQueue } from "../structures/event-queue.ts";
import { mix, type Random, randomFrom } from "../structures/random.ts";
import { Fleet } from "./fleet.ts";
import { Lane } from "./lane.ts";
import { Measures } from "./measures.ts";

/** Kinds of events. `a` and `b` are the numbers that their handlers take (engine/simulate.ts). */
export const eventKind = {
  arrive: 0,
  ready: 1,
  wake: 2,
  commit: 3,
  retry: 4,
  resume: 5,
  finish: 6,
  steal: 7,
  herd: 8,
  poll: 9,
  late: 10,
  resize: 11,
  leave: 12,
  return: 13,
  expireLease: 14,
  submit: 15,
  handed: 16,
  reclaim: 17,
} as const;

/** A device's transaction that is in flight. */
export type Attempt = {
  readonly kind: "claim by id" | "claim first" | "complete" | "take";
  readonly found: SearchResult;
  readonly snapshot: number;
  /** Whether others with the same prefix waited behind it. Then the transaction widens the prefix's spread. */
  readonly backlogged: boolean;
  /** The number of lost tries. */
  readonly lost: number;
};

/** The waiting devices that a submission has read. */
export type Offer = {
  /** The device that will get the job, or -1. */
  readonly device: number;
  /** The devices whose held jobs were read. The last one is the first without a job. */
  readonly asked: readonly number[];
  /** The parts of the ring that were read. */
  readonly read: readonly Span[];
  /** Stages of reads beyond those of every submission. */
  readonly stages: number;
  /** When it was read. */
  readonly snapshot: number;
};

/** A part of the ring, from a cell up to another. */
export type Span = { readonly from: number; readonly to: number };

/** The mutable state of one run of one policy. */
export type World = {
  now: number;
  readonly policy: Policy;
  readonly trace: Trace;
  readonly fleet: Fleet;
  readonly lane: Lane;
  readonly events: EventQueue;
  readonly random: Random;
  readonly measures: Measures;
  readonly attempts: Map<number, Attempt>;
  /** The offers of submissions in flight that hand over. */
  readonly offers: Map<number, Offer>;
  /** Jobs that are not handed over: later ones of a call, and those whose submissions lost every try. */
  readonly notHandedOver: Uint8Array;
  /** Devices that were handed a job and have not started it. */
  readonly handedTo: Set<number>;
  /** The time at which each job became ready, and its cell. */
  readonly readySince: Float64Array;
  readonly places: Int32Array;
  /** The number of earlier jobs with the same prefix in its submission. */
  readonly ordinals: Uint16Array;
  /** The time of each device's last claim, completion or hand-over. */
  readonly touchedAt: Float64Array;
  readonly startedOnce: Uint8Array;
  readonly doneTimes: Uint8Array;
  started: number;
  done: number;
  /** Whether `poll` events are scheduled. */
  polling: boolean;
  /** The number of devices of a herd that are not woken yet. */
  herd: number;
};

export function createWorld(policy: Policy, trace: Trace): World {
  const cells = policy.cells(trace.devices);
  const world: World = {
    now: 0,
    policy,
    trace,
    fleet: new Fleet(trace.devices, cells, trace.seed, () => world.now, policy.positions),
    lane: new Lane(cells, trace, () => world.now),
    events: new EventQueue(),
    random: randomFrom(mix(trace.seed + 1)),
    measures: new Measures(trace.arrivals[trace.countedFrom] ?? 0),
    attempts: new Map(),
    offers: new Map(),
    notHandedOver: new Uint8Array(trace.jobs),
    handedTo: new Set(),
    readySince: new Float64Array(trace.jobs),
    places: new Int32Array(trace.jobs),
    ordinals: new Uint16Array(trace.jobs),
    touchedAt: new Float64Array(trace.devices),
    startedOnce: new Uint8Array(trace.jobs),
    doneTimes: new Uint8Array(trace.jobs),
    started: 0,
    done: 0,
    polling: false,
    herd: 0,
  };
  return world;
}
