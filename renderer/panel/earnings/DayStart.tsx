import type { ReactNode } from "react";
import { formatClock, startOfDay } from "../../../app/format/time.ts";
import { spans } from "../../../app/statistics/spans.ts";
import { useNow } from "../../ui/clock.ts";

/** When the days of the accounts begin here: they are those of UTC. Nothing where that is midnight. */
export function DayStart(): ReactNode {
  const now = useNow();
  const start = now - (now % spans.day);
  return startOfDay(start) === start ? null : (
    <>Days begin at {formatClock(start)} here, at the same moment as in your organization’s accounts.</>
  );
}
