import { type ReactNode, useState } from "react";
import type { ModelTokens } from "../../../app/statistics/model-tokens.ts";
import type { Work } from "../../../app/usage/comparison.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { comparisonLines } from "../../ui/usage/comparison-lines.ts";
import type { UsageFactsRow } from "../data/rows.ts";
import { FactsDialog } from "./FactsDialog.tsx";

type Props = {
  /** Undefined while they load. */
  readonly facts: UsageFactsRow | undefined;
  readonly models: readonly Readonly<ModelTokens>[] | undefined;
  readonly work: Work | undefined;
  /** Null for those who may not change it. */
  readonly onSave: ((facts: UsageFactsRow) => Promise<boolean>) | null;
};

/** The same work in a cloud, and its energy and carbon: each with its method. */
export function ComparisonCard({ facts, models, work, onSave }: Props): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <Card
      title="Cloud, energy and carbon"
      aside={
        onSave === null || facts === undefined ? null : (
          <Button size="sm" onClick={() => setOpen(true)}>
            Enter numbers
          </Button>
        )
      }
    >
      {facts === undefined || models === undefined || work === undefined ? (
        <div className="-mx-4 -mb-4">
          <SkeletonRows />
        </div>
      ) : (
        <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[auto_1fr]">
          {Object.values(comparisonLines(facts, models, work)).map(({ name, value, method }) => (
            <Line key={name} name={name} value={value} method={method} />
          ))}
        </dl>
      )}
      {open && onSave !== null && facts !== undefined ? (
        <FactsDialog
          facts={facts}
          models={(models ?? []).map(({ subject }) => subject).filter((subject) => subject !== "")}
          onSave={onSave}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </Card>
  );
}

type LineProps = { readonly name: string; readonly value: string | null; readonly method: string };

function Line({ name, value, method }: LineProps): ReactNode {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="mb-1 sm:mb-0">
        <span className="font-medium">{value ?? "–"}</span>
        <p className="text-xs text-muted">{method}</p>
      </dd>
    </>
  );
}
