import { type ReactNode, useState } from "react";
import { Field } from "../../../ui/controls/Field.tsx";
import { Dialog } from "../../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../../ui/overlays/DialogForm.tsx";

type GroupProps = { readonly onGroup: (group: string) => void; readonly onClose: () => void };

/** Asks for the group to move devices to. */
export function GroupDialog({ onGroup, onClose }: GroupProps): ReactNode {
  const [group, setGroup] = useState("");
  return (
    <Dialog title="Move devices to a group" onClose={onClose}>
      <DialogForm
        action="Preview"
        onSubmit={() => {
          onGroup(group.trim());
          onClose();
          return undefined;
        }}
        onClose={onClose}
      >
        <Field
          label="Group"
          hint="It replaces the groups that the devices are in. Empty: the devices leave all groups."
          maxLength={120}
          value={group}
          onChange={(event) => setGroup(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
