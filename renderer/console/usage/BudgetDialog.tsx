import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { formatShare } from "../../../app/format/quantity.ts";
import { formatExactCredits } from "../../../app/money/credits.ts";
import { warnAt } from "../../../app/usage/budget.ts";
import { api } from "../../../convex/_generated/api.js";
import { Checkbox } from "../../ui/controls/Checkbox.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { BudgetRow, OwnerId } from "../data/rows.ts";
import { useSession } from "../data/session-context.ts";
import { OwnerPicker } from "../owners/OwnerPicker.tsx";
import { parseCredits } from "./parse-usage-form.ts";

type Subject = BudgetRow["subject"];

type Props = {
  /** Null: a new budget. */
  readonly budget: BudgetRow | null;
  /** Resolves to whether it was saved. */
  readonly onSave: (
    subject: Subject,
    terms: { readonly monthlyMicro: bigint; readonly stops: boolean },
  ) => Promise<boolean>;
  readonly onClose: () => void;
};

const kindOptions = [
  { value: "key", label: "An API key" },
  { value: "owner", label: "A member or a team" },
] as const;

/** Sets the credits that a key, a member or a team should not exceed in a month. */
export function BudgetDialog({ budget, onSave, onClose }: Props): ReactNode {
  const [kind, setKind] = useState<"key" | "owner">("key");
  const [chosen, setChosen] = useState<Subject | null>(budget?.subject ?? null);
  const [credits, setCredits] = useState(budget === null ? "" : formatExactCredits(budget.monthlyMicro));
  const [stops, setStops] = useState(budget?.stops ?? false);
  const micro = parseCredits(credits);
  const isWrong = typeof micro === "string";
  return (
    <Dialog
      title={budget === null ? "Set a budget" : `Budget of ${budget.name ?? /* @wc-include */ "deleted"}`}
      onClose={onClose}
    >
      <DialogForm
        action="Save"
        disabled={chosen === null || isWrong}
        onSubmit={async () => {
          if (chosen === null || isWrong) return;
          if (await onSave(chosen, { monthlyMicro: micro, stops })) onClose();
        }}
        onClose={onClose}
      >
        {budget === null ? (
          <>
            <Select
              label="Budget of"
              value={kind}
              options={kindOptions}
              onChange={(value) => {
                setKind(kindOptions.find((each) => each.value === value)?.value ?? "key");
                setChosen(null);
              }}
            />
            {kind === "key" ? (
              <KeySelect value={chosen} onChange={setChosen} />
            ) : (
              <OwnerPicker label="Member or team" value={chosen as OwnerId | null} onChange={setChosen} />
            )}
          </>
        ) : null}
        <Field
          label="Credits a month"
          hint={`It warns at ${formatShare(warnAt)} and at ${formatShare(1)}.`}
          inputMode="decimal"
          value={credits}
          error={credits !== "" && isWrong ? micro : null}
          onChange={(event) => setCredits(event.target.value)}
        />
        <Checkbox
          label="Refuse new requests once it is used up"
          hint="At once, until the next month or until you raise it. Requests that wait then are still answered and paid."
          checked={stops}
          onChange={setStops}
        />
      </DialogForm>
    </Dialog>
  );
}

type KeyProps = { readonly value: Subject | null; readonly onChange: (key: Subject | null) => void };

function KeySelect({ value, onChange }: KeyProps): ReactNode {
  const keys = useQuery(api.console.keys.names, { session: useSession() }) ?? [];
  const open = keys.filter(({ isRevoked }) => !isRevoked);
  return (
    <Select
      label="API key"
      value={value ?? ""}
      options={[
        { value: "", label: "Choose…" },
        ...open.map(({ keyId, name, prefix }) => ({ value: keyId, label: `${name} (${prefix}…)` })),
      ]}
      onChange={(id) => onChange(open.find(({ keyId }) => keyId === id)?.keyId ?? null)}
    />
  );
}
