import { type ReactNode, useMemo } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { ChartCard } from "../../ui/charts/ChartCard.tsx";
import type { JobCurve, JobDetail } from "../data/rows.ts";
import { tokenCurve } from "./token-curve.ts";

type Props = {
  readonly job: JobDetail;
  /** Null without a stored stream. */
  readonly stream: JobCurve | null;
};

/** The tokens of an answer over time. */
export function TokenChart({ job, stream }: Props): ReactNode {
  const curve = useMemo(() => tokenCurve(job, stream), [job, stream]);
  const lines = useMemo(
    () =>
      curve === null
        ? undefined
        : ([
            {
              label: curve.unit === "tokens" ? "Tokens" : "Bytes of text",
              color: "accent",
              values: curve.values,
            },
          ] as const),
    [curve],
  );
  if (curve === null) return null;
  return (
    <ChartCard
      title={curve.unit === "tokens" ? "Tokens over time" : "Text over time"}
      times={curve.times}
      lines={lines}
      format={formatCount}
      note={curve.method}
    />
  );
}
