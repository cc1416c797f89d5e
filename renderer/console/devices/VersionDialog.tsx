import { type ReactNode, useState } from "react";
import { isVersion } from "../../../app/versions.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";

type Props = {
  readonly title: string;
  readonly hint: string;
  /** The word on the button that goes on. */
  readonly action: string;
  readonly initial: string;
  /** Says what a version would change, while somebody types. Called with versions only. */
  readonly preview?: (version: string) => ReactNode;
  readonly onVersion: (version: string) => void;
  readonly onClose: () => void;
};

/** Asks for a version of Gleaner. */
export function VersionDialog({
  title,
  hint,
  action,
  initial,
  preview,
  onVersion,
  onClose,
}: Props): ReactNode {
  const [typed, setTyped] = useState(initial);
  const [error, setError] = useState<string | null>(null);
  const version = typed.trim();
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm
        action={action}
        onSubmit={() => {
          if (!isVersion(version)) {
            setError('Enter three numbers, such as "0.2.0".');
            return undefined;
          }
          onVersion(version);
          onClose();
          return undefined;
        }}
        onClose={onClose}
      >
        <Field
          label="Version"
          hint={hint}
          value={typed}
          error={error}
          onChange={(event) => {
            setTyped(event.target.value);
            setError(null);
          }}
        />
        {preview !== undefined && isVersion(version) ? preview(version) : null}
      </DialogForm>
    </Dialog>
  );
}
