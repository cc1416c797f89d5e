import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import type { OrganizationSettings } from "../../../app/queue-settings.ts";
import { type Counted, countedWords } from "../../../app/statistics/counted.ts";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { type LaneState, laneStateWords } from "../data/lane-words.ts";
import type { LaneRow, QueueStats } from "../data/rows.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { Figures } from "../overview/Tiles.tsx";
import { LanesTable } from "./LanesTable.tsx";
import { QueueCharts } from "./QueueCharts.tsx";
import { QueueSettings } from "./QueueSettings.tsx";

export function QueuePage(): ReactNode {
  const session = useSession();
  const stats = useQuery(api.console.queue.stats, { session });
  const setState = useAct(api.console.queue.setLaneState);
  const mayChange = useScope("queue.change") !== null;
  return (
    <QueueView
      stats={stats}
      onState={
        mayChange
          ? ({ laneId, state: before }, state) =>
              void setState({ laneId, state }, () => ({
                words: laneStateWords[state].done,
                undo: () => void setState({ laneId, state: before }, laneStateWords[before].done),
              }))
          : null
      }
      charts={<QueueCharts />}
      limits={<Limits mayChange={mayChange} />}
    />
  );
}

function Limits({ mayChange }: { readonly mayChange: boolean }): ReactNode {
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
      onSave={mayChange ? (values) => save(values, "The limits are saved.") : null}
      onUndo={(values) => save(values, "The former limits are back.")}
    />
  );
}

type Props = {
  readonly stats: QueueStats | undefined;
  readonly onState: ((lane: LaneRow, state: LaneState) => void) | null;
  /** Waits and throughput over time. */
  readonly charts: ReactNode;
  /** The card of the organization's limits. */
  readonly limits: ReactNode;
};

export function QueueView({ stats, onState, charts, limits }: Props): ReactNode {
  return (
    <div className="grid gap-4">
      <Figures busy={stats === undefined} figures={figuresOf(stats)} />
      <Card flush title="Lanes" aside={<CountedAt lanes={stats?.lanes ?? []} />}>
        <p className="border-b border-line px-4 py-2 text-xs text-muted">
          Jobs with the same requirements wait together in a lane. A paused lane starts no job, and a draining
          one takes no new request.
        </p>
        <LanesTable lanes={stats?.lanes} onState={onState} />
      </Card>
      {charts}
      {limits}
    </div>
  );
}

/** Expected waits are estimated once a minute, and jobs beyond some hundred are counted then. All other numbers are live. */
function CountedAt({ lanes }: { readonly lanes: readonly LaneRow[] }): ReactNode {
  const times = lanes.flatMap(({ waits, countedAt }) => (waits === null ? [] : (countedAt ?? [])));
  if (times.length === 0) return null;
  const at = Math.min(...times);
  const isExact = lanes.every(({ ready, waiting, running }) => ready.exact && waiting.exact && running.exact);
  return (
    <span className="text-xs text-muted">
      {isExact ? (
        <>
          Expected waits estimated <RelativeTime at={at} />
        </>
      ) : (
        <>
          Expected waits and numbers with “about” estimated <RelativeTime at={at} />
        </>
      )}
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
