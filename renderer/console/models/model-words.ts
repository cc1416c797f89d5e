import { formatBytes, formatCount, formatTenths } from "../../../app/format/quantity.ts";
import { waitWords } from "../../../app/models/wait-reasons.ts";
import type { ModelDeviceRow, ModelRow } from "../data/rows.ts";

type DeviceModel = ModelDeviceRow["model"];

/** Explains what a model waits for. An unknown reason is shown as it is. */
export function whyWords(why: string): string {
  return (waitWords as Readonly<Record<string, string>>)[why] ?? why;
}

/** The number of devices with the model and of devices that reported it. */
function fleetOf({ fleet }: Pick<ModelRow, "fleet">): {
  readonly ready: number;
  readonly all: number;
} {
  const { ready, downloading, waiting, verifying, missing, corrupt } = fleet;
  return { ready, all: ready + downloading + waiting + verifying + missing + corrupt };
}

/** "3 of 12 ready". Of a large fleet only the number of ready devices is known. Null: no device has reported the model. */
export function readyWords(model: Pick<ModelRow, "fleet">): string | null {
  const { ready, all } = fleetOf(model);
  if (all === 0) return null;
  return model.fleet.of === null
    ? `${formatCount(ready)} of ${formatCount(all)} ready`
    : `${formatCount(ready)} ready`;
}

/**
 * The fleet in a line, e.g. "1 downloading, 2 waiting". Ready devices are shown elsewhere. Of a large fleet it says how many
 * devices were looked at.
 */
export function restOfFleet({ fleet }: Pick<ModelRow, "fleet">): string {
  const counts = [
    [fleet.downloading, /* @wc-include */ "downloading"],
    [fleet.waiting, /* @wc-include */ "waiting"],
    [fleet.verifying, /* @wc-include */ "checking"],
    [fleet.missing, "not downloaded"],
    [fleet.corrupt, /* @wc-include */ "damaged"],
  ] as const;
  const rest = counts
    .flatMap(([count, words]) => (count === 0 ? [] : [`${formatCount(count)} ${words}`]))
    .join(", ");
  return rest === "" || fleet.of === null ? rest : `Of the first ${formatCount(fleet.of)} devices: ${rest}`;
}

/** The share of the fleet's copies that exists, 0 to 1. Partial copies count in part. Null: the fleet is too large to know. */
export function fleetShare(model: Pick<ModelRow, "fleet" | "sizeBytes">): number | null {
  const { ready, all } = fleetOf(model);
  if (model.fleet.of !== null) return null;
  if (all === 0) return 0;
  return Math.min(1, (ready + model.fleet.downloadedBytes / model.sizeBytes) / all);
}

/** A download's progress, e.g. "1.2 GB of 2.5 GB". Null at the start and at the end. */
export function progressOf({ downloadedBytes = 0, state }: DeviceModel, sizeBytes: number): string | null {
  if (state === "ready" || downloadedBytes === 0) return null;
  return `${formatBytes(downloadedBytes)} of ${formatBytes(sizeBytes)}`;
}

/** Measured tokens per second, e.g. "420 / 38 tok/s": reading / writing. */
export function speedWords(prefill: number | null, generate: number | null): string | null {
  if (prefill === null || generate === null) return null;
  return `${rounded(prefill)} / ${rounded(generate)} tok/s`;
}

function rounded(value: number): string {
  return value < 10 ? formatTenths(value) : formatCount(value);
}
