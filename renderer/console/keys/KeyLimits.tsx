import { type ReactNode, useState } from "react";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { DialogActions } from "../../ui/overlays/Dialog.tsx";
import { RowDialog } from "../../ui/overlays/RowDialog.tsx";
import type { KeyRow } from "../data/rows.ts";
import { type Limits, parseLimits } from "./parse-limits.ts";

type Props = {
  /** Null while the dialog is closed. */
  readonly limited: KeyRow | null;
  readonly onSave: (key: KeyRow, limits: Limits) => void;
  readonly onClose: () => void;
};

export function KeyLimits({ limited, onSave, onClose }: Props): ReactNode {
  return (
    <RowDialog row={limited} title={(name) => `Limits of ${name}`} onClose={onClose}>
      {(row) => (
        <LimitsForm
          limited={row}
          onSave={(limits) => {
            onSave(row, limits);
            onClose();
          }}
          onClose={onClose}
        />
      )}
    </RowDialog>
  );
}

type FormProps = {
  readonly limited: KeyRow;
  readonly onSave: (limits: Limits) => void;
  readonly onClose: () => void;
};

function LimitsForm({ limited, onSave, onClose }: FormProps): ReactNode {
  const [concurrency, setConcurrency] = useState(
    limited.concurrency === null ? "" : String(limited.concurrency),
  );
  const [weight, setWeight] = useState(String(limited.weight));
  const parsed = parseLimits(concurrency, weight);
  return (
    <form
      noValidate
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (parsed.kind === "ok") onSave(parsed.limits);
      }}
    >
      <Field
        autoFocus
        label="Jobs at once"
        hint="The number of its jobs that may run at once. Others wait for their turn. Leave empty for no limit."
        inputMode="numeric"
        value={concurrency}
        error={parsed.kind === "wrong" ? parsed.concurrency : null}
        onChange={(event) => setConcurrency(event.target.value)}
      />
      <Field
        label="Turns"
        hint="Its turns for each turn of another key, from 1 to 16."
        inputMode="numeric"
        value={weight}
        error={parsed.kind === "wrong" ? parsed.weight : null}
        onChange={(event) => setWeight(event.target.value)}
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={parsed.kind === "wrong"}>
          Set
        </Button>
      </DialogActions>
    </form>
  );
}
