import { useQueries, useQuery } from "convex/react";
import { usePaginatedQuery } from "convex-helpers/react";
import { type ReactNode, useMemo } from "react";
import { startOfDay } from "../../../../app/format/time.ts";
import { api } from "../../../../convex/_generated/api.js";
import type { Id } from "../../../../convex/_generated/dataModel.js";
import { useFromNow } from "../../../ui/clock.ts";
import { DeviceStanding } from "../../checks/DeviceStanding.tsx";
import { useScope, useSession } from "../../data/session-context.ts";
import { useDeviceActions } from "../useDeviceActions.tsx";
import { type DayEarned, DeviceView } from "./DeviceView.tsx";

const pageSize = 10;
const shownDays = 7;

/** One device: what it is, what it does and did. Each part is a query of its own. */
export function DevicePage({ deviceId: given }: { readonly deviceId: string }): ReactNode {
  const deviceId = given as Id<"devices">;
  const session = useSession();
  const { actions, dialog } = useDeviceActions();
  const seesJobs = useScope("jobs.read") !== null;
  const device = useQuery(api.console.devices.get, { session, deviceId });
  const journal = useQuery(api.console.devices.journal, { session, deviceId });
  const outcomes = useQuery(api.console.devices.outcomes, { session, deviceId });
  const comfort = useQuery(api.console.fleet.comfort.ofDevice, { session, deviceId });
  const ratings = useQuery(api.console.work.ratings.ofDevice, { session, deviceId });
  const attempts = usePaginatedQuery(
    api.console.devices.attempts,
    { session, deviceId },
    { initialNumItems: pageSize },
  );
  const earned = useEarnedByDay(deviceId);
  return (
    <>
      <DeviceView
        device={device}
        journal={journal}
        outcomes={outcomes}
        comfort={comfort}
        ratings={ratings}
        earned={earned}
        standing={<DeviceStanding deviceId={deviceId} />}
        attempts={attempts.status === "LoadingFirstPage" ? undefined : attempts.results}
        linksJobs={seesJobs}
        actions={actions}
        onMore={attempts.status === "CanLoadMore" ? () => attempts.loadMore(pageSize) : null}
        loadingMore={attempts.status === "LoadingMore"}
      />
      {dialog}
    </>
  );
}

/** A query for each of the viewer's days, so that a payout runs only today's again. */
function useEarnedByDay(deviceId: Id<"devices">): readonly DayEarned[] | undefined {
  const session = useSession();
  const today = useFromNow(startOfDay);
  const days = useMemo(() => {
    const starts: { readonly from: number; readonly to: number }[] = [];
    for (let to = today + 24 * 3_600_000; starts.length < shownDays; to = starts[0]?.from ?? 0)
      starts.unshift({ from: starts.length === 0 ? today : startOfDay(to - 1), to });
    return starts;
  }, [today]);
  const queries = useMemo(
    () =>
      Object.fromEntries(
        days.map((day) => [
          String(day.from),
          { query: api.console.devices.earned, args: { session, deviceId, ...day } },
        ]),
      ),
    [days, session, deviceId],
  );
  const answers: Readonly<Record<string, bigint | null | Error | undefined>> = useQueries(queries);
  const found = days.map(({ from }) => ({ startAt: from, micro: answers[String(from)] }));
  if (found.some(({ micro }) => micro === undefined)) return undefined;
  return found.flatMap(({ startAt, micro }) => (typeof micro === "bigint" ? [{ startAt, micro }] : []));
}
