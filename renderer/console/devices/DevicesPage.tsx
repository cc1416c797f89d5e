import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import type { DeviceRow } from "../data/rows.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { HandOver } from "../people/HandOver.tsx";
import { DeviceLabels } from "./DeviceLabels.tsx";
import { DeviceLimits } from "./DeviceLimits.tsx";
import { DevicesTable } from "./DevicesTable.tsx";
import { OldestVersion } from "./OldestVersion.tsx";
import { PendingDevices } from "./PendingDevices.tsx";

export function DevicesPage(): ReactNode {
  const session = useSession();
  const devices = useQuery(api.console.devices.list, { session });
  const count = useQuery(api.console.devices.count, { session });
  const retire = useAct(api.console.devices.retire);
  const reinstate = useAct(api.console.devices.reinstate);
  const pending = useQuery(api.console.devices.pending, { session });
  const approve = useAct(api.console.devices.approve);
  const refuse = useAct(api.console.devices.refuse);
  const oldest = useQuery(api.console.devices.oldestVersion, { session });
  const setOldest = useAct(api.console.devices.setOldestVersion);
  const resume = useAct(api.console.devices.resume);
  const label = useAct(api.console.devices.label);
  const limit = useAct(api.console.devices.limit);
  const models = useQuery(api.console.models.list, { session });
  const setOwner = useAct(api.console.devices.setOwner);
  const mayHandOver = useScope("devices.hand-over") !== null;
  const [handed, setHanded] = useState<DeviceRow | null>(null);
  const [limited, setLimited] = useState<DeviceRow | null>(null);
  const [labeled, setLabeled] = useState<DeviceRow | null>(null);
  const others = devices?.filter(({ status }) => status !== "pending");
  return (
    <>
      <PendingDevices
        devices={pending ?? []}
        onApprove={({ deviceId, name }) => void approve({ deviceId }, `${name} was approved.`)}
        onRefuse={({ deviceId, name }) => void refuse({ deviceId }, `${name} was refused.`)}
      />
      <Card flush>
        {/* Devices that wait for approval are shown above. Without others there is nothing to list. */}
        {others?.length === 0 && devices?.length !== 0 ? null : (
          <DevicesTable
            devices={others}
            actions={{
              retire: ({ deviceId, name }) => void retire({ deviceId }, `${name} was retired.`),
              reinstate: ({ deviceId, name }) => void reinstate({ deviceId }, `${name} was reinstated.`),
              label: setLabeled,
              limit: setLimited,
              handOver: mayHandOver ? setHanded : null,
              resume: ({ deviceId, name }) => void resume({ deviceId }, `${name} was resumed.`),
            }}
          />
        )}
        {handed === null ? null : (
          <HandOver
            name={handed.name}
            owner={handed.owner}
            onSave={(owner) =>
              setOwner({ deviceId: handed.deviceId, owner }, `${handed.name} was handed over.`)
            }
            onClose={() => setHanded(null)}
          />
        )}
        {labeled === null ? null : (
          <DeviceLabels
            device={labeled}
            onSave={(labels) =>
              void label(
                { deviceId: labeled.deviceId, ...labels },
                `The groups of ${labeled.name} were saved.`,
              )
            }
            onClose={() => setLabeled(null)}
          />
        )}
        {limited === null || models === undefined ? null : (
          <DeviceLimits
            device={limited}
            modelIds={models.map(({ modelId }) => modelId)}
            onSave={(limits) =>
              void limit({ deviceId: limited.deviceId, limits }, `The limits of ${limited.name} were saved.`)
            }
            onClose={() => setLimited(null)}
          />
        )}
        {count !== undefined && count.total > count.listed ? (
          <p className="border-t border-line px-4 py-2.5 text-xs text-muted">
            Showing {formatCount(count.listed)} of {formatCount(count.total)} devices, online devices first.
          </p>
        ) : null}
        {oldest === undefined ? null : (
          <OldestVersion
            oldest={oldest}
            outdated={devices?.filter(({ status }) => status === "outdated").length ?? 0}
            onSet={(version) =>
              void setOldest({ version }, `Devices need Gleaner ${version} or newer to get jobs.`)
            }
          />
        )}
      </Card>
    </>
  );
}
