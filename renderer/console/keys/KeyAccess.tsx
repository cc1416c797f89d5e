import { type ReactNode, useState } from "react";
import { useNow } from "../../ui/clock.ts";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { KeyRow } from "../data/rows.ts";
import { AccessFields } from "./AccessFields.tsx";
import { type Access, parseAccess, typedAccess } from "./parse-access.ts";

type Props = {
  readonly limited: KeyRow;
  /** The names of the organization's models. */
  readonly models: readonly string[];
  /** Resolves to whether it was saved. */
  readonly onSave: (access: Partial<Access>) => Promise<boolean>;
  readonly onClose: () => void;
};

/** Edits for what, from where, until when and how much an API key may be used. */
export function KeyAccess({ limited, models, onSave, onClose }: Props): ReactNode {
  const now = useNow();
  const [typed, setTyped] = useState(() => typedAccess(limited));
  const parsed = parseAccess(typed, now);
  return (
    <Dialog title={`Access of ${limited.name}`} onClose={onClose}>
      <DialogForm
        action="Save"
        disabled={parsed.kind === "wrong"}
        onSubmit={async () => {
          if (parsed.kind === "ok" && (await onSave(parsed.access))) onClose();
        }}
        onClose={onClose}
      >
        <AccessFields
          typed={typed}
          parsed={parsed}
          models={models}
          expiresAt={limited.expiresAt}
          onChange={setTyped}
        />
      </DialogForm>
    </Dialog>
  );
}
