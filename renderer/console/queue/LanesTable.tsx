import { type ReactNode, useState } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { LaneRow } from "../data/rows.ts";
import { laneName, laneNeeds, type LaneState, laneStateWords } from "./lane-words.ts";

type Props = {
  readonly lanes: readonly LaneRow[];
  readonly onState: (lane: LaneRow, state: LaneState) => void;
};

export function LanesTable({ lanes, onState }: Props): ReactNode {
  const [draining, setDraining] = useState<LaneRow | null>(null);
  if (lanes.length === 0) {
    return (
      <Empty title="No lanes yet">
        Jobs with the same requirements share a lane. A model's first job opens one.
      </Empty>
    );
  }
  return (
    <>
      <Table
        label="Lanes"
        columns={[...base, actionColumn(onState, setDraining)]}
        rows={lanes}
        keyOf={(lane) => lane.laneId}
      />
      <Confirm
        open={draining !== null}
        title={`Drain ${draining === null ? "this lane" : laneName(draining)}?`}
        action="Drain"
        onConfirm={() => {
          if (draining !== null) onState(draining, "draining");
        }}
        onClose={() => setDraining(null)}
      >
        New requests are told to come back later. Jobs in the lane finish. You can open it again at any time.
      </Confirm>
    </>
  );
}

const count = (key: "ready" | "waiting" | "running", title: string): Column<LaneRow> => ({
  key,
  title,
  align: "right",
  width: "w-24",
  cell: (lane) => formatCount(lane[key]),
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
    key: "state",
    title: "State",
    width: "w-28",
    cell: ({ state }) => <Badge tone={laneStateWords[state].tone}>{laneStateWords[state].words}</Badge>,
  },
  count("ready", "Ready"),
  count("waiting", "Waiting"),
  count("running", "Running"),
  {
    key: "oldest",
    title: "Oldest ready",
    width: "w-32",
    cell: ({ oldestReadyAt }) =>
      oldestReadyAt === null ? <span className="text-muted">–</span> : <RelativeTime at={oldestReadyAt} />,
  },
];

function actionColumn(onState: Props["onState"], drain: (lane: LaneRow) => void): Column<LaneRow> {
  return {
    key: "actions",
    title: "",
    align: "right",
    width: "w-40",
    cell: (lane) => {
      const name = laneName(lane);
      if (lane.state !== "open") {
        return (
          <Button size="sm" aria-label={`Open ${name}`} onClick={() => onState(lane, "open")}>
            {lane.state === "paused" ? "Resume" : "Open again"}
          </Button>
        );
      }
      return (
        <span className="inline-flex gap-1">
          <Button size="sm" look="quiet" aria-label={`Pause ${name}`} onClick={() => onState(lane, "paused")}>
            Pause
          </Button>
          <Button size="sm" look="quiet" aria-label={`Drain ${name}`} onClick={() => drain(lane)}>
            Drain
          </Button>
        </span>
      );
    },
  };
}
