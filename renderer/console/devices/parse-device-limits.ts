import { type DeviceLimits, limitBounds } from "../../../app/devices/limits.ts";
import { formatCount } from "../../../app/format/quantity.ts";

const mebibytesPerGibibyte = 1_024;

/** What an admin has typed and chosen. An empty text means no limit. */
export type TypedLimits = {
  readonly jobs: string;
  readonly gibibytes: string;
  readonly gpu: boolean;
  /** Null: all models. */
  readonly models: string[] | null;
};

type Parsed =
  | { readonly kind: "ok"; readonly limits: DeviceLimits }
  /** The error of each field. Null if it is valid. */
  | { readonly kind: "wrong"; readonly jobs: string | null; readonly gibibytes: string | null };

export function parseDeviceLimits({ jobs, gibibytes, gpu, models }: TypedLimits): Parsed {
  const atOnce = parseNumber(jobs, limitBounds.maxConcurrentJobs);
  const memory = parseNumber(gibibytes, limitBounds.memoryMb / mebibytesPerGibibyte);
  if (atOnce.kind === "wrong" || memory.kind === "wrong") {
    return {
      kind: "wrong",
      jobs: atOnce.kind === "wrong" ? atOnce.error : null,
      gibibytes: memory.kind === "wrong" ? memory.error : null,
    };
  }
  return {
    kind: "ok",
    limits: {
      ...(models === null ? {} : { models }),
      ...(gpu ? {} : { gpu }),
      ...(memory.value === null ? {} : { memoryMb: memory.value * mebibytesPerGibibyte }),
      ...(atOnce.value === null ? {} : { maxConcurrentJobs: atOnce.value }),
    },
  };
}

/** The limits as the dialog shows them. */
export function typedLimits({ models, gpu, memoryMb, maxConcurrentJobs }: DeviceLimits): TypedLimits {
  return {
    jobs: maxConcurrentJobs === undefined ? "" : String(maxConcurrentJobs),
    gibibytes: memoryMb === undefined ? "" : String(Math.max(1, Math.round(memoryMb / mebibytesPerGibibyte))),
    gpu: gpu !== false,
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
