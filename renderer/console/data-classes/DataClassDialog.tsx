import { type ReactNode, useState } from "react";
import { type DataClass, dataClassLimits, lookers } from "../../../app/keys/data-classes.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { joinNames, splitNames } from "../../ui/names.ts";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";

type Props = {
  readonly edited: DataClass;
  readonly isNew: boolean;
  /** The names of the other classes. */
  readonly taken: readonly string[];
  readonly onSave: (saved: DataClass) => void;
  readonly onClose: () => void;
};

/** Edits the rules of a class of data. */
export function DataClassDialog({ edited, isNew, taken, onSave, onClose }: Props): ReactNode {
  const [name, setName] = useState(edited.name);
  const [groups, setGroups] = useState(joinNames(edited.groups));
  const [hours, setHours] = useState(String(edited.keptHours));
  const [looking, setLooking] = useState(edited.lookers);
  const { keptHours, nameChars, groups: mostGroups } = dataClassLimits;
  const kept = /^\d{1,3}$/.test(hours.trim()) ? Number(hours) : 0;
  const wrongTime = kept < keptHours.least || kept > keptHours.most;
  const isTaken = taken.includes(name.trim());
  const named = splitNames(groups);
  const isNamed = name.trim() !== "" && name.trim().length <= nameChars && !isTaken;
  return (
    <Dialog title={isNew ? "Add a data class" : `Data class ${edited.name}`} onClose={onClose}>
      <DialogForm
        action="Save"
        disabled={!isNamed || wrongTime || named.length > mostGroups}
        onSubmit={() => {
          onSave({ name: name.trim(), groups: named, keptHours: kept, lookers: looking });
          return undefined;
        }}
        onClose={onClose}
      >
        <Field
          label="Name"
          value={name}
          error={isTaken ? "There is a data class of this name." : null}
          onChange={(event) => setName(event.target.value)}
        />
        <Field
          label="Groups"
          hint="Devices in one of these groups get its jobs. Without groups those get them that you gave this class."
          value={groups}
          error={named.length > mostGroups ? `A data class has at most ${mostGroups} groups.` : null}
          onChange={(event) => setGroups(event.target.value)}
        />
        <Field
          label="Prompts and answers are kept for"
          hint="After the end of a job."
          unit="hours"
          inputMode="numeric"
          value={hours}
          error={wrongTime ? `From ${keptHours.least} to ${keptHours.most} hours.` : null}
          onChange={(event) => setHours(event.target.value)}
        />
        <Select
          label="Who may look at them"
          hint="Each look is recorded in the audit trail."
          value={looking}
          options={[
            { value: "requester", label: "The job's requester" },
            { value: "owners", label: "The requester and owners" },
            { value: "managers", label: "The requester, owners and administrators" },
          ]}
          onChange={(value) => setLooking(lookers.find((each) => each === value) ?? "requester")}
        />
      </DialogForm>
    </Dialog>
  );
}
