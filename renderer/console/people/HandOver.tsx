import { type ReactNode, useState } from "react";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { OwnerId, OwnerName } from "../data/rows.ts";
import { OwnerPicker } from "../owners/OwnerPicker.tsx";

type Props = {
  /** The name of the key or the device. */
  readonly name: string;
  readonly owner: OwnerName;
  /** What follows for whoever hands it over. */
  readonly note?: string;
  /** Resolves to false if the server refused. */
  readonly onSave: (owner: OwnerId) => Promise<boolean>;
  readonly onClose: () => void;
};

/** Hands a key or a device over to a member or a team. */
export function HandOver({ name, owner, note, onSave, onClose }: Props): ReactNode {
  const [chosen, setChosen] = useState<OwnerId | null>(null);
  return (
    <Dialog title={`Hand over ${name}`} onClose={onClose}>
      <DialogForm
        action="Hand over"
        disabled={chosen === null}
        onSubmit={() =>
          chosen === null ? undefined : onSave(chosen).then((saved) => (saved ? onClose() : undefined))
        }
        onClose={onClose}
      >
        <p className="text-muted">It belongs to {owner?.name ?? "the organization"} now.</p>
        <OwnerPicker
          label="New owner"
          value={chosen}
          {...(owner === null ? {} : { except: owner.id })}
          onChange={setChosen}
        />
        {note === undefined ? null : <p className="text-xs text-muted">{note}</p>}
      </DialogForm>
    </Dialog>
  );
}
