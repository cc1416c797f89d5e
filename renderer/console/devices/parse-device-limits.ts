import { type DeviceLimits, limitableKinds, limitBounds } from "../../../app/devices/limits.ts";
import { formatCount } from "../../../app/format/quantity.ts";

const mebibytesPerGb = 1e9 / 2 ** 20;

/** What an admin has typed and chosen. An empty text means no limit. */
export type TypedLimits = {
  readonly jobs: string;
  readonly gigabytes: string;
  readonly contextTokens: string;
  readonly gpu: boolean;
  readonly kinds: readonly (typeof limitableKinds)[number][];
  /** Null: all models. */
  readonly models: string[] | null;
};

type Parsed =
  | { readonly kind: "ok"; readonly limits: DeviceLimits }
  /** The error of each field. Null if it is valid. */
  | {
      readonly kind: "wrong";
      readonly jobs: string | null;
      readonly gigabytes: string | null;
      readonly contextTokens: string | null;
    };

export function parseDeviceLimits({
  jobs,
  gigabytes,
  contextTokens,
  gpu,
  kinds,
  models,
}: TypedLimits): Parsed {
  const atOnce = parseNumber(jobs, limitBounds.maxConcurrentJobs);
  const memory = parseNumber(gigabytes, Math.floor(limitBounds.memoryMb / mebibytesPerGb));
  const context = parseNumber(contextTokens, limitBounds.contextTokens);
  if (atOnce.kind === "wrong" || memory.kind === "wrong" || context.kind === "wrong") {
    return {
      kind: "wrong",
      jobs: atOnce.kind === "wrong" ? atOnce.error : null,
      gigabytes: memory.kind === "wrong" ? memory.error : null,
      contextTokens: context.kind === "wrong" ? context.error : null,
    };
  }
  return {
    kind: "ok",
    limits: {
      ...(kinds.length === limitableKinds.length ? {} : { kinds: [...kinds] }),
      ...(models === null ? {} : { models }),
      ...(gpu ? {} : { gpu }),
      ...(memory.value === null ? {} : { memoryMb: Math.floor(memory.value * mebibytesPerGb) }),
      ...(context.value === null ? {} : { contextTokens: context.value }),
      ...(atOnce.value === null ? {} : { maxConcurrentJobs: atOnce.value }),
    },
  };
}

/** The limits as the dialog shows them. */
export function typedLimits({
  kinds,
  models,
  gpu,
  memoryMb,
  contextTokens,
  maxConcurrentJobs,
}: DeviceLimits): TypedLimits {
  return {
    jobs: maxConcurrentJobs === undefined ? "" : String(maxConcurrentJobs),
    gigabytes: memoryMb === undefined ? "" : String(Math.max(1, Math.round(memoryMb / mebibytesPerGb))),
    contextTokens: contextTokens === undefined ? "" : String(contextTokens),
    gpu: gpu !== false,
    kinds: kinds ?? limitableKinds,
    models: models ?? null,
  };
}

type Whole =
  { readonly kind: "ok"; readonly value: number | null } | { readonly kind: "wrong"; readonly error: string };

function parseNumber(typed: string, most: number): Whole {
  const text = typed.trim();
  if (text === "") return { kind: "ok", value: null };
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= most) return { kind: "ok", value };
  return { kind: "wrong", error: `Must be a whole number from 1 to ${formatCount(most)}.` };
}
