import { type ReactNode, useState } from "react";
import { plural } from "../../../app/format/quantity.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Toolbar } from "../../ui/controls/Toolbar.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import type { JobRow } from "../data/rows.ts";
import { type BulkChange, type BulkPlan, planOf } from "./bulk.ts";

export type ApplyBulk = (change: BulkChange, jobs: readonly JobRow[]) => void;

type Props = {
  readonly selected: readonly JobRow[];
  /** Selects all jobs that are shown; null if they are. */
  readonly onAll: (() => void) | null;
  readonly onApply: ApplyBulk;
  readonly onClear: () => void;
};

const changes: readonly { readonly label: string; readonly change: BulkChange }[] = [
  { label: "Cancel…", change: { kind: "cancel" } },
  { label: "High priority…", change: { kind: "priority", priority: "high" } },
  { label: "Normal priority…", change: { kind: "priority", priority: "normal" } },
  { label: "Low priority…", change: { kind: "priority", priority: "low" } },
  { label: "Retry…", change: { kind: "retry" } },
  { label: "Discard…", change: { kind: "discard" } },
];

/** Acts on the selected jobs. Each change first says what it will do, and to how many of them. */
export function BulkBar({ selected, onAll, onApply, onClear }: Props): ReactNode {
  const [asked, setAsked] = useState<{ change: BulkChange; plan: BulkPlan } | null>(null);
  return (
    <Toolbar
      label="Selected jobs"
      chosen={selected.length}
      choosing={
        <>
          {onAll === null ? null : (
            <Button size="sm" look="quiet" onClick={onAll}>
              Select all shown
            </Button>
          )}
          {selected.length === 0 ? null : (
            <Button size="sm" look="quiet" onClick={onClear}>
              Clear selection
            </Button>
          )}
        </>
      }
    >
      {selected.length === 0 ? (
        <span className="text-xs text-muted">
          Select jobs to cancel, retry or prioritize several at once.
        </span>
      ) : (
        <>
          <span className="mr-2 font-medium">{plural(selected.length, ["# job", "# jobs"])} selected</span>
          {changes.map(({ label, change }) => {
            const plan = planOf(change, selected);
            return (
              <Button
                key={label}
                size="sm"
                disabled={plan.jobs.length === 0}
                onClick={() => setAsked({ change, plan })}
              >
                {label}
              </Button>
            );
          })}
        </>
      )}
      {asked === null ? null : (
        <Confirm
          title={asked.plan.title}
          action={asked.plan.action}
          cancel="Change nothing"
          danger={asked.plan.danger}
          onConfirm={() => onApply(asked.change, asked.plan.jobs)}
          onClose={() => setAsked(null)}
        >
          <ul className="grid list-disc gap-1 pl-4">
            {asked.plan.sentences.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </Confirm>
      )}
    </Toolbar>
  );
}
