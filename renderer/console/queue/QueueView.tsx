import type { ReactNode } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { Card } from "../../ui/Card.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import type { BatchRow, LaneRow, QueueStats } from "../data/rows.ts";
import { Figures } from "../overview/Tiles.tsx";
import { BatchesTable } from "./BatchesTable.tsx";
import type { LaneState } from "./lane-words.ts";
import { LanesTable } from "./LanesTable.tsx";

type Props = {
  readonly stats: QueueStats | undefined;
  readonly batches: readonly BatchRow[];
  readonly onState: (lane: LaneRow, state: LaneState) => void;
};

export function QueueView({ stats, batches, onState }: Props): ReactNode {
  return (
    <div className="grid gap-4">
      <Figures busy={stats === undefined} figures={figuresOf(stats)} />
      <Card
        flush
        title="Lanes"
        aside={<p className="text-xs text-muted">Counts are at most a minute old.</p>}
      >
        {stats === undefined ? <SkeletonRows /> : <LanesTable lanes={stats.lanes} onState={onState} />}
      </Card>
      {batches.length === 0 ? null : (
        <Card flush title="Batches">
          <BatchesTable batches={batches} />
        </Card>
      )}
    </div>
  );
}

/** Dashes fill the places while figures load, so that nothing moves. */
function figuresOf(stats: QueueStats | undefined) {
  const count = (value: number | undefined): string => (value === undefined ? "–" : formatCount(value));
  const unserved = stats !== undefined && stats.ready > 0 && stats.workers.accepting === 0;
  return [
    {
      label: "Devices taking jobs",
      value: count(stats?.workers.accepting),
      note: stats === undefined ? " " : `of ${formatCount(stats.workers.online)} online`,
      tone: unserved ? ("hold" as const) : null,
    },
    { label: "Ready", value: count(stats?.ready), note: "for a device", tone: null },
    { label: "Waiting", value: count(stats?.waiting), note: "for their time or turn", tone: null },
    { label: "Running", value: count(stats?.running), note: "on a device now", tone: null },
  ];
}
