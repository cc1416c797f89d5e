import { formatBytes, plural } from "../format/quantity.ts";
import { type DeviceNeeds, gpuTags, mebibytesOf } from "../keys/requirements.ts";
import type { Work } from "./work.ts";

/** A device that was silent for longer is not expected back soon: longer than a weekend with holidays. ms. */
export const awayMs = 7 * 24 * 3_600_000;

/** A device as the queue knows it, online or not. */
export type KnownDevice = {
  /** False while it is paused, retired, outdated, or waits for approval. */
  readonly inService: boolean;
  readonly online: boolean;
  /** The time at which it was last online, if it is not; ms epoch. */
  readonly lastSeenAt: number;
  readonly groups: readonly string[];
  readonly tags: readonly string[];
  readonly dataClasses: readonly string[];
  /** The kinds of jobs that it does and may do; null: it has not reported any capabilities yet. */
  readonly kinds: readonly string[] | null;
  /** The models that it has; null: it has not reported any capabilities yet. */
  readonly models: readonly string[] | null;
  /** Only these may run there. Null: any. */
  readonly allowedModels: readonly string[] | null;
  readonly memoryMb: number | null;
  /** Whether it has a GPU, or may have one. */
  readonly gpu: boolean;
  /** Whether a GPU there has memory of its own, of unknown size: other programs may use it now. */
  readonly gpuMemory: boolean;
};

/** The needs of a job. `modelBytes`: the size of its model's file. */
export type WantedDevice = {
  readonly modelId: string;
  readonly modelBytes: number;
  readonly kind: Work["kind"];
  readonly needs: DeviceNeeds;
};

/**
 * Whether a device could answer a job. `able`: it has the model or can get it, and is online or was lately: at night it only
 * sleeps. The others tell why not.
 */
export type Chance = "able" | "away" | "too-small" | "other-kinds" | "unmatched" | "out-of-service";

export function chanceOf(device: KnownDevice, wanted: WantedDevice, now: number): Chance {
  if (!device.inService) return "out-of-service";
  if (!meets(device, wanted.needs)) return "unmatched";
  if (device.kinds?.includes(wanted.kind) === false) return "other-kinds";
  if (!mayHoldModel(device, wanted)) return "too-small";
  return isAway(device, now) ? "away" : "able";
}

/** Groups, tags and data classes are the organization's. A GPU and memory may still be reported. */
function meets(device: KnownDevice, needs: DeviceNeeds): boolean {
  const { groups = [], tags = [], dataClass, gpu = false, memoryGb = 0, vramGb = 0 } = needs;
  return (
    (groups.length === 0 || groups.some((group) => device.groups.includes(group))) &&
    tags.every((tag) => device.tags.includes(tag)) &&
    (dataClass === undefined || device.dataClasses.includes(dataClass)) &&
    ((!gpu && vramGb === 0) || device.gpu) &&
    (device.memoryMb ?? Infinity) >= mebibytesOf(memoryGb)
  );
}

/** A device that has the model runs it. Any other may get it, if its memory holds the file; a GPU may have memory of its own. */
function mayHoldModel(
  { models, allowedModels, memoryMb, gpuMemory }: KnownDevice,
  { modelId, modelBytes }: WantedDevice,
): boolean {
  if (allowedModels !== null && !allowedModels.includes(modelId)) return false;
  if (models?.includes(modelId) === true || memoryMb === null || gpuMemory) return true;
  return memoryMb * 2 ** 20 >= modelBytes;
}

/** A device's report about its GPU. */
type GpuReport = { readonly gpu?: boolean; readonly vramMb?: number; readonly tags?: readonly string[] };

/** The GPU of a device, by its last report. Null, or without a word about it: it may have one. */
export function gpuOf(report: GpuReport | null): Pick<KnownDevice, "gpu" | "gpuMemory"> {
  const { gpu = true, vramMb = 0, tags = [] } = report ?? {};
  // Other GPUs use the computer's memory, unless they report some of their own.
  const gpuMemory = vramMb > 0 || tags.includes("backend:cuda");
  return { gpu: gpu || gpuMemory || tags.some((tag) => gpuTags.includes(tag)), gpuMemory };
}

/** The devices of an organization by their chance. `awayMs`: how long the last of those that are away is away. */
export type Chances = Readonly<Record<Chance, number>> & { readonly awayMs: number };

export const noChances: Chances = {
  able: 0,
  away: 0,
  "too-small": 0,
  "other-kinds": 0,
  unmatched: 0,
  "out-of-service": 0,
  awayMs: Infinity,
};

/** Counts one more device. */
export function withDevice(
  chances: Chances,
  device: KnownDevice,
  wanted: WantedDevice,
  now: number,
): Chances {
  const chance = chanceOf(device, wanted, now);
  const away = chance === "away" ? Math.min(chances.awayMs, now - device.lastSeenAt) : chances.awayMs;
  return { ...chances, [chance]: chances[chance] + 1, awayMs: away };
}

/**
 * The share of devices that could answer a job, of those in service that are online or were lately. Null: no device is.
 * @param isWhole whether these are all devices. Else another one may still be able.
 */
export function ableShare(
  devices: readonly KnownDevice[],
  wanted: WantedDevice,
  now: number,
  isWhole: boolean,
): number | null {
  const present = devices.filter(({ inService, ...device }) => inService && !isAway(device, now));
  if (present.length === 0) return null;
  const able = present.filter((device) => chanceOf(device, wanted, now) === "able").length;
  return Math.max(able, isWhole ? 0 : 1) / present.length;
}

function isAway({ online, lastSeenAt }: Pick<KnownDevice, "online" | "lastSeenAt">, now: number): boolean {
  return !online && now - lastSeenAt > awayMs;
}

/**
 * Decides whether a call that waits for its answer is refused at once: if none of the organization's devices could answer it.
 * @returns why, and who could. Null: a device could, so the call waits.
 */
export function refusalWords(chances: Chances, { modelId, modelBytes }: WantedDevice): string | null {
  if (chances.able > 0) return null;
  const { away, unmatched, "too-small": small, "other-kinds": unable, "out-of-service": out } = chances;
  const days = plural(Math.floor(chances.awayMs / (24 * 3_600_000)), ["# day", "# days"]);
  const others = [
    ...(away === 0
      ? []
      : [
          `${plural(away, ["# device could, but has", "# devices could, but have"])} not been online for ${days}`,
        ]),
    ...(out === 0
      ? []
      : [`${plural(out, ["# device is", "# devices are"])} paused, retired, outdated or not approved yet`]),
    ...(small === 0
      ? []
      : [
          `${plural(small, ["# device has", "# devices have"])} too little memory for a model of ${formatBytes(modelBytes)}, ` +
            "or may not run it",
        ]),
    ...(unable === 0
      ? []
      : [
          `${plural(unable, ["# device does", "# devices do"])} no jobs of this kind, by an older version or by a limit`,
        ]),
    ...(unmatched === 0
      ? []
      : [`${plural(unmatched, ["# device does", "# devices do"])} not meet the requirements`]),
  ];
  const found = others.length === 0 ? "It has no devices" : others.join("; ");
  return (
    `No device of your organization could answer a request for ${modelId}. ${found}. Ask your administrator, or send the ` +
    "request with Prefer: respond-async: then it waits for a device."
  );
}
