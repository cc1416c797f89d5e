import type { FunctionReturnType } from "convex/server";
import { api } from "../_generated/api.js";
import type { Backend } from "./backend.fixture.ts";

type DeviceRow = FunctionReturnType<typeof api.console.devices.get>;

/** All devices that a member may see, in the order of their enrollment. */
export async function listDevices(t: Backend, session: string): Promise<DeviceRow[]> {
  const rows: DeviceRow[] = [];
  let cursor: string | null = null;
  for (;;) {
    const page: FunctionReturnType<typeof api.console.devices.list> = await t.query(
      api.console.devices.list,
      { session, order: "enrolled", paginationOpts: { numItems: 50, cursor } },
    );
    for (const { deviceId } of page.page)
      rows.push(await t.query(api.console.devices.get, { session, deviceId }));
    if (page.isDone) return rows;
    cursor = page.continueCursor;
  }
}
