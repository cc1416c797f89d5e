import type { Value } from "convex/values";
import type { Handler } from "./handler.ts";
import type { Log } from "./log.ts";
import type { Capabilities, WorkerFunctions } from "./protocol.ts";
import type { WorkerTimes } from "./times.ts";

/** The capabilities of this machine. Its kinds of jobs follow from the handlers. */
export type Abilities = Omit<Capabilities, "kinds" | "concurrency" | "prefetch">;

/** `concurrency`: jobs that run at once. `prefetch`: jobs that are held beyond those. */
export type Capacity = { readonly concurrency: number; readonly prefetch: number };

export type WorkerOptions = {
  /** The worker's secret. The queue stores only its hash. */
  readonly key: string;
  /** The queue's worker functions in the app. Default: those of its module `work`, by `functionsAt`. */
  readonly functions?: WorkerFunctions;
  /** The handler of each kind of job. */
  readonly handlers: Readonly<Record<string, Handler>>;
  /** Jobs that run at once. Default: 1. A worker holds at most 16 jobs, prefetched ones included. */
  readonly concurrency?: number;
  /** Jobs that are held beyond those, so that one starts when another ends. Default: 0. Other workers may steal them. */
  readonly prefetch?: number;
  readonly capabilities?: Abilities;
  readonly version?: string;
  /** Whether it takes jobs as soon as it is started. If false, it takes them from `accept()` on. Default: true. */
  readonly accepting?: boolean;
  /** Default: warnings and errors go to standard error. */
  readonly log?: Log;
  readonly onEvent?: (event: WorkerEvent) => void;
  readonly times?: Partial<WorkerTimes>;
};

export type WorkerEvent =
  /** The queue knows this connection and the abilities of this worker. */
  | { readonly kind: "greeted" }
  /** The queue does not know the key, or no longer does. `start` asks again. */
  | { readonly kind: "unknown-key" }
  /** Another program takes jobs with the same key. This one takes no jobs for a while. */
  | { readonly kind: "key-used-elsewhere" }
  /** A handler called `ctx.progress`. */
  | { readonly kind: "progress"; readonly attemptId: string; readonly view: Value };
