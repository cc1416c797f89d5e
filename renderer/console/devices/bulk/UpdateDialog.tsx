import { type ReactNode, useState } from "react";
import { isVersion } from "../../../../app/versions.ts";
import { Field } from "../../../ui/controls/Field.tsx";
import { Dialog } from "../../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../../ui/overlays/DialogForm.tsx";

type UpdateProps = {
  /** The newest version that a device has. "" if none has told its version. */
  readonly newest: string;
  readonly onVersion: (version: string) => void;
  readonly onClose: () => void;
};

/** Asks for the version that devices are to be updated to. */
export function UpdateDialog({ newest, onVersion, onClose }: UpdateProps): ReactNode {
  const [version, setVersion] = useState(newest);
  const [error, setError] = useState<string | null>(null);
  return (
    <Dialog title="Ask for an update of Gleaner" onClose={onClose}>
      <DialogForm
        action="Preview"
        onSubmit={() => {
          if (!isVersion(version.trim())) {
            setError('Enter three numbers, such as "0.2.0".');
            return undefined;
          }
          onVersion(version.trim());
          onClose();
          return undefined;
        }}
        onClose={onClose}
      >
        <Field
          label="Version"
          hint="The people at these devices are asked to update to it. The devices get jobs meanwhile."
          value={version}
          error={error}
          onChange={(event) => {
            setVersion(event.target.value);
            setError(null);
          }}
        />
      </DialogForm>
    </Dialog>
  );
}
