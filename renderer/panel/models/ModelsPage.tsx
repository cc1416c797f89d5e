import type { ReactNode } from "react";
import type { CallAnswer } from "../../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import type { RuleName } from "../../../app/policy/rules.ts";
import { Card } from "../../ui/Card.tsx";
import { NoAnswer } from "../state/NoAnswer.tsx";
import { useAnswer } from "../state/use-answer.ts";
import { DiskUse } from "./DiskUse.tsx";
import { ListNotes, ListProblem } from "./ListNotes.tsx";
import { modelRows } from "./model-rows.ts";
import { ModelItem } from "./ModelItem.tsx";

type Props = {
  readonly snapshot: DonorSnapshot;
  /** Shows a rule among the settings. */
  readonly onRule: (name: RuleName) => void;
};

/** The models on this computer: their state, their use, and the disk space that they take. */
export function ModelsPage({ snapshot, onRule }: Props): ReactNode {
  const { models, work } = snapshot;
  // The list changes with a state, and its last uses with a job. The snapshot follows the bytes.
  const states = models.map(({ modelId, state, why }) => `${modelId} ${state} ${why?.reason ?? ""}`).join();
  const answer = useAnswer("models", null, `${states} ${work?.attemptId ?? ""}`);
  if (answer.kind !== "answered") return <NoAnswer answer={answer} title="The models cannot be shown" />;
  return <ModelsView answer={answer.value} snapshot={snapshot} onRule={onRule} />;
}

function ModelsView({
  answer,
  snapshot,
  onRule,
}: Props & { readonly answer: CallAnswer<"models"> }): ReactNode {
  const { organization, models, rules, facts } = snapshot;
  const rows = modelRows(answer.models, models);
  return (
    <div className="grid gap-3">
      <DiskUse rows={rows} rules={rules} free={facts.diskFreeMb} onRule={onRule} />
      <Card title="Models">
        <ListProblem
          organization={organization}
          isEmpty={rows.length === 0}
          isProblemShown={snapshot.activity.reason === "no-model"}
        />
        {rows.length === 0 ? null : (
          <ul aria-label="Models" className="divide-y divide-line">
            {rows.map((row) => (
              <ModelItem
                key={row.modelId}
                row={row}
                organization={organization?.name ?? /* @wc-include */ "your organization"}
              />
            ))}
          </ul>
        )}
        <ListNotes organization={organization} />
      </Card>
    </div>
  );
}
