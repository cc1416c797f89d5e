import { type ReactNode, useState } from "react";
import { limits } from "../../../../app/jobs/limits.ts";
import { Checkbox } from "../../../ui/controls/Checkbox.tsx";
import { Field } from "../../../ui/controls/Field.tsx";
import { Dialog } from "../../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../../ui/overlays/DialogForm.tsx";

type Props = {
  readonly mayShare: boolean;
  /** Resolves to false if the server refused. */
  readonly onSave: (name: string, shared: boolean) => Promise<boolean>;
  readonly onClose: () => void;
};

export function SaveView({ mayShare, onSave, onClose }: Props): ReactNode {
  const [typed, setTyped] = useState("");
  const [shared, setShared] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const name = typed.trim();
  return (
    <Dialog title="Save as view" onClose={onClose}>
      <DialogForm
        action="Save"
        onSubmit={() => {
          setError(name === "" ? "Enter a name." : null);
          return name === ""
            ? undefined
            : onSave(name, shared).then((saved) => (saved ? onClose() : undefined));
        }}
        onClose={onClose}
      >
        <Field
          label="Name"
          hint="It keeps the search, the filters, the order and the columns."
          maxLength={limits.nameChars}
          value={typed}
          error={error}
          onChange={(event) => setTyped(event.target.value)}
        />
        {mayShare ? (
          <div className="mt-3">
            <Checkbox
              label="Share it with the organization"
              hint="All who see all devices can open it."
              checked={shared}
              onChange={setShared}
            />
          </div>
        ) : null}
      </DialogForm>
    </Dialog>
  );
}
