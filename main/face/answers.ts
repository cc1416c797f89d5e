import type { Confinement } from "../../app/contract/confinement.ts";
import type { CallAnswer } from "../../app/contract/donor-calls.ts";
import type { DonorSnapshot, ModelView } from "../../app/contract/snapshot.ts";
import { wordsOf } from "../../app/contract/span-words.ts";
import { waitWords } from "../../app/models/wait-reasons.ts";
import { spellReason } from "../../app/policy/declare/check.ts";
import { sayLimits } from "../../app/policy/limits.ts";
import { ruleNames } from "../../app/policy/rules.ts";
import { sayRule } from "../../app/policy/say-rule.ts";
import type { Reading } from "../sensors/base/sensor.ts";

/** A model that the organization offers, or whose file is still here. */
export type ModelRow = Omit<ModelView, "bytesPerSecond"> &
  Pick<CallAnswer<"models">["models"][number], "isBundled" | "lastUsedAt" | "speed">;

/** Leaves out the job's text, which is only for the panel and the person at the computer. */
export function statusAnswer(snapshot: DonorSnapshot): CallAnswer<"status"> {
  const { version, shell, connection, organization, device, activity, work } = snapshot;
  const { kind, reason, since } = activity;
  const words = wordsOf({ kind, reason });
  const gives = activity.kind === "donating" ? sayLimits(activity.limits) : null;
  return {
    version,
    shell,
    pid: process.pid,
    connection,
    organization: organization?.name ?? null,
    organizationKey: organization?.keyFingerprint ?? null,
    organizationProblem: organization?.problem ?? null,
    askedVersion: organization?.askedVersion ?? null,
    device: device?.name ?? null,
    problem: snapshot.problem ?? null,
    activity: { kind, reason, since, short: words.short, sentence: spellReason(words), gives },
    recheckAt: snapshot.recheckAt === null ? null : Math.round(snapshot.recheckAt),
    pause: snapshot.pause,
    donateNowUntil: snapshot.donateNowUntil,
    finishing: snapshot.finishThenPause,
    comfort: snapshot.comfort?.week ?? null,
    job:
      work === null
        ? null
        : { attemptId: work.attemptId, modelId: work.modelId, phase: work.phase, startedAt: work.startedAt },
  };
}

export function rulesAnswer({ rules, ruleLayers }: DonorSnapshot): CallAnswer<"rules"> {
  const { from, locked } = ruleLayers;
  return {
    rules: ruleNames.map((name) => ({
      name,
      value: rules[name],
      words: sayRule(name, rules[name]),
      from: from[name],
      locked: locked.includes(name),
    })),
  };
}

export function modelsAnswer(models: readonly ModelRow[]): CallAnswer<"models"> {
  return {
    models: models.map(
      ({ modelId, sizeBytes, state, downloadedBytes, why, isBundled, lastUsedAt, speed }) => ({
        modelId,
        sizeBytes,
        state,
        downloadedBytes: downloadedBytes ?? null,
        why: why === undefined ? null : sayWhy(why),
        isBundled,
        lastUsedAt,
        speed,
      }),
    ),
  };
}

function sayWhy({ reason, detail }: NonNullable<ModelView["why"]>): string {
  return detail === null ? waitWords[reason] : `${waitWords[reason]} (${detail})`;
}

export function factsAnswer(
  readings: Readonly<Record<string, Reading>>,
  confinement: Confinement | null,
): CallAnswer<"facts"> {
  return {
    confinement,
    facts: Object.entries(readings).map(([name, { value, source, at }]) => ({
      name,
      fact: value.known ? { known: true, value: plain(value.value) } : value,
      source,
      at: at === null ? null : Math.round(at),
    })),
  };
}

function plain(value: unknown): string | number | boolean | null | string[] {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  return typeof value === "string" ? value : JSON.stringify(value);
}
