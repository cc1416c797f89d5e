import { type ReactNode, useState } from "react";
import { limitWords } from "../../../app/devices/limits.ts";
import { platformWords } from "../../../app/format/platform.ts";
import { formatCount, formatMebibytes, plural } from "../../../app/format/quantity.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { Badge } from "../../ui/Badge.tsx";
import { useNow } from "../../ui/clock.ts";
import { Empty } from "../../ui/Empty.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { Tooltip } from "../../ui/overlays/Tooltip.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { DeviceRow } from "../data/rows.ts";
import { OwnerWords } from "../people/OwnerWords.tsx";
import { describeDevice } from "./describe-device.ts";
import { deviceSpeeds, originWords, unknownWords } from "./device-details.ts";

type OnDevice = (device: DeviceRow) => void;

type DeviceActions = {
  readonly retire: OnDevice;
  readonly reinstate: OnDevice;
  readonly label: OnDevice;
  readonly limit: OnDevice;
  readonly resume: OnDevice;
  /** Null for those who may not hand devices over. */
  readonly handOver: OnDevice | null;
};

/** The device's groups, tags and data classes. */
function Labels({ device: { groups, tags, dataClasses } }: { readonly device: DeviceRow }): ReactNode {
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

const fewFacts = 3;

/** The facts that the device cannot measure. A longer list is shown on hover and on focus. */
function UnknownFacts({ facts }: { readonly facts: readonly string[] }): ReactNode {
  if (facts.length === 0) return null;
  const shown = facts.length <= fewFacts + 1 ? facts : facts.slice(0, fewFacts);
  const rest = facts.length - shown.length;
  const words = (
    <p className="mt-1 max-w-56 text-xs text-muted 2xl:max-w-96" tabIndex={rest === 0 ? undefined : 0}>
      Unknown: {unknownWords(shown)}
      {rest === 0 ? "" : ` and ${formatCount(rest)} more`}
    </p>
  );
  return rest === 0 ? words : <Tooltip text={`Unknown: ${unknownWords(facts)}`}>{words}</Tooltip>;
}

function offerOf(able: DeviceRow["capabilities"]): string {
  if (able === null) return "nothing yet";
  const memory = able.memoryMb === undefined ? [] : [formatMebibytes(able.memoryMb)];
  const atOnce =
    able.concurrency === undefined ? [] : [plural(able.concurrency, "job at once", "jobs at once")];
  const vram = able.vramMb ?? 0;
  const gpu = vram > 0 ? [`GPU with ${formatMebibytes(vram)} free`] : able.gpu === true ? ["GPU"] : [];
  return [...memory, ...gpu, ...atOnce].join(", ");
}

type Props = {
  readonly devices: readonly DeviceRow[] | undefined;
  readonly actions?: DeviceActions;
  /** Hides the columns that only the devices page has room for. */
  readonly compact?: boolean;
};

export function DevicesTable({ devices, actions, compact = false }: Props): ReactNode {
  const [retiring, setRetiring] = useState<DeviceRow | null>(null);
  const all = columnsOf(compact, useNow());
  const shown = compact ? all.filter(({ key }) => key !== "capabilities" && key !== "owner") : all;
  return (
    <>
      <Table
        label="Devices"
        columns={actions === undefined ? shown : [...shown, actionsOf(actions, setRetiring)]}
        rows={devices}
        keyOf={(device) => device.deviceId}
        empty={
          <Empty
            title="No devices yet"
            action={
              <a href="#/codes" className="font-medium text-accent underline underline-offset-2">
                Create an enrollment code
              </a>
            }
          >
            A laptop joins when its user enters an enrollment code in Gleaner's window.
          </Empty>
        }
      />
      {retiring === null ? null : (
        <Confirm
          title={`Retire ${retiring.name}?`}
          action="Retire"
          danger
          onConfirm={() => actions?.retire(retiring)}
          onClose={() => setRetiring(null)}
        >
          It gets no more jobs, and its current job goes back to the queue. It keeps its earnings. You can
          reinstate it at any time.
        </Confirm>
      )}
    </>
  );
}

const columnsOf = (compact: boolean, now: number): readonly Column<DeviceRow>[] => [
  {
    key: "name",
    title: "Device",
    cell: (device) => (
      <div className="min-w-38 wrap-anywhere">
        <p className="line-clamp-2 font-medium" title={device.name}>
          {device.name}
        </p>
        <p className="line-clamp-1 text-xs text-muted">
          {platformWords(device.platform)}
          {device.version === null ? "" : `, ${device.version}`}
        </p>
        {compact || originWords(device) === "" ? null : (
          <p className="line-clamp-3 text-xs text-muted" title={originWords(device)}>
            {originWords(device)}, <RelativeTime at={device.enrolledAt} />
          </p>
        )}
        <Labels device={device} />
      </div>
    ),
  },
  {
    key: "activity",
    title: "Activity",
    width: "w-44 2xl:w-96",
    cell: (device) => {
      const words = describeDevice(device, now);
      const unknown = device.online && device.status === "active" ? device.unknownFacts : null;
      return (
        <div className="min-w-40">
          <Tooltip text={words.sentence}>
            <span tabIndex={0} className="rounded-full">
              <Badge tone={words.tone} dot busy={device.online && device.jobsNow > 0}>
                {words.short}
              </Badge>
            </span>
          </Tooltip>
          <p className="mt-1 text-xs text-muted">
            {/* The time since it went offline, or since its current activity began. */}
            <RelativeTime at={device.online ? device.since : device.lastChangeAt} />
          </p>
          {compact || (device.status !== "paused" && device.status !== "outdated") ? null : (
            <p className="mt-1 max-w-56 text-xs text-muted 2xl:max-w-96">{words.sentence}</p>
          )}
          {compact ? null : <UnknownFacts facts={unknown ?? []} />}
        </div>
      );
    },
  },
  { key: "owner", title: "Owner", cell: ({ owner }) => <OwnerWords owner={owner} /> },
  {
    key: "capabilities",
    title: "Offers",
    cell: (device) => {
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
    },
  },
  { key: "jobsNow", title: "Jobs now", align: "right", width: "w-20", cell: (device) => device.jobsNow },
  {
    key: "earned",
    title: "Earned",
    align: "right",
    width: "w-28",
    cell: ({ earnedMicro }) => (earnedMicro === null ? "–" : formatCredits(earnedMicro)),
  },
];

function actionsOf(actions: DeviceActions, retire: OnDevice): Column<DeviceRow> {
  const { handOver } = actions;
  return actionColumn("w-42 2xl:w-76", (device) =>
    device.status === "pending" ? null : device.status !== "retired" ? (
      <>
        <RowAction verb="Edit groups" object={`of ${device.name}`} onClick={() => actions.label(device)} />
        <RowAction verb="Edit limits" object={`of ${device.name}`} onClick={() => actions.limit(device)} />
        {handOver === null ? null : (
          <RowAction verb="Hand over" object={device.name} onClick={() => handOver(device)} />
        )}
        <RowAction verb="Retire" object={device.name} onClick={() => retire(device)} />
        {device.pause === null ? null : (
          <RowAction verb="Resume" object={device.name} look="plain" onClick={() => actions.resume(device)} />
        )}
      </>
    ) : (
      <RowAction
        verb="Reinstate"
        object={device.name}
        look="plain"
        onClick={() => actions.reinstate(device)}
      />
    ),
  );
}
