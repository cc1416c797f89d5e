import type { ReactNode } from "react";
import type { Explanation } from "../../../app/contract/explanation.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import type { RuleName } from "../../../app/policy/rules.ts";
import { Card } from "../../ui/Card.tsx";
import { useFromNow } from "../../ui/clock.ts";
import { Empty } from "../../ui/Empty.tsx";
import { Comfort } from "../comfort/Comfort.tsx";
import { NoAnswer } from "../state/NoAnswer.tsx";
import { useAnswer } from "../state/use-answer.ts";
import { SpanTable } from "./SpanTable.tsx";
import { Timeline } from "./Timeline.tsx";
import { isRecorded, weekOf, weekStart } from "./week.ts";
import { WeekSummary } from "./WeekSummary.tsx";

type Props = {
  readonly snapshot: DonorSnapshot;
  /** Shows a rule among the settings. */
  readonly onRule: (name: RuleName) => void;
};

const renewMs = 5 * 60_000;

/** When this computer donated in the last seven days, when not, and why. */
export function Why({ snapshot, onRule }: Props): ReactNode {
  const since = useFromNow(weekStart);
  const round = useFromNow((now) => Math.floor(now / renewMs));
  const answer = useAnswer("explain", { since }, `${String(snapshot.activity.since)} ${String(round)}`);
  if (answer.kind !== "answered")
    return <NoAnswer answer={answer} title="The journal cannot be shown" rows={7} />;
  const { comfort, rules } = snapshot;
  return (
    <div className="grid gap-3">
      <WhyView explanation={answer.value} snapshot={snapshot} onRule={onRule} />
      {comfort === undefined ? null : <Comfort comfort={comfort} rules={rules} />}
    </div>
  );
}

/** The page with its answer. */
export function WhyView({
  explanation,
  snapshot,
  onRule,
}: Props & { readonly explanation: Explanation }): ReactNode {
  if (!isRecorded(explanation.spans)) {
    return (
      <Card>
        <Empty title="Nothing recorded yet">
          Each of the last seven days appears here as a bar: when this computer donated, when it did not, and
          why.
        </Empty>
      </Card>
    );
  }
  const week = weekOf(explanation);
  return (
    <div className="grid gap-3">
      <Card title="The last seven days">
        <Timeline week={week} />
        <SpanTable week={week} />
      </Card>
      <WeekSummary explanation={explanation} snapshot={snapshot} onRule={onRule} />
    </div>
  );
}
