import type { ReactNode } from "react";
import { Confirm } from "../../../ui/overlays/Confirm.tsx";
import { RowAction, type RowActionProps, RowActions } from "../../../ui/RowAction.tsx";
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

/** All acts that a device's present state allows, for a place with room. */
export function DeviceButtons({ device, actions, onRetire }: ButtonsProps): ReactNode {
  return actsOf(device, actions, onRetire).map((act) => <RowAction key={act.verb} {...act} />);
}

/** The same acts for a row: the way out of the device's state is a button, and a menu has the others. */
export function DeviceRowButtons({ device, actions, onRetire }: ButtonsProps): ReactNode {
  const acts = actsOf(device, actions, onRetire);
  const main = acts.find(({ look }) => look === "plain") ?? null;
  return <RowActions row={device.name} main={main} more={acts.filter((act) => act !== main)} />;
}

function actsOf(
  device: DeviceRow,
  { change, pause, handOver }: DeviceActions,
  onRetire: OnDevice,
): readonly RowActionProps[] {
  const { name, status, hasLeft } = device;
  const act = (
    onDevice: OnDevice | undefined | null,
    verb: string,
    object = name,
    look: RowActionProps["look"] = "quiet",
  ): readonly RowActionProps[] =>
    onDevice === undefined || onDevice === null
      ? []
      : [{ verb, object, look, onClick: () => onDevice(device) }];
  if (status === "pending" || hasLeft) return [];
  if (status === "retired") return act(change?.reinstate, "Reinstate", name, "plain");
  return [
    ...act(change?.label, "Edit groups", `of ${name}`),
    ...act(change?.limit, "Edit limits", `of ${name}`),
    ...act(handOver, "Hand over"),
    ...(device.requestedPause === null
      ? act(pause?.ask, "Pause")
      : act(pause?.end, "End pause", `of ${name}`, "plain")),
    ...(change === null ? [] : act(onRetire, "Retire")),
    ...(device.pause === null ? [] : act(change?.resume, "Resume", name, "plain")),
  ];
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
