import { comfortTarget, objectiveOf } from "../comfort/fleet.ts";
import { formatShare, plural } from "../format/quantity.ts";
import { isOlder } from "../versions.ts";

/** Why a device needs somebody's attention. */
export const deviceConcerns = [
  "failing",
  "outdated",
  "rolled-back",
  "not-updated",
  "other-key",
  "stuck",
  "never-donated",
] as const;
export type DeviceConcern = (typeof deviceConcerns)[number];

/** The same of the whole organization. */
export const fleetConcerns = [
  "unserved-model",
  "unserved-jobs",
  "expiring-keys",
  "disabled-webhook",
  "comfort-missed",
  "open-disputes",
  "wrong-answers",
] as const;
export type FleetConcern = (typeof fleetConcerns)[number];

export type Concern = DeviceConcern | FleetConcern;

const hourMs = 3_600_000;
/** A program starts within minutes. */
export const startWithinMs = hourMs;
/** An update that was asked for is installed within days. */
export const updateWithinMs = 3 * 24 * hourMs;
/** Most computers are idle once in a week. */
export const donateWithinMs = 7 * 24 * hourMs;

export type ConcernFacts = {
  readonly inService: boolean;
  readonly online: boolean;
  readonly failing: boolean;
  readonly outdated: boolean;
  /** The update that it was asked for and does not have yet, and when it was asked. */
  readonly askedVersion: { readonly version: string; readonly at: number } | null;
  /** The newer version that did not work there. */
  readonly rolledBackVersion: string | null;
  /** The reason that it reported for what it does; "" without one. */
  readonly reason: string;
  /** When it began to do that. */
  readonly since: number;
  readonly enrolledAt: number;
  readonly hasDonated: boolean;
};

/** The concerns about a device, and when they may change without a change of its facts; null: not by themselves. */
export function concernsOf(
  facts: ConcernFacts,
  now: number,
): { readonly concerns: DeviceConcern[]; readonly recheckAt: number | null } {
  const { inService, online, failing, outdated, askedVersion, rolledBackVersion } = facts;
  const { reason, since, enrolledAt, hasDonated } = facts;
  if (!inService) return { concerns: [], recheckAt: null };
  const concerns: DeviceConcern[] = [];
  const due: number[] = [];
  const after = (at: number, concern: DeviceConcern): void => {
    if (at <= now) concerns.push(concern);
    else due.push(at);
  };
  if (failing) concerns.push("failing");
  if (outdated) concerns.push("outdated");
  if (rolledBackVersion !== null) concerns.push("rolled-back");
  if (askedVersion !== null && !wasTried(askedVersion.version, rolledBackVersion))
    after(askedVersion.at + updateWithinMs, "not-updated");
  if (reason === "other-key") concerns.push("other-key");
  if (online && (reason === "" || reason === "starting")) after(since + startWithinMs, "stuck");
  if (!hasDonated) after(enrolledAt + donateWithinMs, "never-donated");
  return { concerns, recheckAt: due.length === 0 ? null : Math.min(...due) };
}

/** Whether a device went back from the version that it was asked for, or from a newer one. It then tries only one newer than that. */
export function wasTried(asked: string, rolledBackVersion: string | null): boolean {
  return rolledBackVersion !== null && !isOlder(rolledBackVersion, asked);
}

/** Something that needs attention. `subject`: the model; "" otherwise. `count`: devices, jobs, API keys, webhooks, hours or disputes. */
export type Attention = { readonly kind: Concern; readonly subject: string; readonly count: number };

export type OrganizationFacts = {
  readonly devices: number;
  readonly donating: number;
  /** Jobs that could begin at once. */
  readonly ready: number;
  readonly modelIds: readonly string[];
  /** The models that devices offer. */
  readonly served: readonly string[];
  /** API keys that expire soon. */
  readonly expiringKeys: number;
  readonly concerns: Readonly<Partial<Record<DeviceConcern, number>>>;
  /** Webhooks that were disabled because they failed. */
  readonly disabledWebhooks: number;
  /** The donated hours of the last week, and how many of them kept every promise to donors. */
  readonly comfort: { readonly hours: number; readonly keptHours: number };
  /** Disputed answers that nobody has decided. */
  readonly openDisputes: number;
  /** Devices whose answers checks found wrong lately, and that still get jobs. */
  readonly wrongInService: number;
};

/** One hour alone is no alert: below a hundred donated hours it would miss the objective. */
const leastBrokenHours = 2;

/** The donated hours that broke a promise, if the objective of the organization is missed; else 0. */
function missedComfort(comfort: OrganizationFacts["comfort"]): number {
  const broken = comfort.hours - comfort.keptHours;
  return broken >= leastBrokenHours && objectiveOf(comfort)?.isKept === false ? broken : 0;
}

/** All that needs attention in an organization. */
export function attentionOf(facts: OrganizationFacts): readonly Attention[] {
  const { devices, donating, ready, modelIds, served, expiringKeys, concerns, disabledWebhooks } = facts;
  const counted = [
    ...deviceConcerns.map((kind) => ({ kind, subject: "", count: concerns[kind] ?? 0 })),
    { kind: "expiring-keys" as const, subject: "", count: expiringKeys },
    { kind: "disabled-webhook" as const, subject: "", count: disabledWebhooks },
    { kind: "comfort-missed" as const, subject: "", count: missedComfort(facts.comfort) },
    { kind: "open-disputes" as const, subject: "", count: facts.openDisputes },
    { kind: "wrong-answers" as const, subject: "", count: facts.wrongInService },
  ].filter(({ count }) => count > 0);
  // Before the first device joins nothing can be served, and everybody knows.
  if (devices === 0) return counted;
  const models = modelIds
    .filter((modelId) => !served.includes(modelId))
    .map((subject) => ({ kind: "unserved-model" as const, subject, count: 0 }));
  const jobs =
    ready > 0 && donating === 0 ? [{ kind: "unserved-jobs" as const, subject: "", count: ready }] : [];
  return [...jobs, ...models, ...counted];
}

/** How long something lasts before anybody is told. What comes and goes within a minute is no news. */
export const graceMs: Readonly<Record<Concern, number>> = {
  failing: 0,
  outdated: 0,
  "rolled-back": 0,
  "not-updated": 0,
  "other-key": 0,
  stuck: 0,
  "never-donated": 0,
  "unserved-model": 10 * 60_000,
  "unserved-jobs": 5 * 60_000,
  "expiring-keys": 0,
  "disabled-webhook": 0,
  "comfort-missed": 0,
  // A requester may undo a dispute.
  "open-disputes": 60_000,
  "wrong-answers": 0,
};

type Words = { readonly sentence: string; /** The act that mends it. */ readonly act: string };

/** One sentence, and what to do about it. */
export function attentionWords({ kind, subject, count }: Attention): Words {
  const words: Readonly<Record<Concern, Words>> = {
    failing: {
      sentence: plural(count, [
        "# device was paused because too many of its jobs failed.",
        "# devices were paused because too many of their jobs failed.",
      ]),
      act: "Look at the last jobs, then resume",
    },
    outdated: {
      sentence: plural(count, [
        "# device gets no jobs before an update of Gleaner.",
        "# devices get no jobs before an update of Gleaner.",
      ]),
      act: "Update Gleaner there",
    },
    "rolled-back": {
      sentence: plural(count, [
        "# device went back to its earlier version of Gleaner, because the new one did not work there.",
        "# devices went back to their earlier version of Gleaner, because the new one did not work there.",
      ]),
      act: "Report it with the diagnostics from there",
    },
    "not-updated": {
      sentence: plural(count, [
        "# device was asked for an update of Gleaner days ago, and does not have it.",
        "# devices were asked for an update of Gleaner days ago, and do not have it.",
      ]),
      act: "Update Gleaner there",
    },
    "other-key": {
      sentence: plural(count, [
        "# device signs with another key than registered, and gets no jobs.",
        "# devices sign with another key than registered, and get no jobs.",
      ]),
      act: "Retire them and let their users join again",
    },
    stuck: {
      sentence: plural(count, [
        "# device is online, but Gleaner there has been starting for over an hour.",
        "# devices are online, but Gleaner there has been starting for over an hour.",
      ]),
      act: "Restart Gleaner there",
    },
    "never-donated": {
      sentence: plural(count, [
        "# device has not donated once since it joined a week ago or earlier.",
        "# devices have not donated once since they joined a week ago or earlier.",
      ]),
      act: "See which rule keeps them from donating",
    },
    "unserved-model": {
      sentence: `No device can run ${subject}, so its requests wait.`,
      act: "See where it is downloaded, or retire it",
    },
    "unserved-jobs": {
      sentence: plural(count, ["# job waits, and no device donates.", "# jobs wait, and no device donates."]),
      act: "See why devices do not donate",
    },
    "expiring-keys": {
      sentence: plural(count, ["# API key expires within two weeks.", "# API keys expire within two weeks."]),
      act: "Set a later end, or make new keys",
    },
    "disabled-webhook": {
      sentence: plural(count, [
        "# webhook was disabled because its receiver failed for days or is gone.",
        "# webhooks were disabled because their receivers failed for days or are gone.",
      ]),
      act: "Mend the receiver and enable it, or remove it",
    },
    "comfort-missed": {
      sentence: `Donors were disturbed more often than the objective of ${formatShare(comfortTarget)} allows: ${plural(
        count,
        [
          "# donated hour of the last week broke a promise.",
          "# donated hours of the last week broke a promise.",
        ],
      )}`,
      act: "See which devices, and tighten their rules",
    },
    "open-disputes": {
      sentence: plural(count, [
        "# answer is disputed by its requester.",
        "# answers are disputed by their requesters.",
      ]),
      act: "Decide whether they are wrong",
    },
    "wrong-answers": {
      sentence: plural(count, [
        "Checks found wrong answers or token counts of # device, which still gets jobs.",
        "Checks found wrong answers or token counts of # devices, which still get jobs.",
      ]),
      act: "Look at the evidence, and pause it, or let Gleaner act on checks",
    },
  };
  return words[kind];
}

/** The page of the console with the act that mends it, and its filters. */
export function attentionPlace({ kind, subject }: Pick<Attention, "kind" | "subject">): {
  readonly page: "overview" | "models" | "devices" | "disputes" | "checks" | "keys" | "webhooks";
  readonly filters: Readonly<Record<string, string>>;
} {
  if (kind === "unserved-model") return { page: "models", filters: { model: subject } };
  if (kind === "expiring-keys") return { page: "keys", filters: {} };
  if (kind === "comfort-missed") return { page: "overview", filters: {} };
  if (kind === "open-disputes") return { page: "disputes", filters: {} };
  if (kind === "wrong-answers") return { page: "checks", filters: {} };
  if (kind === "disabled-webhook") return { page: "webhooks", filters: {} };
  if (kind === "unserved-jobs") return { page: "devices", filters: { state: "standby" } };
  return { page: "devices", filters: { state: "attention", concern: kind } };
}

/** The sentence when it is over. */
export function endedWords({ kind, subject }: Pick<Attention, "kind" | "subject">): string {
  const words: Readonly<Record<Concern, string>> = {
    failing: "No device is paused because of failed jobs anymore.",
    outdated: "No device needs an update anymore.",
    "rolled-back": "No device waits for a version of Gleaner that works there anymore.",
    "not-updated": "Every device has the update that it was asked for.",
    "other-key": "No device signs with another key anymore.",
    stuck: "No device is stuck at its start anymore.",
    "never-donated": "Every device has donated.",
    "unserved-model": `A device can run ${subject} again.`,
    "unserved-jobs": "Jobs do not wait for want of devices anymore.",
    "expiring-keys": "No API key expires within two weeks anymore.",
    "disabled-webhook": "No webhook is disabled because of its receiver anymore.",
    "comfort-missed": "The objective for the comfort of donors is kept again.",
    "open-disputes": "No disputed answer waits for a decision anymore.",
    "wrong-answers": "No device whose answers were wrong gets jobs anymore.",
  };
  return words[kind];
}
