import type { ReactNode } from "react";
import { Confirm } from "../../../ui/overlays/Confirm.tsx";
import { RowAction } from "../../../ui/RowAction.tsx";
import type { DeviceRow } from "../../data/rows.ts";

type OnDevice = (device: DeviceRow) => void;

export type DeviceActions = {
  /** Null for those who may not change devices. */
  readonly change: Readonly<
    Record<"retire" | "reinstate" | "label" | "limit" | "resume" | "release", OnDevice>
  > | null;
  /** Null for those who may not pause devices. */
  readonly pause: Readonly<Record<"ask" | "end", OnDevice>> | null;
  /** Null for those who may not hand devices over. */
  readonly handOver: OnDevice | null;
};

type ButtonsProps = {
  readonly device: DeviceRow;
  readonly actions: DeviceActions;
  /** Asks first. */
  readonly onRetire: OnDevice;
};

/** The acts that a device's present state allows. */
export function DeviceButtons({
  device,
  actions: { change, pause, handOver },
  onRetire,
}: ButtonsProps): ReactNode {
  const { name, status } = device;
  if (status === "pending") return null;
  if (status === "retired") {
    return change === null ? null : (
      <RowAction verb="Reinstate" object={name} look="plain" onClick={() => change.reinstate(device)} />
    );
  }
  return (
    <>
      {change === null ? null : (
        <>
          <RowAction verb="Edit groups" object={`of ${name}`} onClick={() => change.label(device)} />
          <RowAction verb="Edit limits" object={`of ${name}`} onClick={() => change.limit(device)} />
        </>
      )}
      {handOver === null ? null : (
        <RowAction verb="Hand over" object={name} onClick={() => handOver(device)} />
      )}
      {pause === null ? null : device.requestedPause === null ? (
        <RowAction verb="Pause" object={name} onClick={() => pause.ask(device)} />
      ) : (
        <RowAction verb="End pause" object={`of ${name}`} look="plain" onClick={() => pause.end(device)} />
      )}
      {change === null ? null : <RowAction verb="Retire" object={name} onClick={() => onRetire(device)} />}
      {change === null || device.pause === null ? null : (
        <RowAction verb="Resume" object={name} look="plain" onClick={() => change.resume(device)} />
      )}
    </>
  );
}

type RetireProps = {
  readonly device: DeviceRow;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

export function RetireDialog({ device, onConfirm, onClose }: RetireProps): ReactNode {
  return (
    <Confirm title={`Retire ${device.name}?`} action="Retire" danger onConfirm={onConfirm} onClose={onClose}>
      It gets no more jobs, and its current job goes back to the queue. It keeps its earnings. You can
      reinstate it at any time.
    </Confirm>
  );
}
