import type { ComfortView } from "../comfort/view.ts";
import type { DeviceLimits } from "../devices/limits.ts";
import type { JobEnergy } from "../energy/job-energy.ts";
import type { ComputerFacts } from "../facts/facts.ts";
import type { AttemptStatus } from "../jobs/states.ts";
import type { ModelState } from "../models/states.ts";
import type { WaitReason } from "../models/wait-reasons.ts";
import type { Activity } from "../policy/decision.ts";
import type { EffectiveRules } from "../policy/rule-layers.ts";
import type { Rules } from "../policy/rules.ts";
import type { Confinement } from "./confinement.ts";
import type { DonorProblem } from "./membership.ts";
import type { DonorSentence } from "./sentences/donor-sentences.ts";
import type { PayReason } from "./sentences/pay-words.ts";
import type { UpdatesView } from "./updates.ts";

/** All that the panel shows. It boots from one snapshot, then takes changed top-level fields as deltas. */
export type DonorSnapshot = {
  readonly version: string;
  readonly platform: string;
  /** How this donor runs: with a tray and a window, or without. */
  readonly shell: "desktop" | "headless";
  readonly connection: "connecting" | "online" | "offline";
  readonly organization: OrganizationView | null;
  readonly device: { readonly id: string; readonly name: string } | null;
  /** `keychain`: the system's keychain encrypts this computer's key. `file`: only the file's owner can read the key. */
  readonly keyStorage?: "keychain" | "file";
  /** Why this computer cannot join or reach its organization. Null if nothing is wrong. */
  readonly problem?: DonorProblem | null;
  readonly activity: Activity;
  readonly recheckAt: number | null;
  readonly pause: { readonly until: number | null } | null;
  readonly donateNowUntil: number | null;
  readonly finishThenPause: boolean;
  readonly rules: Rules;
  /** The origin of each rule, and the rules that the donor cannot change. */
  readonly ruleLayers: Pick<EffectiveRules, "from" | "locked">;
  /**
   * Null or absent if this program cannot start when its user logs in, because a service or another program starts it.
   * `problem`: why the rule could not be applied, in a sentence.
   */
  readonly startAtLogin?: { readonly problem: string | null; readonly said?: DonorSentence } | null;
  /** New versions of the desktop program. Absent without one. */
  readonly updates?: UpdatesView;
  readonly facts: FactsView;
  readonly factSources: FactSources;
  /** How far the latest process with a model is confined. Null before the first one has started. */
  readonly confinement: Confinement | null;
  /** How much donating disturbs here. Absent before the donor has opened its measurements. */
  readonly comfort?: ComfortView;
  readonly work: WorkView | null;
  readonly models: readonly ModelView[];
  readonly earnings: EarningsView | null;
  readonly history: readonly HistoryRow[];
};

export type OrganizationView = {
  readonly name: string;
  /** The part of the pinned key that people compare with the console's. Null if the models are not signed. */
  readonly keyFingerprint?: string | null;
  /** Why the last list of models was refused, in a sentence. Null if it was accepted. */
  readonly problem?: string | null;
  /** The same for a page, which says it in its own language. */
  readonly problemSaid?: DonorSentence;
  /** The version that this program needs to get jobs. Null: it is new enough. */
  readonly needsVersion?: string | null;
  /** The version that the organization asks this computer to be updated to. It donates meanwhile. */
  readonly askedVersion?: string | null;
  /** What the organization allows this device. */
  readonly limits?: DeviceLimits;
  /** The names of models that come later, because a roll-out in stages does not reach this device yet. */
  readonly heldBack?: readonly string[];
};

export type FactsView = ComputerFacts;

/** The source of each fact, and when it was read (ms since the epoch). Null if no rule needs the fact. */
export type FactSources = {
  readonly [Name in keyof ComputerFacts]?: { readonly source: string; readonly at: number | null };
};

/** The running job's progress. A donor sees no prompt and no answer, so it has only the answer's length. */
export type WorkView = {
  readonly attemptId: string;
  /** The job's kind, as in the history. */
  readonly kind: string;
  readonly modelId: string;
  readonly startedAt: number;
  readonly phase: "loading" | "reading" | "writing";
  /** Characters of the answer so far. */
  readonly writtenChars: number;
  /** About as many tokens of the answer were written so far. Absent before the first one. */
  readonly writtenTokens?: number;
};

export type ModelView = {
  readonly modelId: string;
  readonly sizeBytes: number;
  /** A `waiting` model will be downloaded; `why` says what it waits for. */
  readonly state: ModelState;
  /** The downloaded bytes of an incomplete model. */
  readonly downloadedBytes?: number;
  readonly bytesPerSecond?: number;
  readonly why?: { readonly reason: WaitReason; readonly detail: string | null };
};

/** Micro-credits as decimal strings: JSON has no integers of that size. */
export type EarningsView = {
  readonly balanceMicro: string;
  readonly jobsSucceeded: number;
  readonly todayMicro: string;
  /** The jobs that succeeded today. */
  readonly todayJobs: number;
  /** The findings of checks of its answers, and the pay that waits for them. Null: nothing. Absent with an older backend. */
  readonly checks?: {
    readonly heldMicro: string;
    readonly wrong: number;
    /** Answers with far fewer tokens than this computer reported. Absent with an older backend. */
    readonly overclaimed?: number;
    /** Whether nobody could check the last answer that was to be checked. Absent with an older backend. */
    readonly unchecked?: boolean;
  } | null;
};

export type HistoryRow = {
  readonly attemptId: string;
  /** The job's kind: "chat", "completion", "embedding" or "tokens". */
  readonly kind: string;
  readonly modelId: string;
  readonly status: AttemptStatus;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly earnedMicro: string;
  /** Null: it is not known. Absent with an older backend. */
  readonly energy?: JobEnergy | null;
  /** Why it earned what it earned. Absent while it runs, and with an older backend. */
  readonly pay?: PayReason | undefined;
  /** The same in English. Empty without a reason. Pages say `pay` with `explainPay`. */
  readonly explanation: string;
};
