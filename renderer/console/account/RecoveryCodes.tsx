import type { ReactNode } from "react";
import { Button } from "../../ui/controls/Button.tsx";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { DialogActions } from "../../ui/overlays/Dialog.tsx";

type Props = { readonly codes: readonly string[]; readonly onDone: () => void };

/** The codes for somebody who loses the phone. The server stores only their hashes. */
export function RecoveryCodes({ codes, onDone }: Props): ReactNode {
  return (
    <div className="grid grid-cols-1 gap-3">
      <p className="text-muted">
        Keep these codes where you find them without your phone. Each signs you in once in place of the app’s
        code. They are shown only now.
      </p>
      <Copyable block text={codes.join("\n")} label="the recovery codes" />
      <DialogActions>
        <Button look="primary" onClick={onDone}>
          I have kept them
        </Button>
      </DialogActions>
    </div>
  );
}
