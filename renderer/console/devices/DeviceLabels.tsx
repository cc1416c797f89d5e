import { type ReactNode, useState } from "react";
import { Field } from "../../ui/controls/Field.tsx";
import { joinNames, splitNames } from "../../ui/names.ts";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { DeviceRow } from "../data/rows.ts";

type Labels = { readonly groups: string[]; readonly tags: string[]; readonly dataClasses: string[] };

type Props = {
  readonly device: DeviceRow;
  readonly onSave: (labels: Labels) => void;
  readonly onClose: () => void;
};

/** Edits a device's groups, tags and data classes. */
export function DeviceLabels({ device, onSave, onClose }: Props): ReactNode {
  const [groups, setGroups] = useState(joinNames(device.groups));
  const [tags, setTags] = useState(joinNames(device.tags));
  const [dataClasses, setDataClasses] = useState(joinNames(device.dataClasses));
  return (
    <Dialog title={`Groups and tags of ${device.name}`} onClose={onClose}>
      <DialogForm
        action="Save"
        onSubmit={() => {
          onSave({
            groups: splitNames(groups),
            tags: splitNames(tags),
            dataClasses: splitNames(dataClasses),
          });
          onClose();
        }}
        onClose={onClose}
      >
        <Field
          label="Groups"
          hint="Separate groups with commas. Policies and jobs can name a group. Once you change them, no rule of groups moves the device."
          value={groups}
          onChange={(event) => setGroups(event.target.value)}
        />
        <Field
          label="Tags"
          hint="Separate tags with commas. API keys and requests can require tags, e.g. “encrypted disk”."
          value={tags}
          onChange={(event) => setTags(event.target.value)}
        />
        <Field
          label="Data classes"
          hint="Separate classes with commas. The device gets jobs of these classes and jobs without a class."
          value={dataClasses}
          onChange={(event) => setDataClasses(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
