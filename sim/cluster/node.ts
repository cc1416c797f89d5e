import { assertNever } from "../../packages/queue/shared/assert-never.ts";
import { allIdle, type Cluster, deal, defaultDeal, sizeOf, stateOf, steal } from "../deques/cluster.ts";
import { Shift } from "../deques/simulate.ts";
import type { Body, Request } from "./messages.ts";

/** The state of a cluster node, and its answers. The same seed and requests give the same answers. */
export class ClusterNode {
  readonly #seed: number;
  #cluster: Cluster;
  #shift: Shift;

  constructor(seed: number) {
    this.#seed = seed;
    this.#cluster = deal(defaultDeal.workers, defaultDeal.jobs, seed);
    this.#shift = new Shift(this.#cluster);
  }

  answer(request: Request): Body {
    switch (request.type) {
      case "init":
        this.#cluster = deal(request.workers, request.jobs_to_distribute, this.#seed);
        this.#shift = new Shift(this.#cluster);
        return { type: "init_ok" };
      case "steal_job":
        return this.#steal(request.thief_worker, request.busy_workers);
      case "run_simulation":
        return { type: "simulation_ok", workers: this.#run(request.duration_ms) };
      case "check_cluster_state":
        return { type: "cluster_state_ok", workers: this.#states(), all_idle: allIdle(this.#cluster) };
      default:
        return assertNever(request);
    }
  }

  #steal(thief: string, busy: readonly string[]): Body {
    const known = new Set(this.#cluster.names);
    const unknown = [thief, ...busy].find((name) => !known.has(name));
    if (unknown !== undefined) {
      return error("unknown_worker", `There is no worker "${unknown}". The workers are ${listed(known)}.`);
    }
    // A repeated name must not be drawn more often.
    const result = steal(this.#cluster, thief, [...new Set(busy)]);
    if (result.kind === "nothing to steal") return { type: "nothing_to_steal", thief };
    const { victim, job, found } = result;
    // The job now belongs to the thief. It is not lost, and it counts until the thief has run it.
    this.#cluster.deques.get(thief)?.pushFront(job);
    return { type: "job_stolen", thief, victim, job_id: job, victim_queue_size: found };
  }

  #run(durationMs: number): Record<string, unknown> {
    const ran = [...this.#shift.run(durationMs)];
    return fromPairs(
      ran.map(([name, { completed, stolen }]) => [
        name,
        { jobs_run: completed.length, jobs: completed, stolen },
      ]),
    );
  }

  #states(): Record<string, unknown> {
    return fromPairs(
      this.#cluster.names.map((name) => [
        name,
        { queue_size: sizeOf(this.#cluster, name), state: stateOf(this.#cluster, name) },
      ]),
    );
  }
}

export function error(code: string, text: string): Body {
  return { type: "error", code, text };
}

/** Also works for a worker with the name `__proto__`. */
function fromPairs(pairs: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(pairs);
}

function listed(names: ReadonlySet<string>): string {
  const shown = [...names].slice(0, 8).join(", ");
  return names.size > 8 ? `${shown} and ${names.size - 8} more` : shown;
}
