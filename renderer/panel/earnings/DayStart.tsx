import type { ReactNode } from "react";
import { formatClock, startOfDay } from "../../../app/format/time.ts";
import { spans } from "../../../app/statistics/spans.ts";
import { useNow } from "../../ui/clock.ts";

/** The local time at which the days of the accounts begin, which are those of UTC. Nothing if that is midnight. */
export function DayStart(): ReactNode {
  const now = useNow();
  const start = now - (now % spans.day);
  return startOfDay(start) === start ? null : (
    <>Days begin at {formatClock(start)} here, at the same moment as in your organization’s accounts.</>
  );
}
