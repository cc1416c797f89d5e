import { useQueries } from "convex/react";
import { useMemo } from "react";
import { api } from "../../../convex/_generated/api.js";
import type { DeviceRow, ListedDevice } from "../data/rows.ts";
import { useSession } from "../data/session-context.ts";

/** A device as the list has it, and what it does now. The latter comes from a query of its own; undefined while it loads. */
export type DeviceLine = { readonly listed: ListedDevice; readonly live: DeviceRow | undefined };

/** Watches each listed device by a query of its own, so that a device's change is sent for that device only. */
export function useDeviceLines(
  listed: readonly ListedDevice[] | undefined,
): readonly DeviceLine[] | undefined {
  const session = useSession();
  const ids = (listed ?? []).map(({ deviceId }) => deviceId).join(" ");
  const queries = useMemo(
    () =>
      Object.fromEntries(
        ids
          .split(" ")
          .filter((deviceId) => deviceId !== "")
          .map((deviceId) => [deviceId, { query: api.console.devices.get, args: { session, deviceId } }]),
      ),
    [ids, session],
  );
  const answers: Readonly<Record<string, DeviceRow | Error | undefined>> = useQueries(queries);
  return listed?.map((device) => {
    const answer = answers[device.deviceId];
    return { listed: device, live: answer instanceof Error ? undefined : answer };
  });
}
