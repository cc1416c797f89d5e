import type { attemptStatus, jobStatus } from "@gleaner/queue/validators";
import { priority } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { archiveKinds } from "../../app/archives/kinds.ts";
import { batchEndpointNames, batchStatuses } from "../../app/batches/limits.ts";
import { deviceConcerns, fleetConcerns } from "../../app/devices/attention.ts";
import { bulkKinds } from "../../app/devices/bulk.ts";
import { type DeviceLimits, limitableKinds } from "../../app/devices/limits.ts";
import { type FailureCause, failureCauses } from "../../app/devices/reliability.ts";
import { type ViewPart, viewParts } from "../../app/devices/views.ts";
import { energySources, type JobEnergy } from "../../app/energy/job-energy.ts";
import { type Language, languages } from "../../app/format/languages.ts";
import { callForms } from "../../app/jobs/call-forms.ts";
import { type ChatResult, finishReasons } from "../../app/jobs/chat.ts";
import { disputeStates, ratingReasons, ratings } from "../../app/jobs/rating.ts";
import { type AttemptStatus, finalStatuses, type JobStatus, requestStatuses } from "../../app/jobs/states.ts";
import type { StreamItem } from "../../app/jobs/stream-item.ts";
import type { EmbeddingResult, Work } from "../../app/jobs/work.ts";
import { lookers } from "../../app/keys/data-classes.ts";
import type { Restriction, RunnerStop } from "../../app/keys/restriction.ts";
import { keyScopes } from "../../app/keys/scopes.ts";
import { rolloutActs } from "../../app/models/rollout/acts.ts";
import { rolloutDeviceStates, rolloutStates } from "../../app/models/rollout/device.ts";
import type { StageCounts } from "../../app/models/rollout/next-step.ts";
import type { RolloutPace, Stage } from "../../app/models/rollout/stages.ts";
import { modelStates } from "../../app/models/states.ts";
import { allowanceKinds, allowancePeriods } from "../../app/money/allowance.ts";
import { mailSecurities } from "../../app/people/mail.ts";
import { rights } from "../../app/people/rights.ts";
import { roles } from "../../app/people/roles.ts";
import { secondFactorRules } from "../../app/people/second-factor.ts";
import { signInMethods } from "../../app/people/sign-in-methods.ts";
import type { DonateReason } from "../../app/policy/declare/activity.ts";
import { donateReasons, type StandbyReason, standbyReasons } from "../../app/policy/reasons.ts";
import { type DeviceState, deviceStates } from "../../app/statistics/metrics.ts";
import type { TallySummary } from "../../app/statistics/summary.ts";
import { subjectKinds, type Tally } from "../../app/statistics/tally.ts";
import type { DaySum } from "../../app/usage/months.ts";
import type { UsageRow } from "../../app/usage/usage-table.ts";
import { webhookEvents } from "../../app/webhooks/events.ts";

/**
 * Validators of values that several functions share. If app/ declares the type too, `validatorsMatch` below checks that both
 * are the same.
 */
export const requestStatus = literals(...requestStatuses);

export const role = literals(...roles);
export const language = literals(...(Object.keys(languages) as Language[]));

/** To whom a key or a device belongs: a member or a team. */
export const owner = v.union(v.id("members"), v.id("teams"));

/** To whom administrators and allowances give credits. */
export const creditHolder = v.union(v.id("apiKeys"), v.id("members"), v.id("teams"));

/** A row of the table who may do what. */
export const right = literals(...rights);

/** How a member proves who they are. */
export const signInMethod = literals(...signInMethods);

export const secondFactorRule = literals(...secondFactorRules);

/** How an organization sends mails, but for the password. */
export const mailSettings = v.object({
  host: v.string(),
  port: v.number(),
  security: literals(...mailSecurities),
  /** Empty: the server asks for no sign-in. */
  user: v.string(),
  /** The sender's address. */
  from: v.string(),
});

/** How an OpenID provider of an organization is used, but for its secret. */
export const providerSettings = v.object({
  /** The words on the button: "Sign in with …". */
  name: v.string(),
  issuer: v.string(),
  clientId: v.string(),
  scopes: v.string(),
  /** The claim with the groups or roles of a person. */
  groupsClaim: v.string(),
  /** The roles of a group's people. The group "*" means everybody. */
  groups: v.array(v.object({ group: v.string(), roles: v.array(role) })),
  /** The domains of addresses that may sign in. None: all. */
  emailDomains: v.array(v.string()),
  /** Whether people become members by their first sign-in. Otherwise only members may sign in. */
  admitsUnknown: v.boolean(),
  /** Whether its addresses count as verified although it does not say so. */
  trustsEmail: v.boolean(),
  enabled: v.boolean(),
});

/** What an organization allows a device. A missing field allows everything that the device offers. */
export const deviceLimits = v.object({
  kinds: v.optional(v.array(literals(...limitableKinds))),
  contextTokens: v.optional(v.number()),
  models: v.optional(v.array(v.string())),
  gpu: v.optional(v.boolean()),
  memoryMb: v.optional(v.number()),
  maxConcurrentJobs: v.optional(v.number()),
});

/** How a job ended. */
export const outcome = literals(...finalStatuses);

/** How text is generated. */
const sampling = {
  maxTokens: v.number(),
  temperature: v.number(),
  topP: v.number(),
  seed: v.number(),
  stop: v.array(v.string()),
  topK: v.optional(v.number()),
  minP: v.optional(v.number()),
  repeatPenalty: v.optional(v.number()),
  frequencyPenalty: v.optional(v.number()),
  presencePenalty: v.optional(v.number()),
  logitBias: v.optional(v.array(v.object({ token: v.number(), bias: v.number() }))),
  logprobs: v.optional(v.number()),
  format: v.optional(
    v.union(
      v.object({ kind: v.literal("json") }),
      v.object({ kind: v.literal("json-schema"), schema: v.string() }),
      v.object({ kind: v.literal("grammar"), grammar: v.string() }),
    ),
  ),
};

const toolCall = v.object({ id: v.string(), name: v.string(), arguments: v.string() });

const conversation = {
  messages: v.array(
    v.object({
      role: v.union(v.literal("system"), v.literal("user"), v.literal("assistant"), v.literal("tool")),
      content: v.string(),
      toolCalls: v.optional(v.array(toolCall)),
      toolCallId: v.optional(v.string()),
    }),
  ),
  tools: v.optional(
    v.array(
      v.object({
        name: v.string(),
        description: v.optional(v.string()),
        parameters: v.optional(v.string()),
      }),
    ),
  ),
};

export const chatRequest = v.object({
  ...sampling,
  ...conversation,
  toolChoice: v.optional(
    v.union(v.literal("none"), v.literal("auto"), v.literal("required"), v.object({ name: v.string() })),
  ),
  parallelToolCalls: v.optional(v.boolean()),
});

const tokenIds = v.object({ tokenIds: v.string() });
const textOrIds = v.union(v.string(), tokenIds);

export const completionRequest = v.object({ ...sampling, prompt: textOrIds });
const embeddingRequest = v.object({ inputs: v.array(textOrIds), dimensions: v.optional(v.number()) });
const tokensRequest = v.union(
  v.object({ tokenize: v.string(), addSpecial: v.boolean() }),
  v.object({ tokenizeChat: v.object(conversation) }),
);

/** The form of a job's own call, if it is not the usual one of its kind. */
export const callForm = literals(...callForms);

/** A job's request, by its kind. */
export const work = v.union(
  v.object({ kind: v.literal("chat"), request: chatRequest }),
  v.object({ kind: v.literal("completion"), request: completionRequest }),
  v.object({ kind: v.literal("embedding"), request: embeddingRequest }),
  v.object({ kind: v.literal("tokens"), request: tokensRequest }),
);

export const usage = v.object({
  promptTokens: v.number(),
  completionTokens: v.number(),
  cachedPromptTokens: v.optional(v.number()),
});

/** Of a file: where it came from. */
export const filePurpose = literals("batch", "batch_output");

/** How content is sealed: with a key that the organization's data key and this salt make. */
const contentSeal = v.object({ keyId: v.id("dataKeys"), salt: v.string() });

/** A piece of a file in Convex's file storage. `bytes`: of its content. `seal`: absent if the content is stored as it is. */
export const filePart = v.object({
  storageId: v.id("_storage"),
  bytes: v.number(),
  seal: v.optional(contentSeal),
});

export const uploadStatus = literals("pending", "completed", "cancelled");

export const batchEndpoint = literals(...batchEndpointNames);
/** The kinds of rows that move into archives. */
export const archiveKind = literals(...archiveKinds);

/** An archive, as it is stored and shown. */
export const archiveFacts = {
  kind: archiveKind,
  /** From 1 in each kind, without gaps. */
  number: v.number(),
  /** The start of the month (UTC) of its rows. */
  month: v.number(),
  rows: v.number(),
  bytes: v.number(),
  /** The SHA-256 of the file in lower-case hex. */
  sha256: v.string(),
};

export const batchStatus = literals(...batchStatuses);

/** A `Forecast` of app/forecast/, and the time at which it was made; ms epoch. */
export const batchForecast = v.object({
  expectedAt: v.union(v.number(), v.null()),
  latestAt: v.union(v.number(), v.null()),
  onTime: v.number(),
  days: v.number(),
  madeAt: v.number(),
});

/** As `CapacityHour` of app/forecast/. */
export const capacityHour = v.object({
  startAt: v.number(),
  samples: v.number(),
  devices: v.number(),
  busyDevices: v.number(),
  busyJobs: v.number(),
});

/** For what the next requests of a batch wait before they become jobs: credits or a quota of its key, or room in the queue. */
export const cutWait = literals("credits", "quota", "budget", "queue");

/** A mistake that kept a batch from starting. `line`: from 1; 0: of the whole file. */
export const lineMistake = v.object({
  line: v.number(),
  code: v.string(),
  message: v.string(),
  param: v.union(v.string(), v.null()),
});

/** Why a request of a batch has no answer. */
export const lineFailure = v.union(
  /** The error that its call would have got. */
  v.object({
    kind: v.literal("error"),
    status: v.number(),
    type: v.string(),
    code: v.string(),
    message: v.string(),
    param: v.union(v.string(), v.null()),
  }),
  v.object({ kind: v.literal("refused"), code: v.string(), message: v.string() }),
  /** Its job ended so. */
  v.object({
    kind: v.literal("ended"),
    status: literals("failed", "canceled", "expired"),
    error: v.union(v.object({ code: v.string(), message: v.string() }), v.null()),
  }),
  /** The batch ended before its turn. */
  v.object({ kind: v.literal("dropped"), why: literals("batch_expired", "batch_cancelled") }),
);

/** The place of a job in its batch. `base64`: its vectors are wanted so. */
export const batchLine = v.object({
  batchId: v.id("batches"),
  line: v.number(),
  customId: v.string(),
  base64: v.optional(v.literal(true)),
  /** Of a line with several jobs. */
  several: v.optional(v.id("batchLines")),
  /** Of a job of such a line: the index of its choice, or of its first vector, in the answer. */
  index: v.optional(v.number()),
});

export const timing = v.object({ prefillMs: v.number(), generateMs: v.number() });

const logprob = { token: v.string(), logprob: v.number() };
const tokenChoice = v.object({ ...logprob, top: v.array(v.object(logprob)) });

/** The queue stores an answer as a job's result, together with a report of its cost. */
export const textAnswer = v.object({
  text: v.string(),
  finishReason: literals(...finishReasons),
  stopText: v.optional(v.string()),
  toolCalls: v.optional(v.array(toolCall)),
  logprobs: v.optional(v.array(tokenChoice)),
  /** The tokens that the model wrote: app/jobs/answers/written-tokens.ts. Only checkers get them. */
  written: v.optional(v.string()),
});
/** The part of an answer that its requester gets. */
export const shownAnswer = textAnswer.omit("written");
/** A piece of an answer that a device streams beside its text. */
export const streamItem = v.union(
  v.object({ token: tokenChoice }),
  v.object({ call: v.object({ id: v.string(), name: v.string() }) }),
  v.object({ arguments: v.string() }),
);
export const vectorAnswer = v.object({ embeddings: v.array(v.string()) });
/** The tokens of a text. */
export const tokensAnswer = tokenIds;
/** A replay's counts, as a device reports them: app/trust/replay.ts. */
export const replayCounts = v.object({
  tokens: v.number(),
  regret: v.number(),
  misses: v.number(),
  impossible: v.number(),
  logprob: v.number(),
});
export const tokenCounts = v.object({ promptTokens: v.number(), completionTokens: v.number() });
/** The result of a job that replays an answer. `counted`: the checker's tokens. */
export const replayAnswer = v.object({ replay: replayCounts, counted: v.optional(tokenCounts) });
export const workReport = v.object({ usage, timing });
export const jobEnergy = v.object({ microWh: v.number(), source: literals(...energySources) });
/** An answer that checks found wrong, and what became of its request. At first it has only the time. Reasons are sentences. */
export const foundWrong = v.object({
  at: v.number(),
  /** The job that answers the request again. */
  correctedBy: v.optional(v.string()),
  /** Why no job does. */
  notCorrected: v.optional(v.string()),
  /** Why none did for a while, before one of these was known. */
  postponedFor: v.optional(v.string()),
  /** Why none does yet, and the time of the next try. The reason may pass. */
  postponed: v.optional(v.object({ why: v.string(), nextAt: v.number() })),
});

/** A line of a batch whose answer checks found wrong, with what became of its request. */
export const wrongLine = v.object({
  customId: v.string(),
  jobId: v.string(),
  index: batchLine.fields.index,
  correctedBy: foundWrong.fields.correctedBy,
  notCorrected: foundWrong.fields.notCorrected,
  postponedFor: foundWrong.fields.postponedFor,
  postponed: foundWrong.fields.postponed,
});

/** The whole report of a device. Those of earlier versions have the costs only. `model`: the hash of the file that it used. */
export const deviceReport = v.object({
  ...workReport.fields,
  model: v.optional(v.string()),
  energy: v.optional(jobEnergy),
});

const standbyReason = literals(...(Object.keys(standbyReasons) as StandbyReason[]));
const donateReason = literals(...(Object.keys(donateReasons) as DonateReason[]));

export const activity = v.union(
  v.object({ kind: v.literal("donating"), reason: donateReason }),
  v.object({ kind: v.literal("holding"), reason: standbyReason }),
);

/** A pending device waits until an admin approves it. */
export const deviceStatus = literals("pending", "active", "retired");

/** A device as it sees itself. `paused`: it failed too often. `outdated`: its version is too old. */
export const serviceStatus = literals("pending", "active", "paused", "outdated", "retired");

/** When a device was paused because it failed too often, and how often. */
export const devicePause = v.object({
  at: v.number(),
  failed: v.number(),
  of: v.number(),
  cause: literals(...(Object.keys(failureCauses) as FailureCause[])),
});

/** A pause that a person asked for in the console. */
export const requestedPause = v.object({
  at: v.number(),
  /** Null: until somebody ends it. ms epoch. */
  until: v.union(v.number(), v.null()),
  /** Who asked, as model/audit.ts names actors. */
  by: v.string(),
  /** Whether somebody asked who may pause any device. Then its owner cannot end it. */
  ofOrganization: v.boolean(),
  /** Whether its running jobs still finish. The device is not told of the pause before that. */
  finishing: v.boolean(),
});

/** An act on many devices: app/devices/bulk.ts. */
export const bulkAct = v.object({
  kind: literals(...bulkKinds),
  group: v.string(),
  version: v.optional(v.string()),
});

/** The version that the organization asks a device to update to, and when it asked. */
export const askedVersion = v.object({ version: v.string(), at: v.number() });

/** How a device got into its groups: by a person, or by a rule. */
export const placedBy = v.union(v.literal("hand"), v.id("groupRules"));

/** A device of such an act, with what an undo restores. `did`: the act has changed it. */
export const bulkTarget = v.object({
  deviceId: v.id("devices"),
  effect: literals("changes", "same", "cannot"),
  did: v.boolean(),
  groups: v.array(v.string()),
  placedBy: v.optional(placedBy),
  requestedPause: v.optional(requestedPause),
  pause: v.optional(devicePause),
  askedVersion: v.optional(askedVersion),
  /** Absent in acts of earlier versions. */
  status: v.optional(deviceStatus),
});

/** One measured hour of a device's donation; see app/comfort/hour.ts, which has its bounds. */
export const comfortHour = v.object({
  startAt: v.number(),
  donatedSeconds: v.number(),
  yieldP95Ms: v.union(v.number(), v.null()),
  workingDelayMs: v.union(v.number(), v.null()),
  restingDelayMs: v.union(v.number(), v.null()),
  hotSeconds: v.union(v.number(), v.null()),
  batteryPercent: v.union(v.number(), v.null()),
  mayUseBattery: v.boolean(),
  donatingFanRpm: v.union(v.number(), v.null()),
  restingFanRpm: v.union(v.number(), v.null()),
  step: v.number(),
});

/** Numbers of hours by the promises that they broke. */
export const comfortParts = v.object({
  yields: v.number(),
  delay: v.number(),
  heat: v.number(),
  battery: v.number(),
});

/** The comfort of a fleet in a time, counted. */
export const comfortCounts = v.object({
  hours: v.number(),
  keptHours: v.number(),
  broken: comfortParts,
  /** At most 400. */
  worst: v.array(v.object({ deviceId: v.string(), brokenHours: v.number(), broken: comfortParts })),
});

/** A model on a device, as the device reports it. */
export const deviceModel = v.object({
  modelId: v.string(),
  state: literals(...modelStates),
  downloadedBytes: v.optional(v.number()),
  /** Why it waits. */
  why: v.optional(v.string()),
  /** Tokens per second, measured on the device. */
  speed: v.optional(
    v.object({
      prefill: v.number(),
      generate: v.number(),
      /** For example "cpu" or "cuda". */
      backend: v.string(),
    }),
  ),
});

export type DeviceModel = Infer<typeof deviceModel>;

/**
 * Rules by name: the values that are set, and the rules that a donor cannot change. There is no validator per rule,
 * because a stored policy must outlive the versions that know its rules. model/policies/ checks them when they are saved.
 */
export const policyRules = v.object({
  values: v.record(v.string(), v.any()),
  locked: v.array(v.string()),
});

/** A device's answer to a draft of rules: whole minutes and counts, nothing else (app/policy/replay/totals.ts). */
export const deviceTotals = v.object({
  recorded: v.number(),
  happened: v.number(),
  now: v.number(),
  draft: v.number(),
  nowSpans: v.number(),
  draftSpans: v.number(),
  unsure: v.number(),
});

/** Such answers, added up. */
export const previewSums = v.object({
  ...deviceTotals.fields,
  devices: v.number(),
  withoutRecord: v.number(),
  nowNever: v.number(),
  draftNever: v.number(),
});

/** A stop of a device's runner by a request. */
export const runnerStop = v.object({
  at: v.number(),
  deviceId: v.string(),
  jobId: v.string(),
  constrained: v.boolean(),
});

/** Which requests of an API key are refused, until when (ms epoch). */
export const restriction = v.object({ of: literals("constrained", "checked", "all"), until: v.number() });

/** The rules for a class of data: app/keys/data-classes.ts. */
export const dataClassRule = v.object({
  name: v.string(),
  groups: v.array(v.string()),
  keptHours: v.number(),
  lookers: literals(...lookers),
});

/** What devices must have to get a job. */
export const deviceNeeds = v.object({
  groups: v.optional(v.array(v.string())),
  tags: v.optional(v.array(v.string())),
  gpu: v.optional(v.boolean()),
  memoryGb: v.optional(v.number()),
  vramGb: v.optional(v.number()),
  dataClass: v.optional(v.string()),
});

/** A kind of calls that a key may be allowed to make. */
export const keyScope = literals(...keyScopes);

const keyQuota = v.object({
  requests: v.optional(v.number()),
  tokens: v.optional(v.number()),
  micro: v.optional(v.int64()),
});

/** The most that a key may use in a day and in a month (UTC). */
export const keyQuotas = v.object({ day: v.optional(keyQuota), month: v.optional(keyQuota) });

/** Requests, tokens and micro-credits of a key. */
export const keyCount = v.object({ requests: v.number(), tokens: v.number(), micro: v.int64() });

/** The use of a key on the present day and in the present month. */
export const keyUse = v.object({ day: keyCount, month: keyCount });

/** The former secret of a key that was rotated. It works until its end. */
export const formerSecret = v.object({ keyHash: v.string(), prefix: v.string(), until: v.number() });

/** Credits that a holder gets at the start of each period: app/money/allowance.ts. */
export const allowanceTerms = v.object({
  every: literals(...allowancePeriods),
  kind: literals(...allowanceKinds),
  micro: v.int64(),
});

/** An allowance as it is stored: who set it and why, and the start of the next period; ms epoch. */
export const allowance = v.object({
  ...allowanceTerms.fields,
  reason: v.string(),
  memberId: v.id("members"),
  setAt: v.number(),
  dueAt: v.number(),
});

/** Percent of the models' prices, by a job's priority. */
export const priorityPrices = v.object({ low: v.number(), normal: v.number(), high: v.number() });

/** Micro-credits per token. */
export const price = v.object({ promptMicro: v.int64(), completionMicro: v.int64() });

/** The jobs of a key with one price: app/credits/key-statement.ts. */
export const keyCharge = v.object({
  modelId: v.string(),
  priceVersion: v.string(),
  ...price.fields,
  percent: v.number(),
  jobs: v.number(),
  promptTokens: v.number(),
  completionTokens: v.number(),
  micro: v.int64(),
  coveredMicro: v.int64(),
});

/** The period for which an allowance gave credits: app/credits/key-moves.ts. */
export const paidPeriod = v.object({ every: literals(...allowancePeriods), start: v.number() });

/** The source of the credits of a key's move. An administrator's move has none. */
export const keyMoveSource = v.union(
  v.object({ kind: literals("earned", "given", "given-and-earned", "canaries", "given-back", "refund") }),
  v.object({ kind: v.literal("allowance"), ...paidPeriod.fields }),
);

/** The jobs of a key without a charge: of own devices, and without an answer. */
export const keyFree = v.object({
  own: v.number(),
  failed: v.number(),
  canceled: v.number(),
  expired: v.number(),
});

/** Percents of the models' prices, which are multiplied: app/money/price-list.ts. */
export const priceFactors = v.object({
  ...priorityPrices.fields,
  text: v.number(),
  embedding: v.number(),
  hours: v.union(v.object({ from: v.number(), to: v.number(), percent: v.number() }), v.null()),
});

/** A price from a moment on (ms epoch). */
export const pricedFrom = v.object({ version: v.number(), from: v.number(), value: price });
export const factorsFrom = v.object({ version: v.number(), from: v.number(), value: priceFactors });

/** The percents that a job's price is multiplied with. */
export const priceParts = v.object({ priority: v.number(), kind: v.number(), hour: v.number() });

/** The pay for a job, which the queue passes on to the device. */
export const reply = v.object({
  earnedMicro: v.int64(),
  /** Per token. */
  price,
  /** The percent of it that the job costs, if that is not 100, and the percents that make it. */
  pricePercent: v.optional(v.number()),
  priceParts: v.optional(priceParts),
  priceVersion: v.optional(v.string()),
  /** The pay of a device that had written a part of the answer when this one finished it, and the tokens for which it is paid. */
  outrunMicro: v.optional(v.int64()),
  outrunUsage: v.optional(usage),
  /** Its limit, if the tokens are worth more: half of the answer's price, or the rest of the highest price. */
  outrunLimit: v.optional(literals("half", "rest")),
  /** The part of `earnedMicro` that bonus hours added, and their percent of the pay. */
  bonusMicro: v.optional(v.int64()),
  bonusPercent: v.optional(v.number()),
  /** Whether the device belongs to the owner of the job's key, and is not paid. */
  ownJob: v.optional(v.boolean()),
  /** Whether `earnedMicro` is held until a check of the device's answers. */
  held: v.optional(v.boolean()),
  /** Whether a report of a replay was not heard, and is not paid, as somebody behind the device has a voice already. */
  unheard: v.optional(v.boolean()),
});

/** A job's priority and its price before a change of its priority. `at`: when it changed (ms epoch). */
export const beforePriority = v.object({
  at: v.number(),
  round: v.number(),
  /** How often a device had taken the job. */
  attempts: v.number(),
  /** The priority of the job, and the highest that it had had. */
  priority,
  highest: v.optional(priority),
  pricePercent: v.optional(v.number()),
  priceVersion: v.optional(v.string()),
  reservedMicro: v.int64(),
});

/** Micro-credits by kind of account. */
export const amountsByKind = v.object({
  issuance: v.int64(),
  key: v.int64(),
  escrow: v.int64(),
  device: v.int64(),
  // Absent in rows of earlier versions.
  wallet: v.optional(v.int64()),
  grant: v.optional(v.int64()),
  payout: v.optional(v.int64()),
  house: v.optional(v.int64()),
  bonus: v.optional(v.int64()),
  held: v.optional(v.int64()),
  check: v.optional(v.int64()),
  cover: v.optional(v.int64()),
});

/** Credits that an account earned in one month (UTC), which `startAt` begins. */
export const lot = v.object({ startAt: v.number(), micro: v.int64() });

/** The credits that a device earned in one month (UTC). `bonusMicro`: the part of `micro` that is a bonus. */
export const earnedOfDevice = v.object({
  /** Absent: all other devices. */
  deviceId: v.optional(v.id("devices")),
  jobs: v.number(),
  micro: v.int64(),
  bonusMicro: v.int64(),
});

/** Hours of a day of the week in which answers earn more. `day`: 0 is Sunday. */
export const bonusHours = v.object({ day: v.number(), from: v.number(), to: v.number() });

/** An organization's rules for the credits that members earned. */
export const houseRules = v.object({
  /** Null: they never expire. */
  expireMonths: v.union(v.number(), v.null()),
  /** Null: no hour earns more. */
  bonus: v.union(
    v.object({ percent: v.number(), capMicro: v.int64(), hours: v.array(bonusHours) }),
    v.null(),
  ),
  /** The money for a credit, in millionths of the currency. Null: credits are not paid out. */
  payout: v.union(v.object({ currency: v.string(), perCreditMicro: v.int64() }), v.null()),
});

export const creditMoveKind = literals(
  "to-key",
  "given",
  "received",
  "payout-asked",
  "payout-returned",
  "expired",
  "granted",
  "taken-back",
  "allowance",
);

export const payoutState = literals("asked", "approved", "refused", "withdrawn");

/** Numbers of devices. */
export const deviceCounts = v.object({
  donating: v.number(),
  standby: v.number(),
  paused: v.number(),
  outdated: v.number(),
  offline: v.number(),
  pending: v.number(),
  retired: v.number(),
});

/** The state of a device: app/statistics/metrics.ts. */
export const deviceState = literals(...deviceStates);

/** The facts of a device that are counted. */
export const countedFacts = {
  state: deviceState,
  platform: v.string(),
  version: v.string(),
  groups: v.array(v.string()),
  /** Whether its worker is online. Absent in rows of earlier versions. */
  online: v.optional(v.boolean()),
};

/** The facts of a device that lists filter by. `platform`: the system, as Node.js names it. `version`: "" if unknown. */
export const listingFacts = {
  ...countedFacts,
  models: v.array(v.string()),
  /** Absent if they are unknown, and in rows of earlier versions. */
  memoryMb: v.optional(v.number()),
  /** As much of it as jobs may use. Absent as above. */
  jobMemoryMb: v.optional(v.number()),
  gpus: v.optional(v.array(v.string())),
  tags: v.optional(v.array(v.string())),
};

export const deviceConcern = literals(...deviceConcerns);

/** The facts that a device is counted by. The last two are absent in rows of earlier versions. */
export const countedListing = v.object({
  ...countedFacts,
  models: v.optional(v.array(v.string())),
  concerns: v.optional(v.array(deviceConcern)),
});

/** Something that needs attention: app/devices/attention.ts. `told`: it has lasted long enough to be shown. */
export const attentionItem = v.object({
  kind: literals(...deviceConcerns, ...fleetConcerns),
  subject: v.string(),
  count: v.number(),
  since: v.number(),
  told: v.boolean(),
});

/** A requester's rating of an answer: app/jobs/rating.ts. */
export const rating = literals(...ratings);
export const ratingReason = literals(...ratingReasons);
export const disputeState = literals(...disputeStates);

/** An administrator's decision about a disputed answer. `refundMicro`: what the key got back. */
export const disputeDecision = v.object({
  by: v.id("members"),
  at: v.number(),
  reason: v.string(),
  refundMicro: v.optional(v.int64()),
});

/** An event that a webhook can choose. */
export const webhookEvent = literals(...webhookEvents);
export const deliveryState = literals("pending", "delivered", "failed");
/** The reason why a webhook is disabled: its receiver failed for days, or said that it is gone, or a member did it. */
export const disabledBy = literals("failing", "gone", "member");

/** A try to deliver a message to a webhook. */
export const deliveryAttempt = v.object({
  /** ms epoch. */
  at: v.number(),
  ms: v.number(),
  /** Null: there was no answer. */
  status: v.union(v.number(), v.null()),
  /** Why it failed; null: it was delivered. */
  error: v.union(v.string(), v.null()),
  /** The first characters of the answer. */
  answer: v.string(),
});

/** Something that a mail tells: one sentence, and for what is not over the act that mends it and a link to it. */
export const alertNews = v.object({
  sentence: v.string(),
  act: v.string(),
  link: v.string(),
  /** ms epoch. */
  since: v.number(),
});

/** `online`: donating or standing by. `attention`: something about it needs attention. */
export const listedState = literals(...deviceStates, "online", "attention");

/** A device has to fit all of these to be placed by a rule of a group: app/devices/filter.ts. */
export const ruleFilters = {
  /** A part of its name. */
  named: v.optional(v.string()),
  platform: v.optional(v.string()),
  /** This version or a newer one. */
  fromVersion: v.optional(v.string()),
  model: v.optional(v.string()),
  /** At least so much memory. */
  memoryGb: v.optional(v.number()),
  /** A kind, "any" or "none". */
  gpu: v.optional(v.string()),
  tag: v.optional(v.string()),
  owner: v.optional(owner),
};

/** Rows of a list have to fit all of these. */
export const listFilters = {
  ...ruleFilters,
  /** The beginning of words of the name. */
  search: v.optional(v.string()),
  state: v.optional(listedState),
  group: v.optional(v.string()),
  version: v.optional(v.string()),
  /** Such a concern about it. */
  concern: v.optional(deviceConcern),
  /** Its last change was before this moment; ms epoch. */
  changedBefore: v.optional(v.number()),
  /** In service, with so much memory for jobs. */
  fitsGb: v.optional(v.number()),
  /** In service, with less than that. */
  lacksGb: v.optional(v.number()),
};

export const bulkFilters = v.object(listFilters);

/** The devices of an act on many: chosen ones, all that fit filters, or all that an enrollment code admitted. */
export const bulkChosen = v.union(
  v.object({ deviceIds: v.array(v.id("devices")) }),
  v.object({ filters: bulkFilters }),
  v.object({ codeId: v.id("enrolmentCodes") }),
);

const viewPart = v.optional(v.string());

/** A view of the devices: app/devices/views.ts. A missing part is as usual. */
export const viewSettings = v.object(
  Object.fromEntries(viewParts.map((part) => [part, viewPart])) as Record<ViewPart, typeof viewPart>,
);

export const bulkState = literals("finding", "found", "running", "done", "undoing", "undone");

export const facetCount = v.object({
  of: literals("group", "platform", "version", "model", "concern"),
  name: v.string(),
  devices: v.number(),
});

/** From `at` on the device was in this state. `reason`: a code of app/policy, or "". */
export const deviceSpan = v.object({ at: v.number(), state: deviceState, reason: v.string() });

export const subjectKind = literals(...subjectKinds);

const sketch = v.object({ bins: v.array(v.number()), counts: v.array(v.number()), sum: v.number() });

const tallyCounts = {
  succeeded: v.number(),
  failed: v.number(),
  canceled: v.number(),
  expired: v.number(),
  retried: v.number(),
  returned: v.number(),
  lost: v.number(),
  stolen: v.number(),
  promptTokens: v.number(),
  completionTokens: v.number(),
  micro: v.int64(),
};

/** app/energy/energy-sum.ts. */
const energySum = v.object({
  microWh: v.number(),
  measuredMicroWh: v.number(),
  runMs: v.number(),
  byHour: v.optional(v.record(v.string(), v.number())),
});

/** What happened to the jobs of a subject in a time: app/statistics/tally.ts. */
export const tally = v.object({ ...tallyCounts, energy: v.optional(energySum), wait: sketch, run: sketch });

const spread = v.union(v.object({ p50: v.number(), p95: v.number(), p99: v.number() }), v.null());

/** A tally as people read it: app/statistics/summary.ts. */
export const tallySummary = v.object({
  ...tallyCounts,
  wait: spread,
  run: spread,
  successRate: v.union(v.number(), v.null()),
});

/** app/statistics/model-tokens.ts. */
export const modelTokens = v.object({
  subject: v.string(),
  promptTokens: v.number(),
  completionTokens: v.number(),
});

/** A day of a month: app/usage/months.ts. */
export const daySum = v.object({
  startAt: v.number(),
  jobs: v.number(),
  answered: v.number(),
  promptTokens: v.number(),
  completionTokens: v.number(),
  micro: v.int64(),
  runMs: v.number(),
  energy: v.optional(energySum),
  models: v.optional(v.array(modelTokens)),
});

/** The figures that an organization compares its usage with: app/usage/comparison.ts. */
export const usageFacts = v.object({
  cloudPrices: v.array(v.object({ modelId: v.string(), prompt: v.number(), completion: v.number() })),
  /** Such as "EUR". */
  currency: v.string(),
  watts: v.union(v.number(), v.null()),
  gramsPerKwh: v.union(v.number(), v.array(v.number()), v.null()),
});

/** A usage table's row: app/usage/usage-table.ts. */
export const usageRow = v.object({
  subject: v.string(),
  name: v.union(v.string(), v.null()),
  jobs: v.number(),
  succeeded: v.number(),
  successRate: v.union(v.number(), v.null()),
  promptTokens: v.number(),
  completionTokens: v.number(),
  micro: v.int64(),
  runMs: v.number(),
  energy: v.union(energySum, v.null()),
  waitP50: v.union(v.number(), v.null()),
  waitP95: v.union(v.number(), v.null()),
});

/** The member, team or key whose spending a budget watches. */
export const budgetSubject = v.union(v.id("apiKeys"), v.id("members"), v.id("teams"));

export const depthKind = literals("all", "model", "lane", "key");

/** The jobs that had not ended at a moment. */
export const depthSample = v.object({
  at: v.number(),
  ready: v.number(),
  waiting: v.number(),
  running: v.number(),
});

/** How far a stage of a roll-out goes: app/models/rollout/stages.ts. */
export const stageSize = v.union(
  v.object({ of: v.literal("devices"), devices: v.number() }),
  v.object({ of: v.literal("percent"), percent: v.number() }),
);

export const rolloutStage = v.object({
  size: stageSize,
  upTo: v.number(),
  devices: v.number(),
  expected: v.number(),
});

export const rolloutPace = v.object({
  minMinutes: v.number(),
  readyPercent: v.number(),
  failedPercent: v.number(),
  byHand: v.boolean(),
});

export const rolloutState = literals(...rolloutStates);

export const rolloutAct = literals(...rolloutActs);

export const rolloutPlace = v.object({ state: rolloutState, stage: v.number() });

export const rolloutDeviceState = literals(...rolloutDeviceStates);

export const stageCounts = v.object({ downloading: v.number(), ready: v.number(), failed: v.number() });

type Both<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
type Frozen<T> = T extends object ? { readonly [Field in keyof T]: Frozen<T[Field]> } : T;
type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [Field in keyof T]: Mutable<T[Field]> }
    : T;

/** The same value without readonly types, which Convex does not accept as arguments. */
export function asMutable<T>(value: T): Mutable<T> {
  return value as Mutable<T>;
}

/**
 * This does not compile if a validator and its type differ. The validators are not made from Zod's schemas, because Zod would
 * load with every function: 430 KB, where these are 35.
 */
export const validatorsMatch: readonly true[] = [
  true satisfies Both<Frozen<Infer<typeof work>>, Work>,
  true satisfies Both<Frozen<Infer<typeof textAnswer> & Infer<typeof workReport>>, ChatResult>,
  true satisfies Both<Frozen<Infer<typeof streamItem>>, StreamItem>,
  true satisfies Both<Frozen<Infer<typeof jobEnergy>>, JobEnergy>,
  true satisfies Both<Frozen<Infer<typeof vectorAnswer>>, Pick<EmbeddingResult, "embeddings">>,
  true satisfies Both<Frozen<Infer<typeof runnerStop>>, RunnerStop>,
  true satisfies Both<Frozen<Infer<typeof restriction>>, Restriction>,
  true satisfies Both<Infer<typeof deviceLimits>, DeviceLimits>,
  true satisfies Both<Infer<typeof deviceCounts>, Record<DeviceState, number>>,
  true satisfies Both<Infer<typeof jobStatus>, JobStatus>,
  true satisfies Both<Infer<typeof attemptStatus>, AttemptStatus>,
  true satisfies Both<Infer<typeof tally>, Tally>,
  true satisfies Both<Infer<typeof tallySummary>, TallySummary>,
  true satisfies Both<Infer<typeof daySum>, DaySum>,
  true satisfies Both<Frozen<Infer<typeof usageRow>>, Frozen<UsageRow>>,
  true satisfies Both<Frozen<Infer<typeof rolloutStage>>, Frozen<Stage>>,
  true satisfies Both<Frozen<Infer<typeof rolloutPace>>, RolloutPace>,
  true satisfies Both<Frozen<Infer<typeof stageCounts>>, StageCounts>,
];

/** The facts that a model's file tells, or why it could not be read. */
export const inspectionOutcome = v.union(
  v.object({
    kind: v.literal("read"),
    modelId: v.string(),
    source: v.string(),
    sizeBytes: v.number(),
    /** Null if the server does not tell it. */
    sha256: v.union(v.string(), v.null()),
    contextTokens: v.number(),
    licence: v.string(),
    /** Whether the file has a chat template of its own. */
    hasTemplate: v.boolean(),
    architecture: v.string(),
    /** The memory that a device needs for it, with a usual context. */
    needsBytes: v.number(),
    /** Devices that are in service, and those of them with that much memory. */
    devices: v.number(),
    fitting: v.number(),
  }),
  /** The link is one to a repository: a person chooses one of its files. */
  v.object({
    kind: v.literal("files"),
    files: v.array(v.object({ link: v.string(), file: v.string(), sizeBytes: v.number() })),
  }),
  v.object({ kind: v.literal("failed"), why: v.string() }),
);
