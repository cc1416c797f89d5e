import { type ReactNode, useState } from "react";
import { limits } from "../../../app/jobs/limits.ts";
import { Field } from "../controls/Field.tsx";
import { Dialog } from "./Dialog.tsx";
import { DialogForm } from "./DialogForm.tsx";

type Props = {
  readonly title: string;
  readonly action: string;
  readonly initial: string;
  /** Resolves to false if the server refused. */
  readonly onSave: (name: string) => Promise<boolean>;
  readonly onClose: () => void;
};

/** Asks for a name. */
export function NameDialog({ title, action, initial, onSave, onClose }: Props): ReactNode {
  const [typed, setTyped] = useState(initial);
  const [error, setError] = useState<string | null>(null);
  const name = typed.trim();
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm
        action={action}
        onSubmit={() => {
          setError(name === "" ? "Enter a name." : null);
          return name === "" ? undefined : onSave(name).then((saved) => (saved ? onClose() : undefined));
        }}
        onClose={onClose}
      >
        <Field
          label="Name"
          maxLength={limits.nameChars}
          value={typed}
          error={error}
          onChange={(event) => setTyped(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
