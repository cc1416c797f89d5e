import { type ReactNode, useState } from "react";
import { type JobPriority, priorities } from "../../../app/jobs/priority.ts";
import { Select } from "../../ui/controls/Select.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { KeyRow } from "../data/rows.ts";

export type Rights = Pick<KeyRow, "highestPriority">;

type Props = {
  readonly limited: KeyRow;
  readonly onSave: (rights: Rights) => void;
  readonly onClose: () => void;
};

const priorityWords: Readonly<Record<JobPriority, string>> = { low: "Low", normal: "Normal", high: "High" };

/** Edits what the requests of an API key may ask for. */
export function KeyRights({ limited, onSave, onClose }: Props): ReactNode {
  const [highestPriority, setHighestPriority] = useState(limited.highestPriority);
  return (
    <Dialog title={`Rights of ${limited.name}`} onClose={onClose}>
      <DialogForm
        action="Save"
        onSubmit={() => {
          onSave({ highestPriority });
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
      </DialogForm>
    </Dialog>
  );
}
