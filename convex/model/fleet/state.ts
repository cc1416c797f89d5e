import type { Infer } from "convex/values";
import type { DeviceState } from "../../../app/statistics/metrics.ts";
import { isOlder } from "../../../app/versions.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { serviceStatus } from "../validators/devices.ts";

/** Fields that are undefined are removed. */
export type ServiceChange = {
  readonly status?: Doc<"devices">["status"];
  readonly pause?: Doc<"devices">["pause"] | undefined;
  readonly requestedPause?: Doc<"devices">["requestedPause"] | undefined;
  readonly needsVersion?: string | undefined;
  readonly judgedFrom?: number;
};

/** A device's standing in its organization: the first reason why it gets no jobs, or active. */
export function serviceStatusOf({
  status,
  pause,
  requestedPause,
  needsVersion,
}: Pick<Doc<"devices">, "status"> & ServiceChange): Infer<typeof serviceStatus> {
  if (status !== "active") return status;
  if (pause !== undefined) return "paused";
  // A device that still finishes its jobs goes on until they are done.
  if (requestedPause !== undefined && !requestedPause.finishing) return "paused";
  return needsVersion === undefined ? "active" : "outdated";
}

/** The state that a device is counted and listed by. A device that gets no jobs may still report that it donates. */
export function deviceStateOf(device: Doc<"devices">, online: boolean): DeviceState {
  const service = serviceStatusOf(device);
  if (service !== "active") return service;
  if (!online) return "offline";
  return device.activity?.kind === "donating" ? "donating" : "standby";
}

/** The version that did not work on a device, while its program is older than that. Null: none. */
export function rolledBackOf(
  { rolledBackVersion }: Pick<Doc<"devices">, "rolledBackVersion">,
  version: string | null,
): string | null {
  if (rolledBackVersion === undefined || version === null) return null;
  return isOlder(version, rolledBackVersion) ? rolledBackVersion : null;
}
