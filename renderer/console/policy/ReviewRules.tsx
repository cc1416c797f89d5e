import { type ReactNode, useState } from "react";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { RulesPreview, type ShownPreview } from "./RulesPreview.tsx";

/** As long as the backend takes. */
const maxReasonChars = 300;

type Props = {
  readonly title: string;
  readonly action: string;
  /** A sentence for each change. Undefined while they are looked up. */
  readonly changes: readonly string[] | undefined;
  readonly preview: ShownPreview;
  /** @param reason as it was typed, perhaps empty. */
  readonly onConfirm: (reason: string) => void;
  readonly onClose: () => void;
};

/** Asks before rules are put in force: what changes, what devices would have given with them, and why. */
export function ReviewRules({ title, action, changes, preview, onConfirm, onClose }: Props): ReactNode {
  const [reason, setReason] = useState("");
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm
        action={action}
        onSubmit={() => {
          onConfirm(reason);
          onClose();
          return undefined;
        }}
        onClose={onClose}
      >
        <div className="text-muted wrap-anywhere">
          {changes === undefined ? <p>Looking up what will change…</p> : null}
          {changes?.length === 0 ? <p>Nothing changes: these rules are in force now.</p> : null}
          <ul aria-label="Changes" className="grid max-h-48 list-disc gap-1 overflow-auto pl-4">
            {(changes ?? []).map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
          <RulesPreview {...preview} />
          <p className="mt-3">Devices follow within seconds. You can undo this.</p>
        </div>
        <Field
          label="Reason"
          hint="Optional. The version history shows it."
          className="mt-3"
          value={reason}
          maxLength={maxReasonChars}
          onChange={(event) => setReason(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
