import { useQuery } from "convex/react";
import { type ReactNode, useMemo } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { api } from "../../../convex/_generated/api.js";
import type { Line } from "../../ui/charts/Chart.tsx";
import { ChartCard } from "../../ui/charts/ChartCard.tsx";
import type { DepthSample } from "../data/rows.ts";
import { useSession } from "../data/session-context.ts";
import type { By, StatisticsRange } from "../statistics/subject-words.ts";

type Props = {
  readonly by: Exclude<By, "device">;
  /** Undefined: all jobs. "": all others. */
  readonly subject: string | undefined;
  readonly range: StatisticsRange;
  readonly until: number;
};

/** The jobs that had not ended, over time. Samples are kept for eight days, so a month shows its last week. */
export function DepthChart({ by, subject, range, until }: Props): ReactNode {
  const session = useSession();
  const samples = useQuery(api.console.queue.depths, {
    session,
    by: subject === undefined ? "all" : by,
    subject: subject ?? "",
    range: range === "month" ? "week" : range,
    until,
  });
  const title = range === "month" ? "Queue depth (last 7 days)" : "Queue depth";
  return <DepthView title={title} samples={samples} />;
}

type ViewProps = { readonly title: string; readonly samples: readonly DepthSample[] | undefined };

export function DepthView({ title, samples }: ViewProps): ReactNode {
  const chart = useMemo(() => {
    if (samples === undefined) return null;
    const lines: readonly Line[] = [
      { label: "Ready", color: "hold", values: samples.map(({ ready }) => ready) },
      { label: "Waiting", color: "rest", values: samples.map(({ waiting }) => waiting) },
      { label: "Running", color: "accent", values: samples.map(({ running }) => running) },
    ];
    return { times: samples.map(({ at }) => at), lines };
  }, [samples]);
  return <ChartCard title={title} times={chart?.times} lines={chart?.lines} format={formatCount} />;
}
