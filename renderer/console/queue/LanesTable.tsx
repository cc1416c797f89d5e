import type { ReactNode } from "react";
import { laneName, laneNeeds } from "../../../app/format/lane.ts";
import { formatDuration } from "../../../app/format/time.ts";
import { countedWords } from "../../../app/statistics/counted.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import { laneChange, type LaneState, laneStateWords } from "../data/lane-words.ts";
import type { LaneRow } from "../data/rows.ts";
import { useFilter } from "../shell/route.ts";

type Props = {
  readonly lanes: readonly LaneRow[] | undefined;
  /** Null for those who may not change lanes. */
  readonly onState: ((lane: LaneRow, state: LaneState) => void) | null;
};

type Closing = { readonly lane: LaneRow; readonly state: "paused" | "draining" };

/** The value of the filter "open" that asks whether to pause or drain a lane. A link and the palette can open it. */
export function closingFilter(laneId: string, state: Closing["state"]): string {
  return `${state} ${laneId}`;
}

export function LanesTable({ lanes, onState }: Props): ReactNode {
  const [opened, setOpened] = useFilter("open");
  const closing = closingOf(lanes ?? [], opened);
  const setClosing = (next: Closing | null): void =>
    setOpened(next === null ? "" : closingFilter(next.lane.laneId, next.state));
  return (
    <>
      <Table
        label="Lanes"
        columns={onState === null ? base : [...base, actionsOf(onState, setClosing)]}
        rows={lanes}
        keyOf={(lane) => lane.laneId}
        empty={
          <Empty title="No lanes yet">
            Jobs with the same requirements share a lane. A model's first job creates one.
          </Empty>
        }
      />
      {closing === null || onState === null ? null : (
        <Confirm
          title={`${closing.state === "paused" ? "Pause" : "Drain"} ${laneName(closing.lane)}?`}
          action={closing.state === "paused" ? "Pause lane" : "Drain lane"}
          onConfirm={() => onState(closing.lane, closing.state)}
          onClose={() => setClosing(null)}
        >
          <ul className="grid list-disc gap-1 pl-4">
            {laneChange(closing.lane, closing.state).map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
        </Confirm>
      )}
    </>
  );
}

function closingOf(lanes: readonly LaneRow[], opened: string): Closing | null {
  for (const lane of lanes) {
    for (const state of ["paused", "draining"] as const) {
      if (opened === closingFilter(lane.laneId, state)) return { lane, state };
    }
  }
  return null;
}

const count = (key: "ready" | "waiting" | "running", title: string): Column<LaneRow> => ({
  key,
  title,
  align: "right",
  width: "w-24",
  cell: (lane) => <span className="whitespace-nowrap">{countedWords(lane[key])}</span>,
});

const base: readonly Column<LaneRow>[] = [
  {
    key: "name",
    title: "Lane",
    cell: (lane) => (
      <div className="flex min-w-40 flex-wrap items-center gap-1.5">
        <span className="font-medium whitespace-nowrap">{laneName(lane)}</span>
        {laneNeeds(lane).map((need) => (
          <Badge key={need} tone="quiet">
            {need}
          </Badge>
        ))}
      </div>
    ),
  },
  {
    key: "status",
    title: "Status",
    width: "w-36",
    cell: ({ state, stateBy, stateAt }) => (
      <>
        <Badge tone={laneStateWords[state].tone}>{laneStateWords[state].words}</Badge>
        {state === "open" || stateAt === null ? null : (
          <p className="text-xs text-muted">
            by {stateBy ?? "an earlier version"}, <RelativeTime at={stateAt} />
          </p>
        )}
      </>
    ),
  },
  count("ready", "Ready"),
  count("waiting", "Waiting"),
  count("running", "Running"),
  {
    key: "wait",
    title: "Expected wait",
    width: "w-36",
    cell: ({ waits }) => <ExpectedWait waits={waits} />,
  },
  {
    key: "oldest",
    title: "Oldest ready job",
    width: "w-36",
    cell: ({ oldestReadyAt }) =>
      oldestReadyAt === null ? <span className="text-muted">–</span> : <RelativeTime at={oldestReadyAt} />,
  },
];

/** Of a new job, at normal and at low priority. */
function ExpectedWait({ waits }: Pick<LaneRow, "waits">): ReactNode {
  const [, normal, low] = waits ?? [];
  if (normal === undefined || low === undefined) return <span className="text-muted">–</span>;
  return (
    <>
      {waitWords(normal)}
      {low === normal ? null : <div className="text-xs text-muted">low priority: {waitWords(low)}</div>}
    </>
  );
}

/** It is an estimate, so seconds would say too much. */
function waitWords(ms: number): string {
  return ms < 60_000 ? "under 1m" : formatDuration(Math.round(ms / 60_000) * 60_000);
}

function actionsOf(
  onState: NonNullable<Props["onState"]>,
  close: (change: Closing) => void,
): Column<LaneRow> {
  return actionColumn("w-max", (lane) => {
    const name = laneName(lane);
    if (lane.state !== "open") {
      const verb = lane.state === "paused" ? "Resume" : "Reopen";
      return <RowAction verb={verb} object={name} look="plain" onClick={() => onState(lane, "open")} />;
    }
    return (
      <>
        <RowAction verb="Pause" object={name} onClick={() => close({ lane, state: "paused" })} />
        <RowAction verb="Drain" object={name} onClick={() => close({ lane, state: "draining" })} />
      </>
    );
  });
}
