import { type ReactNode, useState } from "react";
import { moneyOf, payoutCents } from "../../../app/credits/payout.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { MyCredits, OwnerId, Owners } from "../data/rows.ts";
import { MemberPicker } from "../people/OwnerPicker.tsx";
import { parseCredits } from "../usage/parse-usage-form.ts";

type KeyId = MyCredits["keys"][number]["keyId"];
type MemberId = Owners["members"][number]["id"];
type Move = { readonly moveId: string; readonly micro: bigint };

/** Resolves to whether it was saved. */
type Props<Wanted> = {
  readonly mine: MyCredits;
  readonly onSave: (move: Move & Wanted) => Promise<boolean>;
  readonly onClose: () => void;
};

/** A typed amount of at most the available credits. `moveId` stays for the dialog, so a repeated call moves nothing twice. */
function useAmount({ availableMicro }: MyCredits) {
  const [typed, setTyped] = useState("");
  const [moveId] = useState(() => crypto.randomUUID());
  const parsed = parseCredits(typed);
  const isTooMuch = typeof parsed !== "string" && parsed > availableMicro;
  const micro = typeof parsed === "string" || isTooMuch ? null : parsed;
  const field = (
    <Field
      label="Credits"
      hint={`${formatCredits(availableMicro)} are available. The oldest ones go first.`}
      inputMode="decimal"
      value={typed}
      error={
        typed === ""
          ? null
          : typeof parsed === "string"
            ? parsed
            : isTooMuch
              ? "That is more than what is available."
              : null
      }
      onChange={(event) => setTyped(event.target.value)}
    />
  );
  return { micro, moveId, field };
}

/** Makes earned credits budget of an API key. */
export function ToKeyDialog({ mine, onSave, onClose }: Props<{ readonly keyId: KeyId }>): ReactNode {
  const { micro, moveId, field } = useAmount(mine);
  const [keyId, setKeyId] = useState<KeyId | null>(mine.keys[0]?.keyId ?? null);
  return (
    <Dialog title="Use credits with an API key" onClose={onClose}>
      <DialogForm
        action="Move"
        disabled={micro === null || keyId === null}
        onSubmit={async () => {
          if (micro !== null && keyId !== null && (await onSave({ moveId, micro, keyId }))) onClose();
        }}
        onClose={onClose}
      >
        <p className="text-sm text-muted">
          The credits are added to what the key may spend. They cannot be moved back, and do not expire there.
        </p>
        <Select
          label="API key"
          value={keyId ?? ""}
          options={mine.keys.map(({ keyId: value, name, prefix }) => ({
            value,
            label: `${name} (${prefix}…)`,
          }))}
          onChange={(id) => setKeyId(mine.keys.find((key) => key.keyId === id)?.keyId ?? null)}
        />
        {field}
      </DialogForm>
    </Dialog>
  );
}

/** Gives earned credits to a colleague. */
export function GiveDialog({
  mine,
  me,
  onSave,
  onClose,
}: Props<{ readonly memberId: MemberId; readonly note: string }> & { readonly me: OwnerId }): ReactNode {
  const { micro, moveId, field } = useAmount(mine);
  const [memberId, setMemberId] = useState<MemberId | null>(null);
  const [note, setNote] = useState("");
  return (
    <Dialog title="Give credits to a colleague" onClose={onClose}>
      <DialogForm
        action="Give"
        disabled={micro === null || memberId === null || note.trim() === ""}
        onSubmit={async () => {
          if (micro === null || memberId === null) return;
          if (await onSave({ moveId, micro, memberId, note: note.trim() })) onClose();
        }}
        onClose={onClose}
      >
        <MemberPicker label="Colleague" value={memberId} except={me} onChange={setMemberId} />
        {field}
        <Field
          label="Note"
          hint="Your colleague reads it. It is in the audit trail, too."
          maxLength={200}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}

/** Asks for the payout of earned credits. */
export function PayoutDialog({ mine, onSave, onClose }: Props<{ readonly note: string | null }>): ReactNode {
  const { micro, moveId, field } = useAmount(mine);
  const [note, setNote] = useState("");
  const { payout } = mine.rules;
  const cents = micro === null || payout === null ? null : payoutCents(micro, payout.perCreditMicro);
  return (
    <Dialog title="Ask for a payout" onClose={onClose}>
      <DialogForm
        action="Ask"
        disabled={micro === null || cents === null || cents === 0n}
        onSubmit={async () => {
          if (micro === null) return;
          if (await onSave({ moveId, micro, note: note.trim() === "" ? null : note.trim() })) onClose();
        }}
        onClose={onClose}
      >
        <p className="text-sm text-muted">
          An owner or an administrator decides. Until then the credits are held, and you can withdraw it.
        </p>
        {field}
        {payout === null || cents === null ? null : (
          <p>You get {moneyOf(cents, payout.currency)}, once it is approved.</p>
        )}
        <Field
          label="Note"
          hint="You may leave it empty."
          maxLength={200}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
