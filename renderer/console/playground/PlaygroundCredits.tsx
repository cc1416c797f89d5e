import { type ReactNode, useState } from "react";
import { microPerCredit } from "../../../app/money/credits.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";

type Props = { readonly dailyMicro: bigint; readonly onSet: (micro: bigint) => void };

/** Lets an administrator set the credits that each member may spend in the playground within a day. */
export function PlaygroundCredits({ dailyMicro, onSet }: Props): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button size="sm" className="mt-2" onClick={() => setIsOpen(true)}>
        Change credits
      </Button>
      {isOpen ? (
        <CreditsDialog dailyMicro={dailyMicro} onSet={onSet} onClose={() => setIsOpen(false)} />
      ) : null}
    </>
  );
}

function CreditsDialog({ dailyMicro, onSet, onClose }: Props & { readonly onClose: () => void }): ReactNode {
  const [typed, setTyped] = useState(String(dailyMicro / microPerCredit));
  const digits = typed.trim().replaceAll(/[ ,_]/g, "");
  const wanted = /^\d{1,9}$/.test(digits) ? BigInt(digits) * microPerCredit : null;
  return (
    <Dialog title="Credits of the playground" onClose={onClose}>
      <DialogForm
        action="Save"
        disabled={wanted === null}
        onSubmit={() => {
          if (wanted === null) return undefined;
          onSet(wanted);
          onClose();
          return undefined;
        }}
        onClose={onClose}
      >
        <Field
          label="Credits of each member"
          hint="That many in 24 hours, for keys that are made from now on. 0 closes the playground."
          inputMode="numeric"
          value={typed}
          error={wanted === null ? "Enter a whole number of credits." : null}
          onChange={(event) => setTyped(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
