import { type ReactNode, useState } from "react";
import { columnCredits } from "../../../../app/money/credits.ts";
import { useNow } from "../../../ui/clock.ts";
import { Empty } from "../../../ui/Empty.tsx";
import { actionColumn } from "../../../ui/RowAction.tsx";
import { type Column, Table } from "../../../ui/Table.tsx";
import type { DeviceRow } from "../../data/rows.ts";
import type { DeviceLine } from "../useDeviceLines.ts";
import type { Selecting } from "./cells.tsx";
import { type ColumnKey, usualColumns } from "./column-keys.ts";
import { columnsFor } from "./columns.tsx";
import { type DeviceActions, DeviceRowButtons, RetireDialog } from "./DeviceButtons.tsx";

type Props = {
  readonly devices: readonly DeviceLine[] | undefined;
  readonly actions?: DeviceActions;
  /** Whether the member may create an enrollment code. */
  readonly mayEnroll?: boolean;
  readonly columns?: readonly ColumnKey[];
  /** Leaves out what only the devices page has room for. */
  readonly compact?: boolean;
  readonly selecting?: Selecting;
  /** Shown if there are no rows. Absent: how devices join. */
  readonly empty?: ReactNode;
};

const compactColumns: readonly ColumnKey[] = ["name", "activity", "since", "jobsNow", "earned"];

export function DevicesTable({
  devices,
  actions,
  mayEnroll = true,
  compact = false,
  columns = compact ? compactColumns : usualColumns,
  selecting,
  empty,
}: Props): ReactNode {
  const [retiring, setRetiring] = useState<DeviceRow | null>(null);
  const credits = columnCredits((devices ?? []).map(({ live }) => live?.earnedMicro ?? null));
  const shown = columnsFor({ shown: columns, now: useNow(), compact, selecting, credits });
  return (
    <>
      <Table
        label="Devices"
        columns={actions === undefined ? shown : [...shown, actionsOf(actions, setRetiring)]}
        rows={devices}
        keyOf={({ listed }) => listed.deviceId}
        empty={
          empty ?? (
            <Empty
              title="No devices yet"
              action={
                mayEnroll ? (
                  <a href="#/codes" className="font-medium text-accent underline underline-offset-2">
                    Create an enrollment code
                  </a>
                ) : null
              }
            >
              A laptop joins when its user enters an enrollment code in Gleaner's window.
            </Empty>
          )
        }
      />
      {retiring === null ? null : (
        <RetireDialog
          device={retiring}
          onConfirm={() => actions?.change?.retire(retiring)}
          onClose={() => setRetiring(null)}
        />
      )}
    </>
  );
}

function actionsOf(actions: DeviceActions, onRetire: (device: DeviceRow) => void): Column<DeviceLine> {
  return actionColumn("w-max", ({ live }) =>
    live === undefined ? null : <DeviceRowButtons device={live} actions={actions} onRetire={onRetire} />,
  );
}
