import { type ReactNode, useState } from "react";
import { formatPercent, plural } from "../../../app/format/quantity.ts";
import type { PriorityPrices as Prices } from "../../../app/jobs/priority.ts";
import { type Counted, countedWords } from "../../../app/statistics/counted.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { type Change, ReviewChanges } from "../../ui/overlays/ReviewChanges.tsx";
import { parsePercents, priceWords } from "./parse-percents.ts";

type Props = {
  readonly prices: Prices;
  /** Prices that wait for a look at what they change; null without any. */
  readonly draft: Prices | null;
  /** The jobs that have not ended. They keep their prices. Undefined while they are counted. */
  readonly unfinished: Counted | undefined;
  readonly onDraft: (prices: Prices | null) => void;
  /** Null for those who may not set them. */
  readonly onSet: ((prices: Prices) => void) | null;
  /** Whether the dialog is open from the start. */
  readonly initiallyOpen?: boolean;
};

/** Shows what jobs cost because of their priority, and sets it after a preview. */
export function PriorityPrices(props: Props): ReactNode {
  const { prices, onSet, initiallyOpen = false } = props;
  const [open, setOpen] = useState(initiallyOpen);
  return (
    <>
      <div className="flex items-center justify-between gap-3 border-t border-line px-4 py-1.5 text-xs text-muted">
        <p>{priceWords(prices)}</p>
        {onSet === null ? null : (
          <Button size="sm" look="quiet" className="-mr-2.5" onClick={() => setOpen(true)}>
            Change prices
          </Button>
        )}
      </div>
      {open && onSet !== null ? (
        <PricesDialog {...props} onSet={onSet} onClose={() => setOpen(false)} />
      ) : null}
    </>
  );
}

const fields = [
  { priority: "low", label: "Low priority" },
  { priority: "normal", label: "Normal priority" },
  { priority: "high", label: "High priority" },
] as const;

type DialogProps = Omit<Props, "initiallyOpen" | "onSet"> & {
  readonly onSet: NonNullable<Props["onSet"]>;
  readonly onClose: () => void;
};

function PricesDialog({ prices, draft, unfinished, onDraft, onSet, onClose }: DialogProps): ReactNode {
  const { low, normal, high } = prices;
  const [typed, setTyped] = useState({ low: String(low), normal: String(normal), high: String(high) });
  const parsed = parsePercents(typed);
  if (draft !== null) {
    return (
      <ReviewChanges
        title="Change the prices of priorities?"
        changes={changesOf(prices, draft)}
        onSave={() => {
          onSet(draft);
          onClose();
        }}
        onBack={() => onDraft(null)}
      >
        <p>The new prices apply to jobs that are submitted or raised from now on. You can undo this.</p>
        <p>{unfinished === undefined ? "Counting the jobs that wait or run…" : keptWords(unfinished)}</p>
      </ReviewChanges>
    );
  }
  return (
    <Dialog title="Prices of priorities" onClose={onClose}>
      <DialogForm
        action="Preview"
        disabled={parsed.kind === "wrong" || changesOf(prices, parsed.prices).length === 0}
        onSubmit={() => {
          if (parsed.kind === "ok") onDraft(parsed.prices);
          return undefined;
        }}
        onClose={onClose}
      >
        <p className="text-xs text-muted">
          Percent of the models’ prices. Requesters pay and donors earn this much for new jobs. A job costs as
          much as the highest priority that it has had.
        </p>
        {fields.map(({ priority, label }) => (
          <Field
            key={priority}
            label={label}
            unit="%"
            inputMode="numeric"
            value={typed[priority]}
            error={priority === "high" && parsed.kind === "wrong" ? parsed.why : null}
            onChange={(event) => setTyped({ ...typed, [priority]: event.target.value })}
          />
        ))}
      </DialogForm>
    </Dialog>
  );
}

function changesOf(before: Prices, after: Prices): readonly Change[] {
  return fields.flatMap(({ priority, label }) =>
    before[priority] === after[priority]
      ? []
      : { name: label, before: formatPercent(before[priority]), after: formatPercent(after[priority]) },
  );
}

function keptWords(unfinished: Counted): string {
  if (unfinished.count === 0) return "No job waits or runs now.";
  return unfinished.exact
    ? plural(unfinished.count, [
        "# job that waits or runs now keeps its price.",
        "# jobs that wait or run now keep their prices.",
      ])
    : `Jobs that wait or run now keep their prices: ${countedWords(unfinished)}.`;
}
