import { formatCount, formatMebibytes, plural } from "../format/quantity.ts";
import { workKinds } from "../jobs/work.ts";

/** The kinds of jobs that a device can be limited to. */
export const limitableKinds = workKinds;
type Kind = (typeof limitableKinds)[number];

/** The limits that an organization sets for a device. A missing field allows everything that the device offers. */
export type DeviceLimits = {
  readonly kinds?: Kind[];
  readonly models?: string[];
  /** The largest context that counts, in tokens. */
  readonly contextTokens?: number;
  /** False: the device gets no jobs that require a GPU. */
  readonly gpu?: boolean;
  /** The most memory that counts, in MiB. */
  readonly memoryMb?: number;
  /** The most jobs at once, in reserve or running. */
  readonly maxConcurrentJobs?: number;
};

/** `memoryMb`: 1 TiB. More jobs at once than these are never given to a device. */
export const limitBounds = {
  models: 32,
  contextTokens: 10_000_000,
  memoryMb: 1_048_576,
  maxConcurrentJobs: 16,
};

/** The limits in a few words each: "2 jobs at once", "no model". Empty without limits. */
export function limitWords({
  kinds,
  models,
  gpu,
  memoryMb,
  contextTokens,
  maxConcurrentJobs,
}: DeviceLimits): readonly string[] {
  return [
    ...(maxConcurrentJobs === undefined
      ? []
      : [plural(maxConcurrentJobs, ["# job at once", "# jobs at once"])]),
    ...(kinds === undefined ? [] : [kinds.length === 0 ? "no kind of job" : `only ${kinds.join(", ")} jobs`]),
    ...(models === undefined ? [] : [models.length === 0 ? "no model" : `only ${models.join(", ")}`]),
    ...(memoryMb === undefined ? [] : [`${formatMebibytes(memoryMb)} of memory`]),
    ...(contextTokens === undefined ? [] : [`${formatCount(contextTokens)} tokens of context`]),
    ...(gpu === false ? ["no jobs that need a GPU"] : []),
  ];
}

/** Whether the limits allow the model. */
export function allowsModel({ models }: DeviceLimits, modelId: string): boolean {
  return models === undefined || models.includes(modelId);
}
