import { type ReactNode, useState } from "react";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { DialogActions } from "../../ui/overlays/Dialog.tsx";
import { RowDialog } from "../../ui/overlays/RowDialog.tsx";
import type { DeviceRow } from "../data/rows.ts";
import { joinLabels, parseLabels } from "./parse-labels.ts";

type Labels = { readonly groups: string[]; readonly dataClasses: string[] };

type Props = {
  /** Null while the dialog is closed. */
  readonly device: DeviceRow | null;
  readonly onSave: (device: DeviceRow, labels: Labels) => void;
  readonly onClose: () => void;
};

/** Edits a device's groups and its classes of data. */
export function DeviceLabels({ device, onSave, onClose }: Props): ReactNode {
  return (
    <RowDialog row={device} title={(name) => `Groups of ${name}`} onClose={onClose}>
      {(row) => (
        <LabelsForm
          device={row}
          onSave={(labels) => {
            onSave(row, labels);
            onClose();
          }}
          onClose={onClose}
        />
      )}
    </RowDialog>
  );
}

type FormProps = {
  readonly device: DeviceRow;
  readonly onSave: (labels: Labels) => void;
  readonly onClose: () => void;
};

function LabelsForm({ device, onSave, onClose }: FormProps): ReactNode {
  const [groups, setGroups] = useState(joinLabels(device.groups));
  const [dataClasses, setDataClasses] = useState(joinLabels(device.dataClasses));
  return (
    <form
      noValidate
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onSave({ groups: parseLabels(groups), dataClasses: parseLabels(dataClasses) });
      }}
    >
      <Field
        autoFocus
        label="Groups"
        hint="Separate groups with commas. Jobs can require a group."
        value={groups}
        onChange={(event) => setGroups(event.target.value)}
      />
      <Field
        label="Classes of data"
        hint="Separate classes with commas. The device gets jobs of these classes and jobs without a class."
        value={dataClasses}
        onChange={(event) => setDataClasses(event.target.value)}
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary">
          Set
        </Button>
      </DialogActions>
    </form>
  );
}
