import type {
  DefaultFunctionArgs,
  FunctionReference,
  PaginationOptions,
  PaginationResult,
} from "convex/server";
import type { Infer, Value } from "convex/values";
import type { Settings } from "./model/settings.ts";
import type { watchPosition, watchView } from "./model/streams/watch.ts";
import type {
  AttemptView,
  BatchView,
  Capabilities,
  ClaimedJob,
  Cursor,
  JobSpec,
  jobStatus,
  JobView,
  laneState,
  LaneView,
  NextWork,
  Schedule,
  settingsPatch,
  Stand,
  SubmitOutcome,
  Wish,
  workerStatus,
  WorkerView,
} from "./validators.ts";

type Query<Args extends DefaultFunctionArgs, Result> = FunctionReference<"query", "internal", Args, Result>;
type Mutation<Args extends DefaultFunctionArgs, Result> = FunctionReference<
  "mutation",
  "internal",
  Args,
  Result
>;

type InScope = { scope: string };
type OfJob = InScope & { jobId: string };
type OfWorker = { keyHash: string };
type Paged = { paginationOpts: PaginationOptions };
type Actor = { actor?: string };
type JobStatus = Infer<typeof jobStatus>;
type Page<T> = PaginationResult<T>;

export type LimitOf = "requester" | "key";
export type LimitView = { of: LimitOf; name: string; concurrency: number | null; weight: number };

export type RecurringView = {
  name: string;
  schedule: Schedule;
  paused: boolean;
  kind: string;
  runs: number;
  lastJobId: string | null;
  /** ms epoch; null while paused. */
  nextRunAt: number | null;
};

export type EventView = { at: number; actor: string; action: string; subject: string };

export type StreamPosition = Infer<typeof watchPosition>;
/** What a watcher sees of a job: its state, and its text after a position. */
export type WatchView = Infer<typeof watchView>;

export type QueueStats = {
  ready: number;
  waiting: number;
  running: number;
  workers: { online: number; accepting: number };
  lanes: LaneView[];
};

type Fenced = { fenced: string[] };
type Wanting = { begins?: string[]; wish: Wish };

/** The component as its app calls it (`components.queue`). What each function does: its own file. */
export type QueueComponent = {
  readonly jobs: {
    readonly submit: Mutation<
      InScope & { jobs: JobSpec[]; batchId?: string; handOver?: boolean },
      SubmitOutcome
    >;
    readonly cancel: Mutation<
      OfJob & Actor,
      { kind: "canceled" } | { kind: "already-final"; status: JobStatus } | { kind: "not-found" }
    >;
    readonly cancelMany: Mutation<
      InScope & Actor & { by: "requester" | "key" | "batch" | "lane"; name: string; running: boolean },
      null
    >;
    readonly get: Query<OfJob, JobView | null>;
    readonly byExternalId: Query<InScope & { externalId: string }, JobView | null>;
    readonly list: Query<
      InScope & Paged & { status?: JobStatus; requester?: string; key?: string; batchId?: string },
      Page<JobView>
    >;
    readonly attempts: Query<OfJob, AttemptView[]>;
    readonly payload: Query<OfJob, { payload: Value } | null>;
    readonly result: Query<OfJob, { result: Value } | null>;
    readonly watch: Query<OfJob & { after?: StreamPosition }, WatchView>;
    readonly follow: Mutation<OfJob, { kind: "following" } | { kind: "final" } | { kind: "not-found" }>;
  };
  readonly deadLetters: {
    readonly list: Query<InScope & Paged & { kind?: string }, Page<JobView>>;
    readonly retry: Mutation<OfJob & Actor, { kind: "ready" } | { kind: "gone" } | { kind: "not-dead" }>;
    readonly retryAll: Mutation<InScope & Actor & { kind?: string }, { started: number; more: boolean }>;
    readonly discard: Mutation<OfJob & Actor, { kind: "discarded" } | { kind: "not-dead" }>;
  };
  readonly batches: {
    readonly create: Mutation<
      InScope & Actor & { externalId?: string; onDone?: string; context?: Value },
      string
    >;
    readonly seal: Mutation<InScope & Actor & { batchId: string }, null>;
    readonly cancel: Mutation<InScope & Actor & { batchId: string }, null>;
    readonly get: Query<InScope & { batchId: string }, BatchView | null>;
    readonly byExternalId: Query<InScope & { externalId: string }, BatchView | null>;
    readonly list: Query<InScope & Paged, Page<BatchView>>;
  };
  readonly limits: {
    readonly set: Mutation<
      InScope & Actor & { of: LimitOf; name: string; concurrency?: number | null; weight?: number | null },
      null
    >;
    readonly get: Query<InScope & { of: LimitOf; name: string }, LimitView | null>;
    readonly list: Query<InScope, LimitView[]>;
  };
  readonly lanes: {
    readonly list: Query<InScope, LaneView[]>;
    readonly setState: Mutation<InScope & Actor & { laneId: string; state: Infer<typeof laneState> }, null>;
    readonly isThereWork: Query<InScope, boolean>;
    readonly stats: Query<InScope, QueueStats>;
  };
  readonly recurring: {
    readonly set: Mutation<
      InScope & Actor & { name: string; schedule: Schedule; job: JobSpec; paused?: boolean },
      null
    >;
    readonly setPaused: Mutation<InScope & Actor & { name: string; paused: boolean }, null>;
    readonly remove: Mutation<InScope & Actor & { name: string }, null>;
    readonly list: Query<InScope, RecurringView[]>;
  };
  readonly settings: {
    readonly configure: Mutation<InScope & Actor & { values: Infer<typeof settingsPatch> }, null>;
    readonly get: Query<InScope, Settings>;
  };
  readonly events: { readonly list: Query<InScope & Paged, Page<EventView>> };
  readonly workers: {
    readonly register: Mutation<
      InScope &
        OfWorker &
        Actor & { externalId?: string; name: string; groups?: string[]; dataClasses?: string[] },
      { workerId: string }
    >;
    readonly update: Mutation<
      InScope &
        Actor & {
          workerId: string;
          name?: string;
          groups?: string[];
          dataClasses?: string[];
          status?: Infer<typeof workerStatus>;
        },
      null
    >;
    readonly get: Query<InScope & { workerId: string }, WorkerView | null>;
    readonly byExternalId: Query<InScope & { externalId: string }, WorkerView | null>;
    readonly find: Query<OfWorker, (WorkerView & { scope: string }) | null>;
    readonly list: Query<InScope & Paged & { online?: boolean }, Page<WorkerView>>;
    readonly history: Query<InScope & Paged & { workerId: string }, Page<AttemptView>>;
    readonly hello: Mutation<
      OfWorker & { version?: string; capabilities: Capabilities; startup: boolean },
      { workerId: string; leaseMs: number }
    >;
    readonly goodbye: Mutation<OfWorker, null>;
    readonly heartbeat: Mutation<OfWorker, null>;
  };
  readonly work: {
    readonly take: Mutation<
      OfWorker & { wish: Wish },
      ({ kind: "ok" } & NextWork) | { kind: "unable"; reason: "paused" | "full" }
    >;
    readonly candidates: Query<
      OfWorker & { stands: Stand[] },
      {
        stands: Stand[];
        jobs: { jobId: string; laneId: string; late: boolean; held?: boolean; crowded?: boolean }[];
      }
    >;
    readonly handed: Query<OfWorker, ClaimedJob[]>;
    readonly claim: Mutation<
      OfWorker & { jobId: string; late: boolean; laneId?: string; crowded?: boolean; wish: Wish },
      | { kind: "claimed"; job: ClaimedJob; stands: Stand[]; cursor: Cursor }
      | { kind: "taken" }
      | { kind: "unable" }
    >;
    readonly append: Mutation<
      OfWorker & { attemptId: string; seq: number; text: string },
      { kind: "ok" } | { kind: "fenced" }
    >;
    readonly progress: Mutation<
      OfWorker & { attemptId: string; view: Value },
      { kind: "ok" } | { kind: "fenced" }
    >;
    readonly complete: Mutation<
      OfWorker & Wanting & { attemptId: string; result: Value; report?: Value },
      ({ kind: "completed"; reply?: Value } & NextWork) | ({ kind: "fenced" } & NextWork)
    >;
    readonly fail: Mutation<
      OfWorker &
        Wanting & {
          attemptId: string;
          error: { code: string; message: string; retryable: boolean; unfit?: boolean };
        },
      ({ kind: "failed" } & NextWork) | ({ kind: "fenced" } & NextWork)
    >;
    readonly release: Mutation<OfWorker & { attemptIds: string[]; reason: string; leave: boolean }, Fenced>;
    readonly start: Mutation<OfWorker & { attemptIds: string[] }, Fenced>;
    readonly leave: Mutation<OfWorker, null>;
    readonly held: Query<OfWorker, { attemptId: string; jobId: string; begun: boolean; watched: boolean }[]>;
  };
};
