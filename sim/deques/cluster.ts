import { type Random, randomFrom } from "../structures/random.ts";
import { Deque } from "./deque.ts";

export type StealResult =
  | {
      readonly kind: "stolen";
      readonly victim: string;
      readonly job: string;
      /** The size of the victim's deque before the steal. */
      readonly found: number;
    }
  | { readonly kind: "nothing to steal" };

export type WorkerState = "idle" | "busy" | "running";

/** Workers with a deque each: the classical scheduler. */
export type Cluster = {
  readonly names: readonly string[];
  readonly deques: ReadonlyMap<string, Deque<string>>;
  /** The job in progress of each worker. */
  readonly inFlight: Map<string, string>;
  /** Jobs that were stolen once. Nobody steals them again, so that they cannot go back and forth. */
  readonly stolen: Set<string>;
  readonly random: Random;
};

/** The deal of the protocol's example. A steal without an `init` uses it. */
export const defaultDeal = { workers: ["w1", "w2", "w3"], jobs: 6 } as const;

/**
 * Deals job1, job2, … in blocks, starting with the first worker. The remainder goes to the first workers, one
 * each, so that blocks differ by at most one job.
 */
export function deal(workers: readonly string[], jobs: number, seed: number): Cluster {
  const deques = new Map(workers.map((name) => [name, new Deque<string>()]));
  const least = Math.floor(jobs / workers.length);
  const withOneMore = jobs % workers.length;
  let next = 1;
  workers.forEach((name, index) => {
    const block = least + (index < withOneMore ? 1 : 0);
    for (let one = 0; one < block; one += 1, next += 1) deques.get(name)?.push(`job${next}`);
  });
  return { names: workers, deques, inFlight: new Map(), stolen: new Set(), random: randomFrom(seed) };
}

/** A thief takes the last job of a random other worker among those given that have jobs to steal. */
export function steal(cluster: Cluster, thief: string, among: readonly string[]): StealResult {
  const victims = among.filter((name) => name !== thief && canLose(cluster, name));
  const victim = victims[cluster.random.below(victims.length)];
  const deque = victim === undefined ? undefined : cluster.deques.get(victim);
  const found = deque?.size ?? 0;
  const job = deque?.takeBack();
  if (victim === undefined || job === undefined) return { kind: "nothing to steal" };
  cluster.stolen.add(job);
  return { kind: "stolen", victim, job, found };
}

/** A worker's stolen jobs are at its own end. So if its last job was stolen, all of them were. */
function canLose(cluster: Cluster, name: string): boolean {
  const last = cluster.deques.get(name)?.back;
  return last !== undefined && !cluster.stolen.has(last);
}

export function sizeOf(cluster: Cluster, name: string): number {
  return cluster.deques.get(name)?.size ?? 0;
}

/** Running: a job is in progress. Busy: none is, but the deque has jobs. */
export function stateOf(cluster: Cluster, name: string): WorkerState {
  if (cluster.inFlight.has(name)) return "running";
  return sizeOf(cluster, name) > 0 ? "busy" : "idle";
}

/** Whether every deque is empty and no job is in progress. */
export function allIdle(cluster: Cluster): boolean {
  return cluster.inFlight.size === 0 && cluster.names.every((name) => sizeOf(cluster, name) === 0);
}
