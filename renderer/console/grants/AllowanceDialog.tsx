import { type ReactNode, useState } from "react";
import { formatMoment } from "../../../app/format/time.ts";
import {
  type AllowanceKind,
  type AllowancePeriod,
  type AllowanceTerms,
  nextPeriodStart,
} from "../../../app/money/allowance.ts";
import { formatExactCredits } from "../../../app/money/credits.ts";
import { useFromNow } from "../../ui/clock.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { Allowance } from "../data/rows.ts";
import { parseCredits } from "../usage/parse-usage-form.ts";
import type { HolderKind } from "./CreditsDialog.tsx";
import { ReasonField } from "./ReasonField.tsx";

export type GivenAllowance = AllowanceTerms & { readonly reason: string };

type Props = {
  readonly of: HolderKind;
  readonly name: string;
  /** The present one; null: none. */
  readonly allowance: Allowance | null;
  /** Resolves to whether it was saved. */
  readonly onSave: (allowance: GivenAllowance) => Promise<boolean>;
  readonly onClose: () => void;
};

const periods: readonly { readonly value: AllowancePeriod; readonly label: string }[] = [
  { value: "day", label: "Each day" },
  { value: "week", label: "Each week, on Monday" },
  { value: "month", label: "Each month, on the first day" },
];

const kinds: readonly { readonly value: AllowanceKind; readonly label: string }[] = [
  { value: "add", label: "Keep them, and add the whole amount" },
  { value: "top-up", label: "Count them, and top up to the amount" },
];

/** Sets the credits that an API key, a member or a team gets at the start of each day, week or month. */
export function AllowanceDialog({ of, name, allowance, onSave, onClose }: Props): ReactNode {
  const [every, setEvery] = useState<AllowancePeriod>(allowance?.every ?? "month");
  const [kind, setKind] = useState<AllowanceKind>(allowance?.kind ?? "add");
  const [credits, setCredits] = useState(allowance === null ? "" : formatExactCredits(allowance.micro));
  const [reason, setReason] = useState(allowance?.reason ?? "");
  const next = useFromNow((now) => formatMoment(nextPeriodStart(every, now), now));
  const micro = parseCredits(credits);
  const isWrong = typeof micro === "string";
  return (
    <Dialog title={`Allowance of ${name}`} onClose={onClose}>
      <DialogForm
        action="Save"
        disabled={isWrong || reason.trim() === ""}
        onSubmit={async () => {
          if (isWrong) return;
          if (await onSave({ every, kind, micro, reason: reason.trim() })) onClose();
        }}
        onClose={onClose}
      >
        <p className="text-sm text-muted">
          {allowance === null
            ? "These credits are given at the start of each period, until somebody ends the allowance."
            : `${allowance.author} set the present allowance: ${allowance.reason}`}
        </p>
        <Select
          label="How often"
          hint={`Next: ${next}. Days begin at 00:00 UTC.`}
          value={every}
          options={periods}
          onChange={(value) => setEvery(periods.find((each) => each.value === value)?.value ?? "month")}
        />
        <Select
          label="Unused credits"
          hint={
            kind === "add"
              ? "They add up from period to period."
              : of === "key"
                ? "The key gets only what is missing. Credits that its open jobs hold do not count as unused."
                : "Only what is missing is given. Earned credits do not count, nor do those that were moved to an API key."
          }
          value={kind}
          options={kinds}
          onChange={(value) => setKind(kinds.find((each) => each.value === value)?.value ?? "add")}
        />
        <Field
          label="Credits"
          inputMode="decimal"
          value={credits}
          error={credits !== "" && isWrong ? micro : null}
          onChange={(event) => setCredits(event.target.value)}
        />
        <ReasonField value={reason} onChange={setReason} />
      </DialogForm>
    </Dialog>
  );
}

/** What the server takes of a former allowance, to set it again. With `dueAt` a period that began meanwhile is not lost. */
export function termsOf({
  every,
  kind,
  micro,
  reason,
  dueAt,
}: Allowance): GivenAllowance & Pick<Allowance, "dueAt"> {
  return { every, kind, micro, reason, dueAt };
}
