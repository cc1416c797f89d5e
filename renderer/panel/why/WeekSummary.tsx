import type { ReactNode } from "react";
import type { Explanation } from "../../../app/contract/explanation.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { wordsOf } from "../../../app/contract/span-words.ts";
import { formatHours } from "../../../app/format/time.ts";
import { type RuleName, ruleOf } from "../../../app/policy/rules.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { useAct } from "../state/actions.ts";
import { type Remedy, remedyOf } from "./remedies.ts";

type Props = {
  readonly explanation: Explanation;
  readonly snapshot: DonorSnapshot;
  readonly onRule: (name: RuleName) => void;
};

const most = 3;
/** Less is no reason to change anything. */
const leastMs = 60_000;

/** How long it donated, and the reasons that cost most hours, each with its remedy. */
export function WeekSummary({ explanation, snapshot, onRule }: Props): ReactNode {
  const costly = explanation.totals
    .filter(({ kind, ms }) => kind !== "donating" && kind !== "unknown" && ms >= leastMs)
    .slice(0, most);
  return (
    <Card title="Summary">
      <p>
        This computer donated for <strong>{formatHours(explanation.donatedMs)}</strong>.
      </p>
      {costly.length === 0 ? null : (
        <>
          <p className="mt-2 text-muted">It did not donate mostly for these reasons:</p>
          <ul aria-label="Reasons" className="mt-1 divide-y divide-line">
            {costly.map((total) => {
              const { short, sentence } = wordsOf(total);
              return (
                <li key={`${total.kind} ${total.reason}`} className="grid gap-1 py-2.5 last:pb-0">
                  <p className="flex justify-between gap-3 font-medium">
                    <span>{short}</span>
                    <span>{formatHours(total.ms)}</span>
                  </p>
                  <p className="text-muted">{sentence}</p>
                  <RemedyButton remedy={remedyOf(total, snapshot)} onRule={onRule} />
                </li>
              );
            })}
          </ul>
        </>
      )}
    </Card>
  );
}

type RemedyProps = { readonly remedy: Remedy | null } & Pick<Props, "onRule">;

function RemedyButton({ remedy, onRule }: RemedyProps): ReactNode {
  const act = useAct();
  if (remedy === null) return null;
  if (remedy.kind === "locked") {
    return (
      <p className="text-xs text-muted">Your organization decides about “{ruleOf(remedy.name).title}”.</p>
    );
  }
  return (
    <div>
      {remedy.kind === "resume" ? (
        <Button size="sm" onClick={() => act("resume", null)}>
          Resume
        </Button>
      ) : (
        <Button size="sm" onClick={() => onRule(remedy.name)}>
          Setting “{ruleOf(remedy.name).title}”
        </Button>
      )}
    </div>
  );
}
