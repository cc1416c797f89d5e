import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { Card } from "../../ui/Card.tsx";
import { api } from "../../../convex/_generated/api.js";
import { useAct, useSession } from "../data/session-context.ts";
import { DevicesTable } from "./DevicesTable.tsx";

export function DevicesPage(): ReactNode {
  const session = useSession();
  const devices = useQuery(api.admin.devices, { session });
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
    </Card>
  );
}
