import { type ReactNode, useState } from "react";
import type { PriorityPrices as Prices } from "../../../app/jobs/priority.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { parsePercents, priceWords } from "./parse-percents.ts";

type Props = {
  readonly prices: Prices;
  readonly onSet: (prices: Prices) => void;
  /** Whether the dialog is open from the start. */
  readonly initiallyOpen?: boolean;
};

/** Shows and sets what jobs cost because of their priority. */
export function PriorityPrices({ prices, onSet, initiallyOpen = false }: Props): ReactNode {
  const [open, setOpen] = useState(initiallyOpen);
  return (
    <div className="flex items-center justify-between gap-3 border-t border-line px-4 py-1.5 text-xs text-muted">
      <p>{priceWords(prices)}</p>
      <Button size="sm" look="quiet" className="-mr-2.5" onClick={() => setOpen(true)}>
        Change prices
      </Button>
      {open ? <PricesDialog prices={prices} onSet={onSet} onClose={() => setOpen(false)} /> : null}
    </div>
  );
}

const fields = [
  { priority: "low", label: "Low priority" },
  { priority: "normal", label: "Normal priority" },
  { priority: "high", label: "High priority" },
] as const;

function PricesDialog({
  prices,
  onSet,
  onClose,
}: Pick<Props, "prices" | "onSet"> & { readonly onClose: () => void }): ReactNode {
  const { low, normal, high } = prices;
  const [typed, setTyped] = useState({ low: String(low), normal: String(normal), high: String(high) });
  const parsed = parsePercents(typed);
  return (
    <Dialog title="Prices of priorities" onClose={onClose}>
      <DialogForm
        action="Save"
        disabled={parsed.kind === "wrong"}
        onSubmit={() => {
          if (parsed.kind === "wrong") return;
          onSet(parsed.prices);
          onClose();
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
