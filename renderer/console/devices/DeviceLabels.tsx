import { type ReactNode, useState } from "react";
import { Button } from "../../ui/Button.tsx";
import { DialogActions } from "../../ui/Dialog.tsx";
import { Field } from "../../ui/Field.tsx";
import { RowDialog } from "../../ui/RowDialog.tsx";
import type { DeviceRow } from "../data/rows.ts";
import { joinLabels, parseLabels } from "./parse-labels.ts";

type Labels = { readonly groups: string[]; readonly dataClasses: string[] };

type Props = {
  /** null while none is being labelled. */
  readonly device: DeviceRow | null;
  readonly onSave: (device: DeviceRow, labels: Labels) => void;
  readonly onClose: () => void;
};

/** A device's groups, and the classes of data that it may see. */
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
        hint="Separated by commas. Jobs can ask for a device of a group."
        value={groups}
        onChange={(event) => setGroups(event.target.value)}
      />
      <Field
        label="Classes of data"
        hint="Separated by commas. It gets jobs of these classes, and those of none."
        value={dataClasses}
        onChange={(event) => setDataClasses(event.target.value)}
      />
      <DialogActions>
        <Button onClick={onClose}>Never mind</Button>
        <Button type="submit" look="primary">
          Set
        </Button>
      </DialogActions>
    </form>
  );
}
