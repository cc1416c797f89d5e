import { type ReactNode, useState } from "react";
import { passwordProblem } from "../../../app/people/passwords.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";

type Props = {
  /** What others know about the member. */
  readonly about: readonly string[];
  /** Resolves to whether the server accepted it. */
  readonly onSet: (password: string) => Promise<boolean>;
  readonly onClose: () => void;
};

/** Asks for a new password twice. */
export function NewPassword({ about, onSet, onClose }: Props): ReactNode {
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [error, setError] = useState<string | null>(null);
  const problem = (): string | null =>
    passwordProblem(password, about) ?? (password === again ? null : "The two passwords differ.");
  return (
    <Dialog title="New password" onClose={onClose}>
      <DialogForm
        action="Set password"
        onSubmit={() => {
          const found = problem();
          setError(found);
          if (found !== null) return undefined;
          return onSet(password).then((accepted) => {
            if (accepted) onClose();
          });
        }}
        onClose={onClose}
      >
        <Field
          autoFocus
          label="New password"
          hint="At least 12 characters. Several words that do not belong together are good."
          type="password"
          autoComplete="new-password"
          value={password}
          error={error}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Field
          label="Again"
          type="password"
          autoComplete="new-password"
          value={again}
          onChange={(event) => setAgain(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
