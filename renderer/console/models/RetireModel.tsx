import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import type { RetirementImpact } from "../data/rows.ts";
import { useSession } from "../data/session-context.ts";
import { impactRows } from "./retirement-words.ts";

type Props = {
  readonly modelId: string;
  /** Whether a roll-out in stages of it has not ended. */
  readonly isRollingOut: boolean;
  readonly onRetire: () => void;
  readonly onClose: () => void;
};

/** Asks before a model is retired, with the numbers of what that touches. */
export function RetireModel(props: Props): ReactNode {
  const session = useSession();
  const impact = useQuery(api.console.models.impact, { session, modelId: props.modelId });
  return <RetireModelView {...props} impact={impact} />;
}

export function RetireModelView({
  modelId,
  isRollingOut,
  impact,
  onRetire,
  onClose,
}: Props & { readonly impact: RetirementImpact | undefined }): ReactNode {
  return (
    <Confirm title={`Retire ${modelId}?`} action="Retire" danger onConfirm={onRetire} onClose={onClose}>
      <p>
        New requests for this model are refused, and devices may delete its file. You can reinstate it at any
        time, but not the jobs that have ended.
      </p>
      {impact === undefined ? (
        <p className="mt-3">Counting what this touches…</p>
      ) : (
        <dl className="mt-3 grid gap-2 rounded-md border border-line p-3">
          {impactRows(impact, isRollingOut).map(({ label, words }) => (
            <div key={label} className="grid grid-cols-[8rem_minmax(0,1fr)] gap-x-3">
              <dt>{label}</dt>
              <dd className="text-ink wrap-anywhere">{words}</dd>
            </div>
          ))}
        </dl>
      )}
    </Confirm>
  );
}
