import { useQuery } from "convex/react";
import { usePaginatedQuery } from "convex-helpers/react";
import type { ReactNode } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import type { BatchRow, LaneRow, QueueStats } from "../data/rows.ts";
import { useAct, useSession } from "../data/session-context.ts";
import { Figures } from "../overview/Tiles.tsx";
import { BatchesTable } from "./BatchesTable.tsx";
import { type LaneState, laneStateWords } from "./lane-words.ts";
import { LanesTable } from "./LanesTable.tsx";

const latest = 10;

export function QueuePage(): ReactNode {
  const session = useSession();
  const stats = useQuery(api.adminQueue.stats, { session });
  const batches = usePaginatedQuery(api.adminQueue.batches, { session }, { initialNumItems: latest });
  const setState = useAct(api.adminQueue.setLaneState);
  return (
    <QueueView
      stats={stats}
      batches={batches.results}
      onState={({ laneId }, state) => void setState({ laneId, state }, laneStateWords[state].done)}
    />
  );
}

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
        aside={<p className="text-xs text-muted">Counts can be up to a minute old.</p>}
      >
        <LanesTable lanes={stats?.lanes} onState={onState} />
      </Card>
      {batches.length === 0 ? null : (
        <Card flush title="Batches">
          <BatchesTable batches={batches} />
        </Card>
      )}
    </div>
  );
}

/** Shows dashes while the figures load, so that nothing moves. */
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
