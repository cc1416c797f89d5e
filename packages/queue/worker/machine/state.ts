import type { FunctionReference } from "convex/server";
import type { Value } from "convex/values";
import type { Failures } from "../contract/back-off.ts";
import type { LogFields, LogLevel } from "../contract/log.ts";
import type {
  AttemptError,
  Candidate,
  Candidates,
  Capabilities,
  ClaimedJob,
  Cursor,
  HeldRow,
  WaitSubscription,
  WorkerFunctions,
} from "../contract/protocol.ts";
import type { Connection } from "../contract/queue-client.ts";
import type { WorkerTimes } from "../contract/times.ts";
import type { Abilities, Capacity, WorkerEvent } from "../contract/worker-options.ts";
import type { AttemptState } from "./attempt-machine.ts";
import type { LateSince } from "./claim-choice.ts";
import type { ForeignAttempts } from "./held-rows.ts";
import type { TextStream } from "./text-stream.ts";

type CallName = {
  [N in keyof WorkerFunctions]: WorkerFunctions[N] extends FunctionReference<"mutation"> ? N : never;
}[keyof WorkerFunctions];
type Args<N extends CallName> = Omit<WorkerFunctions[N]["_args"], "key">;
type Answer<N extends CallName> = WorkerFunctions[N]["_returnType"];

/** A call of one of the queue's worker functions. The shell adds the key. */
export type Call = { [N in CallName]: { readonly name: N; readonly args: Args<N> } }[CallName];

/** An unanswered call. */
export type SentCall = Call & {
  readonly id: number;
  /** The connection on which it was first sent. */
  readonly generation: number;
  /** How often the same call failed before. */
  readonly failures: number;
};

/** A failed call that is to be sent again. */
export type CallRetry = { readonly call: Call; readonly failures: number; readonly at: number };

/** `refused`: on purpose, so it would be refused again. `error`: the error's name, for the log. */
export type CallFailure = {
  readonly kind: "unknown-key" | "refused" | "broken";
  readonly error: string;
};

/** Whether the worker takes jobs. */
export type Mode =
  | { readonly kind: "accepting" }
  /** Handlers are aborted at once, and jobs that still arrive are given back. */
  | { readonly kind: "paused"; readonly reason: string }
  /** Running handlers may end by themselves; no other is started. */
  | { readonly kind: "draining" };

/** How far `stop()` has come. Times are on the machine's clock. */
export type Stop =
  | { readonly kind: "no" }
  | { readonly kind: "finishing"; readonly by: number; readonly leaveMs: number }
  | { readonly kind: "leaving"; readonly by: number; readonly saidGoodbye: boolean }
  | { readonly kind: "over" };

/** A job's progress as its handler reported it, and as it was sent to the queue. */
type Progress = {
  /** Reported by the handler and not sent. */
  readonly unsent: { readonly view: Value } | null;
  /** The last that was sent, as JSON. */
  readonly sent: string;
  /** When the next report is due; null while none is planned. */
  readonly sendAt: number | null;
};

/** One job that this worker holds. */
export type Attempt = {
  readonly job: ClaimedJob;
  readonly state: AttemptState;
  readonly since: number;
  /** The queue handed it to the waiting worker. It starts at once, and `start` is called only if it lasts. */
  readonly handed: boolean;
  /** When to tell the queue that it has begun; null when the queue knows, or when it has not begun. */
  readonly reportStartAt: number | null;
  readonly text: TextStream;
  readonly progress: Progress;
  /** Facts that are kept with the result. */
  readonly report: Value | undefined;
};

/** Everything that the worker knows. Nothing in it changes in place. All times are of `performance.now()`. */
export type WorkerState = {
  readonly version: string | undefined;
  readonly kinds: readonly string[];
  readonly times: WorkerTimes;
  readonly capacity: Capacity;
  /** The most jobs that the queue lets it hold. Each answer to a request for jobs says it. */
  readonly mostHeld: number;
  readonly capabilities: Capabilities;
  readonly mode: Mode;
  readonly stop: Stop;
  /** It watches for jobs, and neither claims nor starts any. */
  readonly holdNewJobs: boolean;
  /** It takes no job until then. */
  readonly takingPausedUntil: number;

  readonly started: boolean;
  readonly connection: Connection;
  readonly keyUnknown: boolean;
  /** `helloKey` of the last answered hello. */
  readonly greeted: string | null;
  readonly refusedHello: { readonly key: string; readonly retryAt: number } | null;
  readonly helloFailures: number;
  /** No hello was answered since the program began. */
  readonly startup: boolean;
  /** For how long the queue lets a worker with jobs be silent. */
  readonly leaseMs: number;

  readonly calls: readonly SentCall[];
  readonly retries: readonly CallRetry[];
  readonly lastCallId: number;
  readonly lastSentAt: number;

  /** In the order in which they came. */
  readonly attempts: ReadonlyMap<string, Attempt>;
  /** Attempt ids to be given back with the next `flush`, by reason. */
  readonly releases: ReadonlyMap<string, readonly string[]>;

  /** The queue's search for jobs continues here. */
  readonly cursor: Cursor | null;
  /** The queue counts this worker among those that accept jobs, or soon will. */
  readonly inRings: boolean;
  readonly requestRetry: Failures;
  /** The positions at which this worker waits for jobs; null: nowhere, so it has to ask for jobs. */
  readonly waitsAt: readonly WaitSubscription[] | null;
  /** The same if it is subscribed to their ready jobs; else null. */
  readonly followed: readonly WaitSubscription[] | null;
  readonly candidates: readonly Candidate[];
  readonly lateSince: LateSince;
  /** Jobs whose claim failed. */
  readonly tried: ReadonlySet<string>;
  readonly forgetTriedAt: number;
  /** When to ask for jobs to prefetch, because others were in sight when the last free handler got one; else Infinity. */
  readonly askAheadAt: number;

  readonly followsHeld: boolean;
  readonly heldRows: readonly HeldRow[] | null;
  /** The rows, or what is held here, changed since they were compared. */
  readonly compareHeld: boolean;
  /** Attempts whose end the queue did not accept; "" when the queue counts jobs that are unknown here. */
  readonly unsettled: ReadonlySet<string>;
  readonly foreign: ForeignAttempts;
  /** Another program uses the key: jobs unknown here are left to it until then. */
  readonly leftToOtherUntil: number;
};

export type HandlerEnd =
  | { readonly kind: "done"; readonly result: Value; readonly report: Value | undefined }
  | { readonly kind: "failed"; readonly error: AttemptError }
  /** The handler let go without a result. */
  | { readonly kind: "stopped" };

/** A call with its answer. */
type Answered = {
  [N in CallName]: {
    readonly kind: "answered";
    readonly id: number;
    readonly name: N;
    readonly args: Args<N>;
    readonly answer: Answer<N>;
    /** From 0 to 1. */
    readonly random: number;
  };
}[CallName];

/** A running handler returned, threw, or used its context. */
export type HandlerEvent =
  | { readonly kind: "handler-ended"; readonly attemptId: string; readonly end: HandlerEnd }
  | {
      readonly kind: "text";
      readonly attemptId: string;
      readonly text: string;
      readonly data: readonly Value[];
    }
  | { readonly kind: "progress"; readonly attemptId: string; readonly view: Value };

export type MachineEvent =
  | { readonly kind: "start" }
  | { readonly kind: "connection"; readonly connection: Connection }
  | { readonly kind: "accept" }
  | { readonly kind: "pause"; readonly reason: string }
  | { readonly kind: "finish"; readonly reason: string }
  | { readonly kind: "pause-taking"; readonly ms: number }
  | { readonly kind: "hold-new-jobs"; readonly on: boolean }
  | { readonly kind: "capabilities"; readonly abilities: Abilities; readonly capacity: Capacity | undefined }
  | { readonly kind: "stop"; readonly finishMs: number; readonly leaveMs: number }
  | Answered
  | { readonly kind: "failed"; readonly id: number; readonly failure: CallFailure; readonly random: number }
  | { readonly kind: "candidates"; readonly seen: Candidates }
  | { readonly kind: "handed"; readonly jobs: readonly ClaimedJob[] }
  | { readonly kind: "held"; readonly rows: readonly HeldRow[] }
  | { readonly kind: "query-failed"; readonly query: string; readonly failure: CallFailure }
  | HandlerEvent
  /** Asked for by the effect of that name. */
  | { readonly kind: "flush" }
  | { readonly kind: "timer" };

export type Effect =
  | ({ readonly kind: "call"; readonly id: number } & Call)
  /** Subscribe to `candidates` at these positions, and to `handed`, in place of the earlier ones; null: only end those. */
  | { readonly kind: "follow-ready-jobs"; readonly at: readonly WaitSubscription[] | null }
  | { readonly kind: "follow-held"; readonly on: boolean }
  | { readonly kind: "run"; readonly job: ClaimedJob }
  | { readonly kind: "abort"; readonly attemptId: string }
  | { readonly kind: "tell"; readonly event: WorkerEvent }
  | { readonly kind: "log"; readonly level: LogLevel; readonly event: string; readonly fields: LogFields }
  /** Send the event `flush` after the events that are already on their way. */
  | { readonly kind: "flush" };
