import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { Card } from "../../ui/Card.tsx";
import { api } from "../../../convex/_generated/api.js";
import { formatCount } from "../../ui/format/quantity.ts";
import { useAct, useSession } from "../data/session-context.ts";
import { DevicesTable } from "./DevicesTable.tsx";

export function DevicesPage(): ReactNode {
  const session = useSession();
  const devices = useQuery(api.admin.devices, { session });
  const count = useQuery(api.admin.deviceCount, { session });
  const retire = useAct(api.admin.retireDevice);
  const reinstate = useAct(api.admin.reinstateDevice);
  return (
    <Card flush>
      <DevicesTable
        devices={devices}
        actions={{
          retire: ({ deviceId, name }) => void retire({ deviceId }, `${name} is retired.`),
          reinstate: ({ deviceId, name }) => void reinstate({ deviceId }, `${name} is back.`),
        }}
      />
      {count !== undefined && count.total > count.listed ? (
        <p className="border-t border-line px-4 py-2.5 text-xs text-muted">
          {formatCount(count.listed)} of {formatCount(count.total)} devices are shown, those online first.
        </p>
      ) : null}
    </Card>
  );
}
