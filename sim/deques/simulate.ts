import { type Event, EventQueue } from "../structures/event-queue.ts";
import { type Cluster, sizeOf, steal } from "./cluster.ts";

/** One worker's work in a stretch of simulated time. */
export type Ran = { readonly completed: readonly string[]; readonly stolen: number };

const finished = 0;

/**
 * Simulates time. A free worker takes the front of its deque, or steals the back of a random other one. A job
 * takes 50 to 150 ms, drawn at random. Unfinished jobs stay in flight and continue with the next call.
 */
export class Shift {
  readonly #cluster: Cluster;
  /** The remaining simulated time of jobs in flight. */
  readonly #left = new Map<string, number>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  run(durationMs: number): ReadonlyMap<string, Ran> {
    const { names } = this.#cluster;
    const ran = names.map(() => ({ completed: [] as string[], stolen: 0 }));
    const events = new EventQueue();
    const begin = (worker: number, now: number) => {
      const stole = this.#begin(names[worker] ?? "");
      if (stole) (ran[worker] ?? { stolen: 0 }).stolen += 1;
      const left = this.#left.get(names[worker] ?? "");
      if (left !== undefined) events.push(now + left, finished, worker);
    };
    // Workers with jobs begin first, before anybody steals.
    const free = names.map((_, worker) => worker);
    const hasOwn = (worker: number) => sizeOf(this.#cluster, names[worker] ?? "") > 0;
    for (const worker of [...free.filter(hasOwn), ...free.filter((worker) => !hasOwn(worker))])
      begin(worker, 0);
    const ends = new Map<string, number>();
    const event: Event = { at: 0, kind: finished, a: 0, b: 0 };
    while (events.pop(event)) {
      const name = names[event.a] ?? "";
      if (event.at > durationMs) {
        ends.set(name, event.at - durationMs);
        continue;
      }
      ran[event.a]?.completed.push(this.#cluster.inFlight.get(name) ?? "");
      this.#cluster.inFlight.delete(name);
      this.#left.delete(name);
      begin(event.a, event.at);
    }
    for (const [name, left] of ends) this.#left.set(name, left);
    return new Map(names.map((name, worker) => [name, ran[worker] ?? { completed: [], stolen: 0 }]));
  }

  /** Takes a job if none is in progress. Returns whether it was stolen. */
  #begin(name: string): boolean {
    const { deques, inFlight, names, random } = this.#cluster;
    if (inFlight.has(name)) return false;
    const own = deques.get(name)?.takeFront();
    const result = own === undefined ? steal(this.#cluster, name, names) : null;
    const job = own ?? (result?.kind === "stolen" ? result.job : undefined);
    if (job === undefined) return false;
    inFlight.set(name, job);
    this.#left.set(name, 50 + random.below(101));
    return own === undefined;
  }
}
