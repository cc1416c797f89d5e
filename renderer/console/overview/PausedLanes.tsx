import type { ReactNode } from "react";
import { laneName } from "../../../app/format/lane.ts";
import { countedSum, countedWords } from "../../../app/statistics/counted.ts";
import { Banner } from "../../ui/Banner.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import type { LaneRow } from "../data/rows.ts";
import { hrefOf } from "../shell/route.ts";

const shown = 3;

/** The lanes that are paused or draining, by whom and since when. Nothing while all lanes are open. */
export function PausedLanes({ lanes }: { readonly lanes: readonly LaneRow[] }): ReactNode {
  const closed = lanes.filter(({ state }) => state !== "open");
  if (closed.length === 0) return null;
  return (
    <div className="grid gap-px overflow-hidden rounded-lg">
      {closed.slice(0, shown).map((lane) => (
        <Banner key={lane.laneId} tone="hold">
          <strong className="font-medium">{laneName(lane)}</strong> {stateWords(lane)}
          {lane.stateAt === null ? null : (
            <>
              {" ("}
              <RelativeTime at={lane.stateAt} />
              {")"}
            </>
          )}
          {". "}
          {`Queued jobs: ${countedWords(countedSum(lane.ready, lane.waiting))}.`}{" "}
          <a href={hrefOf("queue")} className="font-medium underline underline-offset-2">
            Show lanes
          </a>
        </Banner>
      ))}
      {closed.length > shown ? (
        <Banner tone="hold">{closed.length - shown} more lanes are not open.</Banner>
      ) : null}
    </div>
  );
}

function stateWords({ state, stateBy }: LaneRow): string {
  if (stateBy === null) return state === "paused" ? "is paused" : "is draining";
  return state === "paused" ? `is paused by ${stateBy}` : `is draining, asked by ${stateBy}`;
}
