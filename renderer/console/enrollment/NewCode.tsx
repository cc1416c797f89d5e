import { type ReactNode, useState } from "react";
import { limits } from "../../../app/jobs/limits.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { Dialog, DialogActions } from "../../ui/overlays/Dialog.tsx";

export type CodeWish = { readonly label: string; readonly uses: number; readonly expiresInHours: number };

type Props = {
  readonly open: boolean;
  /** Creates the code. Resolves to null if the server refused. */
  readonly onCreate: (wish: CodeWish) => Promise<string | null>;
  readonly onClose: () => void;
};

const lifetimes = [
  { value: "24", label: "1 day" },
  { value: "168", label: "1 week" },
  { value: "720", label: "30 days" },
];

export function NewCode({ open, onCreate, onClose }: Props): ReactNode {
  const [label, setLabel] = useState("");
  const [uses, setUses] = useState("10");
  const [hours, setHours] = useState("168");
  const [error, setError] = useState<"label" | "uses" | null>(null);
  const [code, setCode] = useState<string | null>(null);
  const close = (): void => {
    setLabel("");
    setError(null);
    setCode(null);
    onClose();
  };
  const submit = async (): Promise<void> => {
    if (label.trim() === "") setError("label");
    else if (!/^[1-9]\d{0,3}$/.test(uses.trim())) setError("uses");
    else setCode(await onCreate({ label: label.trim(), uses: Number(uses), expiresInHours: Number(hours) }));
  };
  return (
    <Dialog
      open={open}
      title={code === null ? "New enrollment code" : `The code for ${label.trim()}`}
      onClose={close}
    >
      {code !== null ? (
        <div className="grid grid-cols-1 gap-3">
          <p className="text-muted">
            Give it to the people who will join. They enter it in Gleaner's window. It is shown only now.
          </p>
          <Copyable text={code} label="the code" />
          <DialogActions>
            <Button look="primary" onClick={close}>
              I have copied it
            </Button>
          </DialogActions>
        </div>
      ) : (
        <form
          noValidate
          className="grid gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <Field
            autoFocus
            label="Label"
            hint="Its purpose, e.g. “Design team”."
            maxLength={limits.nameChars}
            value={label}
            error={error === "label" ? "Enter its purpose." : null}
            onChange={(event) => {
              setLabel(event.target.value);
              setError(null);
            }}
          />
          <div className="grid grid-cols-2 items-start gap-3">
            <Field
              label="Devices"
              inputMode="numeric"
              value={uses}
              error={error === "uses" ? "A number from 1 to 9999." : null}
              onChange={(event) => {
                setUses(event.target.value);
                setError(null);
              }}
            />
            <Select label="Works for" value={hours} options={lifetimes} onChange={setHours} />
          </div>
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" look="primary">
              Create the code
            </Button>
          </DialogActions>
        </form>
      )}
    </Dialog>
  );
}
