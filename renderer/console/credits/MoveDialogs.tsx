import { type ReactNode, useState } from "react";
import { moneyOf, payoutCents } from "../../../app/credits/payout.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { MyCredits, OwnerId } from "../data/rows.ts";
import { OwnerPicker } from "../owners/OwnerPicker.tsx";
import { parseCredits } from "../usage/parse-usage-form.ts";

type KeyId = MyCredits["keys"][number]["keyId"];
type Team = MyCredits["teams"][number];
type Move = { readonly moveId: string; readonly micro: bigint };

/** Resolves to whether it was saved. */
type Props<Wanted> = {
  readonly mine: MyCredits;
  readonly onSave: (move: Move & Wanted) => Promise<boolean>;
  readonly onClose: () => void;
};

type Available = Pick<MyCredits, "availableMicro" | "grantedMicro">;

/** The credits that the member may give away or have paid out. */
export function earnedOf({ availableMicro, grantedMicro }: Available): Available {
  return { availableMicro: availableMicro - grantedMicro, grantedMicro: 0n };
}

/** A typed amount of at most the available credits. `moveId` stays for the dialog, so a repeated call moves nothing twice. */
function useAmount({ availableMicro, grantedMicro }: Available) {
  const [typed, setTyped] = useState("");
  const [moveId] = useState(() => crypto.randomUUID());
  const parsed = parseCredits(typed);
  const isTooMuch = typeof parsed !== "string" && parsed > availableMicro;
  const micro = typeof parsed === "string" || isTooMuch ? null : parsed;
  const field = (
    <Field
      label="Credits"
      hint={
        grantedMicro === 0n
          ? `${formatCredits(availableMicro)} are available. The oldest ones go first.`
          : `${formatCredits(availableMicro)} are available. Given ones go first.`
      }
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

/** Makes credits budget of an API key: those of the member, or those of a team, which go only to the team's keys. */
export function ToKeyDialog({
  mine,
  team,
  onSave,
  onClose,
}: Props<{ readonly keyId: KeyId; readonly teamId?: Team["teamId"] }> & {
  /** Null: the member's own credits. */
  readonly team: Team | null;
}): ReactNode {
  const { micro, moveId, field } = useAmount(team ?? mine);
  const keys = team === null ? mine.keys : keysOfTeam(mine, team);
  const [keyId, setKeyId] = useState<KeyId | null>(keys[0]?.keyId ?? null);
  const of = team === null ? {} : { teamId: team.teamId };
  return (
    <Dialog
      title={team === null ? "Use credits with an API key" : `Use credits of ${team.name}`}
      onClose={onClose}
    >
      <DialogForm
        action="Move"
        disabled={micro === null || keyId === null}
        onSubmit={async () => {
          if (micro !== null && keyId !== null && (await onSave({ moveId, micro, keyId, ...of }))) onClose();
        }}
        onClose={onClose}
      >
        <p className="text-sm text-muted">
          The credits are added to what the key may spend. They cannot be moved back, and do not expire there.
        </p>
        <Select
          label="API key"
          value={keyId ?? ""}
          options={keys.map(({ keyId: value, name, prefix }) => ({
            value,
            label: `${name} (${prefix}…)`,
          }))}
          onChange={(id) => setKeyId(keys.find((key) => key.keyId === id)?.keyId ?? null)}
        />
        {field}
      </DialogForm>
    </Dialog>
  );
}

/** The keys that a team's credits can be used with. */
export function keysOfTeam({ keys }: MyCredits, { teamId }: Team): MyCredits["keys"] {
  return keys.filter((key) => key.teamId === teamId);
}

/** Gives earned credits to a colleague or a team. */
export function GiveDialog({
  mine,
  me,
  onSave,
  onClose,
}: Props<{ readonly to: OwnerId; readonly note: string }> & { readonly me: OwnerId }): ReactNode {
  const { micro, moveId, field } = useAmount(earnedOf(mine));
  const [to, setTo] = useState<OwnerId | null>(null);
  const [note, setNote] = useState("");
  return (
    <Dialog title="Give credits away" onClose={onClose}>
      <DialogForm
        action="Give"
        disabled={micro === null || to === null || note.trim() === ""}
        onSubmit={async () => {
          if (micro === null || to === null) return;
          if (await onSave({ moveId, micro, to, note: note.trim() })) onClose();
        }}
        onClose={onClose}
      >
        <OwnerPicker label="Colleague or team" value={to} except={me} onChange={setTo} />
        {field}
        <Field
          label="Note"
          hint="Say what they are for. Your colleague or the team reads it, and it is in the audit trail."
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
  const { micro, moveId, field } = useAmount(earnedOf(mine));
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
