import { type ReactNode, useState } from "react";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { KeyRow } from "../data/rows.ts";
import { type Limits, parseLimits } from "./parse-limits.ts";

type Props = {
  readonly limited: KeyRow;
  readonly onSave: (limits: Limits) => void;
  readonly onClose: () => void;
};

/** Edits the limits of an API key. */
export function KeyLimits({ limited, onSave, onClose }: Props): ReactNode {
  const [concurrency, setConcurrency] = useState(limited.concurrency?.toString() ?? "");
  const [weight, setWeight] = useState(String(limited.weight));
  const parsed = parseLimits(concurrency, weight);
  return (
    <Dialog title={`Limits of ${limited.name}`} onClose={onClose}>
      <DialogForm
        action="Save"
        disabled={parsed.kind === "wrong"}
        onSubmit={() => {
          if (parsed.kind === "wrong") return;
          onSave(parsed.limits);
          onClose();
        }}
        onClose={onClose}
      >
        <Field
          label="Jobs at once"
          hint="The number of its jobs that may run at once. Leave empty for no limit."
          inputMode="numeric"
          value={concurrency}
          error={parsed.kind === "wrong" ? parsed.concurrency : null}
          onChange={(event) => setConcurrency(event.target.value)}
        />
        <Field
          label="Weight"
          hint="From 1 to 16. A key with weight 2 gets twice as many turns as a key with weight 1."
          inputMode="numeric"
          value={weight}
          error={parsed.kind === "wrong" ? parsed.weight : null}
          onChange={(event) => setWeight(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
