import { type ReactNode, useState } from "react";
import { limits } from "../../../app/jobs/limits.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { ShownOnce } from "../secrets/ShownOnce.tsx";

type CodeOptions = { readonly label: string; readonly uses: number; readonly expiresInHours: number };

type Props = {
  /** Creates the code. Resolves to null if the server refused. */
  readonly onCreate: (options: CodeOptions) => Promise<string | null>;
  readonly onClose: () => void;
};

const lifetimes = [
  { value: "24", label: "1 day" },
  { value: "168", label: "1 week" },
  { value: "720", label: "30 days" },
];

export function NewCode({ onCreate, onClose }: Props): ReactNode {
  const [label, setLabel] = useState("");
  const [uses, setUses] = useState("10");
  const [hours, setHours] = useState("168");
  const [error, setError] = useState<"label" | "uses" | null>(null);
  const [code, setCode] = useState<string | null>(null);
  const name = label.trim();
  if (code !== null) {
    return (
      <Dialog title={`Code for ${name}`} onClose={onClose}>
        <ShownOnce secret={code} name="code" onDone={onClose}>
          Send this code to the people who will join. They enter it in Gleaner's window.
        </ShownOnce>
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
          return onCreate({ label: name, uses: Number(uses), expiresInHours: Number(hours) }).then(setCode);
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
      </DialogForm>
    </Dialog>
  );
}
