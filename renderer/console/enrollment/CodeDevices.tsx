import type { ReactNode } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Dialog, DialogActions } from "../../ui/overlays/Dialog.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { ArrivalRow, CodeDevices as Devices, CodeRow } from "../data/rows.ts";
import { arrivalStatus } from "./code-state.ts";

type Props = {
  readonly code: CodeRow;
  readonly devices: Devices | undefined;
  /** Shows the preview. Null for those who may not retire devices. */
  readonly onRetireAll: (() => void) | null;
  readonly onClose: () => void;
};

/** The devices that a code admitted, with the way to retire all of them. */
export function CodeDevices({ code, devices, onRetireAll, onClose }: Props): ReactNode {
  const remaining = devices === undefined ? 0 : devices.pending + devices.active;
  return (
    <Dialog title={`Devices of ${code.label}`} onClose={onClose}>
      {devices === undefined || devices.devices.length === 0 ? null : (
        <p className="mb-2 text-muted">{summaryOf(devices)}</p>
      )}
      <Table
        label={`Devices of ${code.label}`}
        columns={columns}
        rows={devices?.devices}
        keyOf={(device) => device.deviceId}
        empty={<p className="py-4 text-muted">No device has joined with this code.</p>}
        height="max-h-96"
      />
      <DialogActions>
        <Button ref={focusFirst} onClick={onClose}>
          Close
        </Button>
        {remaining === 0 || onRetireAll === null ? null : (
          <Button look="danger" onClick={onRetireAll}>
            Retire all…
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

/** Gives an element the focus when its dialog opens. Else the list has it, with a frame around all devices. */
function focusFirst(element: HTMLElement | null): void {
  element?.setAttribute("autofocus", "");
}

/** The backend counts to this number. */
const mostCounted = 1_000;

/** "2 wait for approval, 140 in service, 1 retired. Showing 100 of them." */
function summaryOf({ pending, active, retired, devices }: Devices): string {
  const counts = [
    [pending, pending === 1 ? "waits for approval" : "wait for approval"],
    [active, "in service"],
    [retired, /* @wc-include */ "retired"],
  ] as const;
  const words = counts.flatMap(([count, state]) =>
    count === 0
      ? []
      : [
          count >= mostCounted
            ? `${formatCount(mostCounted)} or more ${state}`
            : `${formatCount(count)} ${state}`,
        ],
  );
  const all = `${words.join(", ")}.`;
  const isPart = pending + active + retired > devices.length;
  return isPart ? `${all} Showing ${formatCount(devices.length)} of them.` : all;
}

const columns: readonly Column<ArrivalRow>[] = [
  {
    key: "name",
    title: "Device",
    cell: (device) => (
      <div className="min-w-36 wrap-anywhere">
        <p className="line-clamp-2 font-medium" title={device.name}>
          {device.name}
        </p>
        <p className="text-xs text-muted">{device.enrolledFrom ?? "unknown address"}</p>
      </div>
    ),
  },
  {
    key: "joined",
    title: "Joined",
    width: "w-28",
    cell: (device) => <RelativeTime at={device.enrolledAt} />,
  },
  {
    key: "status",
    title: "Status",
    width: "w-28",
    cell: ({ status }) => <Badge tone={arrivalStatus[status].tone}>{arrivalStatus[status].words}</Badge>,
  },
];
