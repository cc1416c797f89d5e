import { type ReactNode, useState } from "react";
import { limits } from "../../../app/jobs/limits.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog, DialogActions } from "../../ui/overlays/Dialog.tsx";
import { KeyMade } from "./KeyMade.tsx";

type Props = {
  readonly open: boolean;
  readonly apiBase: string;
  readonly model: string;
  /** Creates the key. Resolves to null if the server refused. */
  readonly onCreate: (name: string, dataClass: string) => Promise<string | null>;
  readonly onClose: () => void;
};

export function NewKey({ open, apiBase, model, onCreate, onClose }: Props): ReactNode {
  const [name, setName] = useState("");
  const [dataClass, setDataClass] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = (): void => {
    setName("");
    setDataClass("");
    setError(null);
    setSecret(null);
    onClose();
  };
  const submit = async (): Promise<void> => {
    if (name.trim() === "") setError("Enter the program or the person that will use it.");
    else setSecret(await onCreate(name.trim(), dataClass.trim()));
  };
  return (
    <Dialog
      open={open}
      title={secret === null ? "New API key" : `The key for ${name.trim()}`}
      onClose={close}
    >
      {secret !== null ? (
        <KeyMade secret={secret} apiBase={apiBase} model={model} onDone={close} />
      ) : (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <Field
            autoFocus
            label="Name"
            hint="The program or person that will use it, e.g. “Nightly summaries”."
            maxLength={limits.nameChars}
            value={name}
            error={error}
            onChange={(event) => {
              setName(event.target.value);
              setError(null);
            }}
          />
          <Field
            className="mt-3"
            label="Class of data (optional)"
            hint="Only devices with this class get the key's jobs, e.g. “medical”."
            maxLength={limits.nameChars}
            value={dataClass}
            onChange={(event) => setDataClass(event.target.value)}
          />
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" look="primary">
              Create the key
            </Button>
          </DialogActions>
        </form>
      )}
    </Dialog>
  );
}
