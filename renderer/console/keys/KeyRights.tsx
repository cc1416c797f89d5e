import { type ReactNode, useState } from "react";
import { priorities } from "../../../app/jobs/priority.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { joinNames } from "../../ui/names.ts";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { priorityWords } from "../data/priority-words.ts";
import type { KeyRow } from "../data/rows.ts";
import { parseRequirements } from "./parse-requirements.ts";

export type Rights = Pick<KeyRow, "highestPriority" | "requirements" | "mayRequire"> & {
  /** Empty: none but the key's own. */
  readonly highestDataClass: string;
};

type Props = {
  readonly limited: KeyRow;
  readonly onSave: (rights: Rights) => void;
  readonly onClose: () => void;
};

/** Edits what the requests of an API key may ask for, and what they require of devices. */
export function KeyRights({ limited, onSave, onClose }: Props): ReactNode {
  const { requirements } = limited;
  const [highestPriority, setHighestPriority] = useState(limited.highestPriority);
  const [highestDataClass, setHighestDataClass] = useState(limited.highestDataClass ?? "");
  const [mayRequire, setMayRequire] = useState(limited.mayRequire);
  const [typed, setTyped] = useState({
    groups: joinNames(requirements.groups ?? []),
    tags: joinNames(requirements.tags ?? []),
    gpu: requirements.gpu === true,
    memoryGb: requirements.memoryGb?.toString() ?? "",
    vramGb: requirements.vramGb?.toString() ?? "",
    dataClass: requirements.dataClass ?? "",
  });
  const parsed = parseRequirements(typed);
  const field = (name: "groups" | "tags" | "memoryGb" | "vramGb" | "dataClass") => ({
    value: typed[name],
    error: parsed.kind === "wrong" && parsed.field === name ? parsed.why : null,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setTyped({ ...typed, [name]: event.target.value }),
  });
  return (
    <Dialog title={`Rights of ${limited.name}`} onClose={onClose}>
      <DialogForm
        action="Save"
        disabled={parsed.kind === "wrong"}
        onSubmit={() => {
          if (parsed.kind === "wrong") return;
          onSave({
            highestPriority,
            requirements: parsed.requirements,
            mayRequire,
            highestDataClass: highestDataClass.trim(),
          });
          onClose();
        }}
        onClose={onClose}
      >
        <Select
          label="Highest priority"
          hint="Requests that ask for more are refused. The page Models says what priorities cost."
          value={highestPriority}
          options={priorities.map((value) => ({ value, label: priorityWords[value] }))}
          onChange={(value) => setHighestPriority(priorities.find((each) => each === value) ?? "low")}
        />
        <Field label="Groups" hint="Its jobs go to devices in one of these groups." {...field("groups")} />
        <Field label="Tags" hint="Its jobs go to devices with all of these tags." {...field("tags")} />
        <Field
          label="Data class"
          hint="Of its jobs whose requests name none. Devices that may get this class do them."
          {...field("dataClass")}
        />
        <Field
          label="Highest data class"
          hint="Its requests may name more sensitive classes up to this one. Empty: none."
          value={highestDataClass}
          onChange={(event) => setHighestDataClass(event.target.value)}
        />
        <Field label="Least memory" unit="GB" inputMode="numeric" {...field("memoryGb")} />
        <Select
          label="GPU"
          value={typed.gpu ? "yes" : "no"}
          options={[
            { value: "no", label: "Not required" },
            { value: "yes", label: "Required" },
          ]}
          onChange={(value) => setTyped({ ...typed, gpu: value === "yes" })}
        />
        <Field
          label="Least free GPU memory"
          hint="Of one GPU. Its jobs wait while no device has that much."
          unit="GB"
          inputMode="numeric"
          {...field("vramGb")}
        />
        <Select
          label="Requests may require more"
          hint="With the header Gleaner-Requires. They can add to the above, and never take any away."
          value={mayRequire ? "yes" : "no"}
          options={[
            { value: "no", label: "No" },
            { value: "yes", label: "Yes" },
          ]}
          onChange={(value) => setMayRequire(value === "yes")}
        />
      </DialogForm>
    </Dialog>
  );
}
