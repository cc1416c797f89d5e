import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { useRoute } from "../shell/route.ts";
import { FleetList } from "./FleetList.tsx";
import { OldestVersion } from "./OldestVersion.tsx";
import { OwnDevices } from "./OwnDevices.tsx";
import { DevicePage } from "./page/DevicePage.tsx";
import { PendingDevices } from "./PendingDevices.tsx";
import { GroupRules } from "./rules/GroupRules.tsx";
import { useDeviceActions } from "./useDeviceActions.tsx";

/** The fleet, or one device of it: the address tells. A donor sees their own devices. */
export function DevicesPage(): ReactNode {
  const { id } = useRoute();
  const seesAll = useScope("devices.read") === "all";
  if (id !== null) return <DevicePage key={id} deviceId={id} />;
  return seesAll ? <Fleet /> : <OwnDevices />;
}

function Fleet(): ReactNode {
  const session = useSession();
  const seesEnrollment = useScope("enrollment.read") !== null;
  const mayApprove = useScope("enrollment.change") !== null;
  const { actions, dialog } = useDeviceActions();
  return (
    <>
      {mayApprove ? <Arrivals /> : null}
      <Card flush>
        <FleetList actions={actions} />
        {dialog}
        {seesEnrollment ? <RequiredVersion session={session} /> : null}
      </Card>
      <GroupRules />
    </>
  );
}

function Arrivals(): ReactNode {
  const session = useSession();
  const pending = useQuery(api.console.devices.pending, { session });
  const approve = useAct(api.console.devices.approve);
  const refuse = useAct(api.console.devices.refuse);
  return (
    <PendingDevices
      devices={pending ?? []}
      onApprove={({ deviceId, name }) => void approve({ deviceId }, `${name} was approved.`)}
      onRefuse={({ deviceId, name }) => void refuse({ deviceId }, `${name} was refused.`)}
    />
  );
}

function RequiredVersion({ session }: { readonly session: string }): ReactNode {
  const oldest = useQuery(api.console.devices.oldestVersion, { session });
  const counts = useQuery(api.console.devices.counts, { session });
  const setOldest = useAct(api.console.devices.setOldestVersion);
  const mayChange = useScope("devices.change") !== null;
  return oldest === undefined ? null : (
    <OldestVersion
      oldest={oldest}
      outdated={counts?.states.outdated ?? 0}
      versions={counts?.facets.filter(({ of }) => of === "version") ?? null}
      onSet={
        mayChange
          ? (version) =>
              void setOldest({ version }, () => ({
                words: `Devices need Gleaner ${version} or newer to get jobs.`,
                undo: () =>
                  void setOldest({ version: oldest }, `Devices need Gleaner ${oldest} or newer again.`),
              }))
          : null
      }
    />
  );
}
