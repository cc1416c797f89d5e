import { microPerCredit } from "../money/credits.ts";
import type { Metric, Sample } from "./exposition.ts";
import { countOf, countUpTo, type Sketch } from "./sketch.ts";
import type { SubjectTally, Tally } from "./tally.ts";

export const deviceStates = [
  "donating",
  "standby",
  "paused",
  "outdated",
  "offline",
  "pending",
  "retired",
] as const;
export type DeviceState = (typeof deviceStates)[number];

/** The jobs of a lane now. */
export type LaneDepth = {
  readonly laneId: string;
  readonly kind: string;
  readonly model: string;
  readonly ready: number;
  readonly waiting: number;
  readonly running: number;
  /** When the oldest ready job became ready: ms epoch. Null without one. */
  readonly oldestReadyAt: number | null;
};

export type Measured = {
  /** The sums of all time, by model. */
  readonly models: readonly SubjectTally[];
  readonly lanes: readonly LaneDepth[];
  /** Null: not counted yet. */
  readonly devices: Readonly<Record<DeviceState, number>> | null;
  /** Micro-credits of all keys, of escrow, and of all devices. */
  readonly held: Readonly<Record<"keys" | "escrow" | "devices", bigint>>;
};

/**
 * The metrics of an organization. The number of series is bounded by the subjects of a tally, and by the lanes. The label `model`
 * is empty for the jobs of all models beyond these.
 */
export function metricsOf({ models, lanes, devices, held }: Measured): readonly Metric[] {
  const byModel = (samplesOf: (tally: Tally, model: string) => readonly Sample[]): Sample[] =>
    models.flatMap(({ subject, tally }) => samplesOf(tally, subject));
  const counts =
    (label: string, names: readonly (keyof Counts)[]) =>
    (tally: Tally, model: string): Sample[] =>
      names.map((name) => ({ labels: { model, [label]: name }, value: tally[name] }));
  return [
    {
      name: "gleaner_jobs_total",
      type: "counter",
      help: "Jobs that ended, by model and outcome.",
      samples: byModel(counts("outcome", ["succeeded", "failed", "canceled", "expired"])),
    },
    {
      name: "gleaner_attempts_interrupted_total",
      type: "counter",
      help: "Attempts of ended jobs that did not end their job: failed ones that were retried, given back or taken over, or lost with their device.",
      samples: byModel(counts("reason", ["retried", "returned", "lost"])),
    },
    {
      name: "gleaner_jobs_stolen_total",
      type: "counter",
      help: "Times that a device took a job from beyond its part of the queue or from another device's reserve.",
      samples: byModel(({ stolen }, model) => [{ labels: { model }, value: stolen }]),
    },
    {
      name: "gleaner_tokens_total",
      type: "counter",
      help: "Tokens of answered jobs, read (prompt) and written (completion).",
      samples: byModel((tally, model) => [
        { labels: { model, type: "prompt" }, value: tally.promptTokens },
        { labels: { model, type: "completion" }, value: tally.completionTokens },
      ]),
    },
    {
      name: "gleaner_credits_spent_total",
      type: "counter",
      help: "Credits that answered jobs cost.",
      samples: byModel(({ micro }, model) => [{ labels: { model }, value: creditsOf(micro) }]),
    },
    {
      name: "gleaner_job_wait_seconds",
      type: "histogram",
      help: "Time from a job's submission to its first start.",
      samples: byModel(({ wait }, model) => histogramOf(wait, model)),
    },
    {
      name: "gleaner_job_run_seconds",
      type: "histogram",
      help: "Time from the start of the attempt that answered a job to its answer.",
      samples: byModel(({ run }, model) => histogramOf(run, model)),
    },
    {
      name: "gleaner_queue_jobs",
      type: "gauge",
      help: "Jobs that have not ended, by lane and state. Counted once a minute.",
      samples: lanes.flatMap((lane) =>
        (["ready", "waiting", "running"] as const).map((state) => ({
          labels: { ...labelsOf(lane), state },
          value: lane[state],
        })),
      ),
    },
    {
      name: "gleaner_queue_oldest_ready_timestamp_seconds",
      type: "gauge",
      help: "When the oldest ready job of a lane became ready. Absent without one.",
      samples: lanes.flatMap((lane) =>
        lane.oldestReadyAt === null
          ? []
          : [{ labels: labelsOf(lane), value: Math.round(lane.oldestReadyAt) / 1_000 }],
      ),
    },
    {
      name: "gleaner_devices",
      type: "gauge",
      help: "Devices by state. Paused and outdated ones are online and get no jobs.",
      samples:
        devices === null ? [] : deviceStates.map((state) => ({ labels: { state }, value: devices[state] })),
    },
    {
      name: "gleaner_credits",
      type: "gauge",
      help: "Credits by holder: API keys, reservations of unfinished jobs (escrow), devices.",
      samples: (["keys", "escrow", "devices"] as const).map((holder) => ({
        labels: { holder },
        value: creditsOf(held[holder]),
      })),
    },
  ];
}

type Counts = Omit<Tally, "energy" | "micro" | "wait" | "run">;

function labelsOf({ laneId, kind, model }: LaneDepth): Sample["labels"] {
  return { lane: laneId, kind, model };
}

/** Upper bounds: 2^n ms, which are exact borders of a sketch's bins. 16 ms to 2.3 hours. */
const doublings = Array.from({ length: 20 }, (_, at) => at + 4);

function histogramOf(sketch: Sketch, model: string): Sample[] {
  const count = countOf(sketch);
  const buckets = doublings.map((upTo) => ({
    suffix: "_bucket" as const,
    labels: { model, le: String(2 ** upTo / 1_000) },
    value: countUpTo(sketch, upTo),
  }));
  return [
    ...buckets,
    { suffix: "_bucket", labels: { model, le: "+Inf" }, value: count },
    { suffix: "_sum", labels: { model }, value: sketch.sum / 1_000 },
    { suffix: "_count", labels: { model }, value: count },
  ];
}

function creditsOf(micro: bigint): number {
  return Number(micro) / Number(microPerCredit);
}
