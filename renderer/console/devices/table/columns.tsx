import type { ReactNode } from "react";
import { platformWords } from "../../../../app/format/platform.ts";
import { formatMebibytes } from "../../../../app/format/quantity.ts";
import { RelativeTime } from "../../../ui/RelativeTime.tsx";
import type { Column } from "../../../ui/Table.tsx";
import type { DeviceRow } from "../../data/rows.ts";
import { OwnerWords } from "../../owners/OwnerWords.tsx";
import { versionWords } from "../describe-device.ts";
import type { DeviceLine } from "../useDeviceLines.ts";
import { ActivityCell, Enrolled, gpuWords, Labels, NameCell, Offer, type Selecting } from "./cells.tsx";
import { type ColumnKey, columnTitles } from "./column-keys.ts";

type Context = {
  /** The keys of the columns that are shown, this one among them. */
  readonly shown: readonly ColumnKey[];
  readonly now: number;
  /** Leaves out what only the devices page has room for. */
  readonly compact: boolean;
  readonly selecting: Selecting | undefined;
  /** Formats the amounts of the column Earned. */
  readonly credits: (micro: bigint) => string;
};

type Entry = Pick<Column<DeviceLine>, "align" | "width"> & {
  readonly cell: (line: DeviceLine, context: Context) => ReactNode;
};

/** A cell that shows "…" while the device's own query loads. It keeps the row's height. */
const live =
  (cell: (device: DeviceRow, context: Context) => ReactNode): Entry["cell"] =>
  ({ live: device }, context) =>
    device === undefined ? <span className="text-faint">…</span> : cell(device, context);

/** All columns of the table of devices. */
const entries: Readonly<Record<ColumnKey, Entry>> = {
  name: { cell: (line, { shown, selecting }) => <NameCell {...line} shown={shown} selecting={selecting} /> },
  activity: {
    width: "w-44 2xl:w-96",
    cell: (line, { now, compact }) => <ActivityCell {...line} now={now} compact={compact} />,
  },
  since: {
    width: "w-20",
    // The time since it went offline, or since its current activity began.
    cell: ({ listed, live: device }) => (
      <RelativeTime
        at={device === undefined ? listed.changedAt : device.online ? device.since : device.lastChangeAt}
      />
    ),
  },
  groups: { cell: live((device) => <Labels device={device} />) },
  system: {
    width: "w-32",
    cell: ({ listed, live: device }) => platformWords(device?.platform ?? listed.platform),
  },
  version: {
    width: "w-24",
    cell: ({ listed, live: device }) => versionWords(listed.version, device) || "–",
  },
  owner: { cell: live(({ owner }) => <OwnerWords owner={owner} />) },
  capabilities: {
    width: "w-64",
    cell: live((device) => <Offer device={device} />),
  },
  memory: {
    width: "w-24",
    cell: live(({ capabilities }) =>
      capabilities?.memoryMb === undefined ? (
        "–"
      ) : (
        <span className="whitespace-nowrap">{formatMebibytes(capabilities.memoryMb)}</span>
      ),
    ),
  },
  gpu: { cell: live(({ capabilities }) => <p className="min-w-24">{gpuWords(capabilities)}</p>) },
  models: {
    cell: live(({ capabilities }) => (
      <p className="min-w-32 wrap-anywhere">{capabilities?.models?.join(", ") || "–"}</p>
    )),
  },
  jobsNow: { align: "right", width: "w-20", cell: live(({ jobsNow }) => jobsNow) },
  earned: {
    align: "right",
    width: "w-20",
    cell: live(({ earnedMicro }, { credits }) => (earnedMicro === null ? "–" : credits(earnedMicro))),
  },
  enrolled: { width: "w-28", cell: (line) => <Enrolled {...line} /> },
};

/** The chosen columns for the table. */
export function columnsFor(context: Context): readonly Column<DeviceLine>[] {
  return context.shown.map((key) => ({
    ...entries[key],
    key,
    title: columnTitles[key],
    cell: (line: DeviceLine) => entries[key].cell(line, context),
  }));
}
