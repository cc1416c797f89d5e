import { type ReactNode, useState } from "react";
import { defaultCode } from "../../../app/enrollment.ts";
import { limits } from "../../../app/jobs/limits.ts";
import type { JoinAddress } from "../../../app/join-command.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { Switch } from "../../ui/controls/Switch.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { OwnerId } from "../data/rows.ts";
import { CodeMade } from "./CodeMade.tsx";

type CodeOptions = {
  readonly label: string;
  readonly uses: number;
  readonly expiresInHours: number;
  readonly needsApproval: boolean;
  readonly owner?: OwnerId;
};

type Props = {
  /** The address by which devices join; null while it loads. */
  readonly address: JoinAddress | null;
  /** The console's address, as this browser opened it. */
  readonly page: string;
  /** Chooses to whom the devices will belong. */
  readonly ownerPicker: (value: OwnerId | null, onChange: (owner: OwnerId | null) => void) => ReactNode;
  /** Creates the code. Resolves to null if the server refused. */
  readonly onCreate: (options: CodeOptions) => Promise<string | null>;
  readonly onClose: () => void;
};

const lifetimes = [
  { value: "24", label: "1 day" },
  { value: "168", label: "1 week" },
  { value: "720", label: "30 days" },
];

export function NewCode({ address, page, ownerPicker, onCreate, onClose }: Props): ReactNode {
  const [label, setLabel] = useState("");
  const [uses, setUses] = useState(String(defaultCode.uses));
  const [hours, setHours] = useState(String(defaultCode.expiresInHours));
  const [owner, setOwner] = useState<OwnerId | null>(null);
  const [needsApproval, setNeedsApproval] = useState(false);
  const [error, setError] = useState<"label" | "uses" | null>(null);
  const [code, setCode] = useState<string | null>(null);
  const name = label.trim();
  if (code !== null) {
    return (
      <Dialog title={`Code for ${name}`} onClose={onClose}>
        <CodeMade code={code} address={address} page={page} onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="New enrollment code" onClose={onClose}>
      <DialogForm
        action="Create code"
        onSubmit={() => {
          const wrong = name === "" ? "label" : /^[1-9]\d{0,3}$/.test(uses.trim()) ? null : "uses";
          setError(wrong);
          if (wrong !== null) return undefined;
          const options = {
            label: name,
            uses: Number(uses),
            expiresInHours: Number(hours),
            needsApproval,
            ...(owner === null ? {} : { owner }),
          };
          return onCreate(options).then(setCode);
        }}
        onClose={onClose}
      >
        <Field
          label="Label"
          hint="The people who will use it, e.g. “Design team”."
          maxLength={limits.nameChars}
          value={label}
          error={error === "label" ? "Enter a label." : null}
          onChange={(event) => {
            setLabel(event.target.value);
            setError(null);
          }}
        />
        <div className="grid grid-cols-2 items-start gap-3">
          <Field
            label="Number of devices"
            inputMode="numeric"
            value={uses}
            error={error === "uses" ? "Enter a number from 1 to 9,999." : null}
            onChange={(event) => {
              setUses(event.target.value);
              setError(null);
            }}
          />
          <Select label="Valid for" value={hours} options={lifetimes} onChange={setHours} />
        </div>
        {ownerPicker(owner, setOwner)}
        {/* A click on the words works the switch, too. */}
        <label className="flex items-start justify-between gap-3">
          <span>
            <span className="block font-medium">Approve each device</span>
            <span className="block text-xs text-muted">
              A new device waits on the Devices page, and gets nothing until you approve it.
            </span>
          </span>
          <Switch label="Approve each device" checked={needsApproval} onChange={setNeedsApproval} />
        </label>
      </DialogForm>
    </Dialog>
  );
}
