import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { Card } from "../../ui/Card.tsx";
import { admin } from "../data/api.ts";
import { useAct, useSession } from "../data/session-context.ts";
import { DevicesTable } from "./DevicesTable.tsx";

export function DevicesPage(): ReactNode {
  const session = useSession();
  const devices = useQuery(admin.devices, { session });
  const retire = useAct(admin.retireDevice);
  const reinstate = useAct(admin.reinstateDevice);
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
