import { useQuery } from "convex/react";
import { usePaginatedQuery } from "convex-helpers/react";
import { type ReactNode, useState } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import type { OrganizationSettings } from "../../../app/queue-settings.ts";
import { type Counted, countedWords } from "../../../app/statistics/counted.ts";
import { api } from "../../../convex/_generated/api.js";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import type { StatusWords } from "../../ui/status-words.ts";
import { type Column, Table } from "../../ui/Table.tsx";
import { type LaneState, laneStateWords } from "../data/lane-words.ts";
import type { BatchRow, LaneRow, QueueStats } from "../data/rows.ts";
import { useAct, useSession } from "../data/session-context.ts";
import { Figures } from "../overview/Tiles.tsx";
import { LanesTable } from "./LanesTable.tsx";
import { QueueCharts } from "./QueueCharts.tsx";
import { QueueSettings } from "./QueueSettings.tsx";

const latest = 10;

export function QueuePage(): ReactNode {
  const session = useSession();
  const stats = useQuery(api.console.queue.stats, { session });
  const batches = usePaginatedQuery(api.console.jobs.batches, { session }, { initialNumItems: latest });
  const setState = useAct(api.console.queue.setLaneState);
  return (
    <QueueView
      stats={stats}
      batches={batches.results}
      onState={({ laneId, state: before }, state) =>
        void setState({ laneId, state }, () => ({
          words: laneStateWords[state].done,
          undo: () => void setState({ laneId, state: before }, laneStateWords[before].done),
        }))
      }
      charts={<QueueCharts />}
      limits={<Limits />}
    />
  );
}

function Limits(): ReactNode {
  const session = useSession();
  const settings = useQuery(api.console.queue.settings, { session });
  const setSettings = useAct(api.console.queue.setSettings);
  const [before, setBefore] = useState<OrganizationSettings | null>(null);
  const [draft, setDraft] = useState<OrganizationSettings | null>(null);
  const reaches = useQuery(api.console.queue.settingsReach, draft === null ? "skip" : { session, ...draft });
  const save = (values: OrganizationSettings, done: string): void =>
    void setSettings(values, (previous) => {
      setBefore(previous);
      return { words: done, undo: () => save(previous, "The former limits are back.") };
    });
  return (
    <QueueSettings
      settings={settings}
      before={before}
      draft={draft}
      reaches={reaches}
      onDraft={setDraft}
      onSave={(values) => save(values, "The limits are saved.")}
      onUndo={(values) => save(values, "The former limits are back.")}
    />
  );
}

type Props = {
  readonly stats: QueueStats | undefined;
  readonly batches: readonly BatchRow[];
  readonly onState: (lane: LaneRow, state: LaneState) => void;
  /** Waits and throughput over time. */
  readonly charts: ReactNode;
  /** The card of the organization's limits. */
  readonly limits: ReactNode;
};

export function QueueView({ stats, batches, onState, charts, limits }: Props): ReactNode {
  return (
    <div className="grid gap-4">
      <Figures busy={stats === undefined} figures={figuresOf(stats)} />
      <Card flush title="Lanes" aside={<CountedAt lanes={stats?.lanes ?? []} />}>
        <LanesTable lanes={stats?.lanes} onState={onState} />
      </Card>
      {charts}
      {batches.length === 0 ? null : (
        <Card flush title="Batches">
          <Table label="Batches" columns={batchColumns} rows={batches} keyOf={({ batchId }) => batchId} />
        </Card>
      )}
      {limits}
    </div>
  );
}

/** Expected waits are estimated once a minute. All other numbers of the lanes are live. */
function CountedAt({ lanes }: { readonly lanes: readonly LaneRow[] }): ReactNode {
  const times = lanes.flatMap(({ waits, countedAt }) => (waits === null ? [] : (countedAt ?? [])));
  if (times.length === 0) return null;
  return (
    <span className="text-xs text-muted">
      Expected waits estimated <RelativeTime at={Math.min(...times)} />
    </span>
  );
}

/** Shows dashes while the figures load, so that nothing moves. */
function figuresOf(stats: QueueStats | undefined) {
  const count = (value: Counted | undefined): string => (value === undefined ? "–" : countedWords(value));
  const unserved = stats !== undefined && stats.ready.count > 0 && stats.workers.accepting === 0;
  return [
    {
      label: "Devices taking jobs",
      value: stats === undefined ? "–" : formatCount(stats.workers.accepting),
      note: stats === undefined ? " " : `of ${formatCount(stats.workers.online)} online`,
      tone: unserved ? ("hold" as const) : null,
    },
    { label: "Ready", value: count(stats?.ready), note: "for a device", tone: null },
    { label: "Waiting", value: count(stats?.waiting), note: "for their time or turn", tone: null },
    { label: "Running", value: count(stats?.running), note: "on a device now", tone: null },
  ];
}

const batchStates: Readonly<Record<BatchRow["status"], StatusWords>> = {
  open: { tone: "hold", words: "Open" },
  sealed: { tone: "good", words: "Running" },
  done: { tone: "quiet", words: "Done" },
};

const batchColumns: readonly Column<BatchRow>[] = [
  {
    key: "name",
    title: "Batch",
    cell: ({ batchId, externalId }) => <span className="font-medium break-all">{externalId ?? batchId}</span>,
  },
  {
    key: "status",
    title: "Status",
    width: "w-28",
    cell: ({ status }) => <Badge tone={batchStates[status].tone}>{batchStates[status].words}</Badge>,
  },
  {
    key: "progress",
    title: "Finished",
    align: "right",
    width: "w-36",
    cell: ({ total, succeeded, failed, canceled, expired }) =>
      `${formatCount(succeeded + failed + canceled + expired)} of ${formatCount(total)}`,
  },
  {
    key: "failed",
    title: "Failed",
    align: "right",
    width: "w-24",
    cell: ({ failed, expired }) => formatCount(failed + expired),
  },
  {
    key: "created",
    title: "Created",
    width: "w-28",
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
];
