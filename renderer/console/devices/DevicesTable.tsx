import { type ReactNode, useState } from "react";
import { limitWords } from "../../../app/devices/limits.ts";
import { platformWords } from "../../../app/format/platform.ts";
import { formatMebibytes, plural } from "../../../app/format/quantity.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { Badge } from "../../ui/Badge.tsx";
import { useNow } from "../../ui/clock.ts";
import { Empty } from "../../ui/Empty.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { Tooltip } from "../../ui/overlays/Tooltip.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { DeviceRow, ListedDevice } from "../data/rows.ts";
import { hrefOf } from "../shell/route.ts";
import { describeDevice } from "./describe-device.ts";
import { deviceSpeeds, originWords } from "./device-details.ts";
import { stateTone, stateWords } from "./state-words.ts";

/** A device as the list has it, and what it does now. The latter comes from a query of its own; undefined while it loads. */
export type DeviceLine = { readonly listed: ListedDevice; readonly live: DeviceRow | undefined };

type OnDevice = (device: DeviceRow) => void;

export type DeviceActions = {
  /** Null for those who may not change devices. */
  readonly change: Readonly<Record<"retire" | "reinstate" | "label" | "limit" | "resume", OnDevice>> | null;
  /** Null for those who may not pause devices. */
  readonly pause: Readonly<Record<"ask" | "end", OnDevice>> | null;
  /** Null for those who may not hand devices over. */
  readonly handOver: OnDevice | null;
};

/** The device's groups, tags and data classes. */
export function Labels({ device: { groups, tags, dataClasses } }: { readonly device: DeviceRow }): ReactNode {
  if (groups.length + tags.length + dataClasses.length === 0) return null;
  return (
    <div className="mt-1 flex max-w-38 flex-wrap gap-1 2xl:max-w-72">
      {[...new Set([...groups, ...tags])].map((group) => (
        <Badge key={`group ${group}`} tone="quiet">
          {group}
        </Badge>
      ))}
      {dataClasses.map((dataClass) => (
        <Badge key={`data ${dataClass}`} tone="hold">
          {dataClass}
        </Badge>
      ))}
    </div>
  );
}

export function offerOf(able: DeviceRow["capabilities"]): string {
  if (able === null) return "nothing yet";
  const memory = able.memoryMb === undefined ? [] : [formatMebibytes(able.memoryMb)];
  const atOnce =
    able.concurrency === undefined ? [] : [plural(able.concurrency, "job at once", "jobs at once")];
  const vram = able.vramMb ?? 0;
  const gpu = vram > 0 ? [`GPU with ${formatMebibytes(vram)} free`] : able.gpu === true ? ["GPU"] : [];
  return [...memory, ...gpu, ...atOnce].join(", ");
}

type Selecting = {
  readonly isSelected: (deviceId: string) => boolean;
  readonly onSelect: (deviceId: string, selected: boolean) => void;
};

type Props = {
  readonly devices: readonly DeviceLine[] | undefined;
  readonly actions?: DeviceActions;
  /** Whether the member may create an enrollment code. */
  readonly mayEnroll?: boolean;
  /** Hides the columns that only the devices page has room for. */
  readonly compact?: boolean;
  /** Lets rows be chosen. */
  readonly selecting?: Selecting;
  /** Shown if there are no rows. Absent: how devices join. */
  readonly empty?: ReactNode;
};

export function DevicesTable({
  devices,
  actions,
  mayEnroll = true,
  compact = false,
  selecting,
  empty,
}: Props): ReactNode {
  const [retiring, setRetiring] = useState<DeviceRow | null>(null);
  const all = columnsOf(compact, useNow(), selecting);
  const hidden = compact ? ["capabilities", "groups", "enrolled"] : [];
  const shown = all.filter(({ key }) => !hidden.includes(key));
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

/** Keeps the row's height while its own query loads. */
function Live({
  device,
  children,
}: {
  readonly device: DeviceRow | undefined;
  readonly children: (device: DeviceRow) => ReactNode;
}): ReactNode {
  return device === undefined ? <span className="text-faint">…</span> : children(device);
}

const columnsOf = (
  compact: boolean,
  now: number,
  selecting: Selecting | undefined,
): readonly Column<DeviceLine>[] => [
  {
    key: "name",
    title: "Device",
    cell: ({ listed, live }) => (
      <div className="flex min-w-38 gap-2.5 wrap-anywhere">
        {selecting === undefined ? null : <SelectBox listed={listed} selecting={selecting} />}
        <div className="min-w-0">
          <a
            href={hrefOf("devices", listed.deviceId)}
            className="line-clamp-2 font-medium hover:underline"
            title={listed.name}
          >
            {listed.name}
          </a>
          <p className="line-clamp-1 text-xs text-muted">
            {platformWords(live?.platform ?? listed.platform)}
            {listed.version === "" ? "" : `, ${listed.version}`}
          </p>
          {live === undefined || live.owner === null ? null : (
            <p className="line-clamp-1 text-xs text-muted">Of {live.owner.name}</p>
          )}
        </div>
      </div>
    ),
  },
  {
    key: "activity",
    title: "Activity",
    width: "w-44 2xl:w-96",
    cell: ({ listed, live }) => {
      if (live === undefined)
        return (
          <Badge tone={stateTone[listed.state]} dot>
            {stateWords[listed.state]}
          </Badge>
        );
      const words = describeDevice(live, now);
      return (
        <div className="min-w-40">
          <Tooltip text={words.sentence}>
            <span tabIndex={0} className="rounded-full">
              <Badge tone={words.tone} dot busy={live.online && live.jobsNow > 0}>
                {words.short}
              </Badge>
            </span>
          </Tooltip>
          {compact || (live.status !== "paused" && live.status !== "outdated") ? null : (
            <p className="mt-1 max-w-56 text-xs text-muted 2xl:max-w-96">{words.sentence}</p>
          )}
        </div>
      );
    },
  },
  {
    key: "since",
    title: "Since",
    width: "w-24",
    // The time since it went offline, or since its current activity began.
    cell: ({ listed, live }) => (
      <RelativeTime
        at={live === undefined ? listed.changedAt : live.online ? live.since : live.lastChangeAt}
      />
    ),
  },
  {
    key: "groups",
    title: "Groups",
    cell: ({ live }) => <Live device={live}>{(device) => <Labels device={device} />}</Live>,
  },
  {
    key: "capabilities",
    title: "Offers",
    cell: ({ live }) => <Live device={live}>{(device) => <Offer device={device} />}</Live>,
  },
  {
    key: "jobsNow",
    title: "Jobs now",
    align: "right",
    width: "w-20",
    cell: ({ live }) => <Live device={live}>{({ jobsNow }) => jobsNow}</Live>,
  },
  {
    key: "earned",
    title: "Earned",
    align: "right",
    width: "w-28",
    cell: ({ live }) => (
      <Live device={live}>
        {({ earnedMicro }) => (earnedMicro === null ? "–" : formatCredits(earnedMicro))}
      </Live>
    ),
  },
  {
    key: "enrolled",
    title: "Enrolled",
    width: "w-28",
    cell: ({ listed, live }) => (
      <div className="max-w-44">
        <RelativeTime at={listed.enrolledAt} />
        {live === undefined ? null : (
          <p className="line-clamp-2 text-xs text-muted" title={originWords(live)}>
            {originWords(live)}
          </p>
        )}
      </div>
    ),
  },
];

function SelectBox({
  listed: { deviceId, name },
  selecting: { isSelected, onSelect },
}: Pick<DeviceLine, "listed"> & { readonly selecting: Selecting }): ReactNode {
  return (
    <input
      type="checkbox"
      aria-label={`Select ${name}`}
      checked={isSelected(deviceId)}
      className="mt-0.5 block size-4 shrink-0 accent-accent"
      onChange={({ target }) => onSelect(deviceId, target.checked)}
    />
  );
}

function Offer({ device }: { readonly device: DeviceRow }): ReactNode {
  const speeds = deviceSpeeds(device);
  return (
    <div className="min-w-40">
      <p>{offerOf(device.capabilities)}</p>
      {speeds.length > 0 ? (
        speeds.map(({ modelId, words }) => (
          // In a narrow column the speed goes below the model, as a whole.
          <p key={modelId} className="text-xs text-muted">
            <span className="inline-block max-w-full wrap-anywhere">{modelId}</span>{" "}
            <span className="inline-block">{words}</span>
          </p>
        ))
      ) : (
        <p className="max-w-52 truncate text-xs text-muted">
          {device.capabilities?.models?.join(", ") || "no model yet"}
        </p>
      )}
      {device.limits === null ? null : (
        <p className="max-w-64 text-xs text-hold wrap-anywhere">
          Limited: {limitWords(device.limits).join("; ")}
        </p>
      )}
    </div>
  );
}

function actionsOf(actions: DeviceActions, retire: OnDevice): Column<DeviceLine> {
  return actionColumn("w-37 2xl:w-56", ({ live }) =>
    live === undefined ? null : (
      // A row has no room for every act. A pause begins on the device's page, or with the selected rows.
      <DeviceButtons
        device={live}
        actions={live.requestedPause === null ? { ...actions, pause: null } : actions}
        onRetire={retire}
      />
    ),
  );
}

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
