import { type ReactNode, useState } from "react";
import { limits } from "../../../app/jobs/limits.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { KeyMade } from "./KeyMade.tsx";
import type { ApiServer } from "./snippets.ts";

type Props = {
  readonly server: ApiServer;
  readonly model: string;
  /** Creates the key. Resolves to null if the server refused. */
  readonly onCreate: (name: string, dataClass: string) => Promise<string | null>;
  readonly onClose: () => void;
};

export function NewKey({ server, model, onCreate, onClose }: Props): ReactNode {
  const [typed, setTyped] = useState("");
  const [dataClass, setDataClass] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const name = typed.trim();
  if (secret !== null) {
    return (
      <Dialog title={`Key for ${name}`} onClose={onClose}>
        <KeyMade secret={secret} server={server} model={model} onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="New API key" onClose={onClose}>
      <DialogForm
        action="Create key"
        onSubmit={() => {
          if (name !== "") return onCreate(name, dataClass.trim()).then(setSecret);
          setError("Enter a name.");
          return undefined;
        }}
        onClose={onClose}
      >
        <Field
          label="Name"
          hint="The program or person that will use the key, e.g. “Nightly summaries”."
          maxLength={limits.nameChars}
          value={typed}
          error={error}
          onChange={(event) => {
            setTyped(event.target.value);
            setError(null);
          }}
        />
        <Field
          label="Data class (optional)"
          hint="Only devices with this class get the key's jobs, e.g. “medical”."
          maxLength={limits.nameChars}
          value={dataClass}
          onChange={(event) => setDataClass(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
