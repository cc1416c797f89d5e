import type { ReactNode } from "react";
import type { ModelTokens } from "../../../app/statistics/model-tokens.ts";
import type { UsageFacts, Work } from "../../../app/usage/comparison.ts";
import { comparisonLines } from "../../ui/usage/comparison-lines.ts";

type Props = {
  readonly facts: UsageFacts;
  readonly models: readonly Readonly<ModelTokens>[];
  readonly work: Work;
};

/** The energy of the shown time, its carbon, and the price of the same work in a cloud. Nothing of what is not known. */
export function Comparison({ facts, models, work }: Props): ReactNode {
  const { cloud, energy, carbon } = comparisonLines(facts, models, work);
  const known = [energy, carbon, cloud].filter(({ value }) => value !== null);
  if (known.length === 0) return null;
  return (
    <div className="mt-3 grid gap-1 border-t border-line pt-3">
      <dl className="grid grid-cols-3 gap-3 max-[20rem]:grid-cols-1">
        {known.map(({ name, value, note }) => (
          <div key={name} className="min-w-0">
            <dt className="truncate text-xs text-muted">{name}</dt>
            <dd className="font-medium wrap-anywhere">{value}</dd>
            <dd className="text-xs text-muted">{note}</dd>
          </div>
        ))}
      </dl>
      <details className="text-xs text-muted">
        <summary className="cursor-pointer">How these numbers are known</summary>
        {known.map(({ name, method }) => (
          <p key={name} className="mt-1">
            {name}: {method}
          </p>
        ))}
      </details>
    </div>
  );
}
