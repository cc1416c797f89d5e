import type { ReactNode } from "react";
import type { CaseRow } from "../data/rows.ts";
import { hrefOf } from "../shell/route.ts";

/** The name of a device, which leads to its page. */
export function DeviceLink({ device }: { readonly device: CaseRow["device"] }): ReactNode {
  return (
    <a href={hrefOf("devices", device.deviceId)} className="font-medium text-accent hover:underline">
      {device.name === "" ? "a former device" : device.name}
    </a>
  );
}
