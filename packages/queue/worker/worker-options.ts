import type { Value } from "convex/values";
import type { Handler } from "./handler.ts";
import type { Log } from "./log.ts";
import type { Capabilities, WorkerFunctions } from "./protocol.ts";
import type { WorkerTimes } from "./times.ts";

/** What this machine offers beside the kinds of jobs, which are its handlers'. */
export type Abilities = Omit<Capabilities, "kinds" | "concurrency" | "prefetch">;

/** How many jobs it runs at once, and holds beyond. */
export type Capacity = { readonly concurrency: number; readonly prefetch: number };

export type WorkerOptions = {
  /** The worker's secret; the queue knows it by its hash. */
  readonly key: string;
  /** References to the queue's worker functions in the app; unless said, those of its module `work`: `functionsAt`. */
  readonly functions?: WorkerFunctions;
  /** By kind of job. */
  readonly handlers: Readonly<Record<string, Handler>>;
  /** Jobs that run at once; 1 unless said. A worker holds 16 at most, the prefetched ones included. */
  readonly concurrency?: number;
  /** Jobs that are held beyond, so that one begins when another ends; 0 unless said. Others may steal them. */
  readonly prefetch?: number;
  readonly capabilities?: Abilities;
  readonly version?: string;
  /** Whether it takes jobs as soon as it is started; else from `accept()` on. */
  readonly accepting?: boolean;
  /** Unless said, what goes wrong is written to standard error. */
  readonly log?: Log;
  readonly onEvent?: (event: WorkerEvent) => void;
  readonly times?: Partial<WorkerTimes>;
};

export type WorkerEvent =
  /** The queue knows this connection, and what this worker can do. */
  | { readonly kind: "greeted" }
  /** The queue does not know the key (any more). `start` asks again. */
  | { readonly kind: "unknown-key" }
  /** Another program takes jobs under the same key; this one rests for a while. */
  | { readonly kind: "key-used-elsewhere" }
  /** What a handler says by `ctx.progress`. */
  | { readonly kind: "progress"; readonly attemptId: string; readonly view: Value };
