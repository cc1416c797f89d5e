import type { ReactNode } from "react";
import { platformWords } from "../../../app/format/platform.ts";
import { Card } from "../../ui/Card.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { ArrivalRow } from "../data/rows.ts";
import { originWords } from "./device-details.ts";

type Props = {
  readonly devices: readonly ArrivalRow[];
  readonly onApprove: (device: ArrivalRow) => void;
  readonly onRefuse: (device: ArrivalRow) => void;
};

/** The devices that wait for approval. Shows nothing without any. */
export function PendingDevices({ devices, onApprove, onRefuse }: Props): ReactNode {
  if (devices.length === 0) return null;
  return (
    <Card flush title="Waiting for your approval">
      <p className="border-b border-line px-4 py-2 text-xs text-muted">
        Until you approve them, these devices get no jobs, no models and no rules. Check with the person that
        the name and the address are theirs.
      </p>
      <Table
        label="Devices that wait for approval"
        columns={[...columns, actionsOf(onApprove, onRefuse)]}
        rows={devices}
        keyOf={(device) => device.deviceId}
        empty={null}
      />
      {devices.length < mostListed ? null : (
        <p className="border-t border-line px-4 py-2.5 text-xs text-muted">
          These are the first {mostListed}. Others appear when you have decided about them.
        </p>
      )}
    </Card>
  );
}

/** The backend lists no more. */
const mostListed = 100;

const columns: readonly Column<ArrivalRow>[] = [
  {
    key: "name",
    title: "Device",
    cell: (device) => (
      <div className="min-w-36 wrap-anywhere">
        <p className="line-clamp-2 font-medium" title={device.name}>
          {device.name}
        </p>
        <p className="line-clamp-1 text-xs text-muted">{platformWords(device.platform)}</p>
      </div>
    ),
  },
  {
    key: "origin",
    title: "Joined",
    cell: (device) => (
      <p className="line-clamp-3 min-w-40 wrap-anywhere" title={originWords(device)}>
        {originWords(device)}
      </p>
    ),
  },
  {
    key: "since",
    title: "Since",
    width: "w-28",
    cell: (device) => <RelativeTime at={device.enrolledAt} />,
  },
];

function actionsOf(
  onApprove: (device: ArrivalRow) => void,
  onRefuse: (device: ArrivalRow) => void,
): Column<ArrivalRow> {
  return actionColumn("w-36", (device) => (
    <>
      <RowAction verb="Refuse" object={device.name} onClick={() => onRefuse(device)} />
      <RowAction verb="Approve" object={device.name} look="plain" onClick={() => onApprove(device)} />
    </>
  ));
}
