import { type ReactNode, useState } from "react";
import { formatCredits } from "../../../app/money/credits.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { parseCredits } from "../usage/parse-usage-form.ts";
import { ReasonField } from "./ReasonField.tsx";

export type HolderKind = "key" | "owner";

type Props = {
  /** Members and teams are owners. */
  readonly of: HolderKind;
  readonly name: string;
  /** What can be taken back, but for what open jobs of a key hold. */
  readonly leftMicro: bigint;
  /** `micro` is negative if credits are taken back. Resolves to whether it was saved. */
  readonly onSave: (change: { readonly micro: bigint; readonly reason: string }) => Promise<boolean>;
  readonly onClose: () => void;
};

const directions = [
  { value: "give", label: "Give credits" },
  { value: "take", label: "Take credits back" },
] as const;

/** Gives credits to an API key, a member or a team, or takes some back. */
export function CreditsDialog({ of, name, leftMicro, onSave, onClose }: Props): ReactNode {
  const [direction, setDirection] = useState<string>("give");
  const [credits, setCredits] = useState("");
  const [reason, setReason] = useState("");
  const parsed = parseCredits(credits);
  const amount = typeof parsed === "string" ? null : direction === "give" ? parsed : -parsed;
  const after = leftMicro + (amount ?? 0n);
  const isTooMuch = amount !== null && after < 0n;
  return (
    <Dialog title={`Credits of ${name}`} onClose={onClose}>
      <DialogForm
        action="Save"
        disabled={amount === null || isTooMuch || reason.trim() === ""}
        onSubmit={async () => {
          if (amount === null) return;
          if (await onSave({ micro: amount, reason: reason.trim() })) onClose();
        }}
        onClose={onClose}
      >
        <p className="text-sm text-muted">
          {of === "key"
            ? amount === null || isTooMuch
              ? `It has ${formatCredits(leftMicro)} left.`
              : `It has ${formatCredits(leftMicro)} left, and ${formatCredits(after)} afterward.`
            : amount === null || isTooMuch
              ? `${formatCredits(leftMicro)} of the given credits are unused.`
              : `${formatCredits(leftMicro)} of the given credits are unused, and ${formatCredits(after)} afterward.`}
        </p>
        <Select label="Change" value={direction} options={directions} onChange={setDirection} />
        <Field
          label="Credits"
          hint={
            of === "key"
              ? "A key without credits gets no answers. Credits that its open jobs hold cannot be taken back."
              : "They are moved to API keys, on the page My credits. They do not expire and are not paid out. Earned credits cannot be taken."
          }
          inputMode="decimal"
          value={credits}
          error={
            credits === ""
              ? null
              : typeof parsed === "string"
                ? parsed
                : isTooMuch
                  ? "That is more than what is left."
                  : null
          }
          onChange={(event) => setCredits(event.target.value)}
        />
        <ReasonField value={reason} onChange={setReason} />
      </DialogForm>
    </Dialog>
  );
}
