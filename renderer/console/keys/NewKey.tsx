import { type ReactNode, useState } from "react";
import { limits } from "../../../app/jobs/limits.ts";
import { useNow } from "../../ui/clock.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { AccessFields } from "./AccessFields.tsx";
import { KeyMade } from "./KeyMade.tsx";
import { type Access, parseAccess, typedAccess } from "./parse-access.ts";
import { parseLimits } from "./parse-limits.ts";
import type { ApiServer } from "./snippets.ts";

export type NewKeyValues = {
  readonly name: string;
  readonly dataClass: string;
  readonly access: Partial<Access>;
  /** Jobs at once; null: no limit. */
  readonly concurrency: number | null;
};

type Props = {
  readonly server: ApiServer;
  readonly model: string;
  /** The names of the organization's models. */
  readonly models: readonly string[];
  readonly needsCredits?: boolean;
  /** Creates the key. Resolves to null if the server refused. */
  readonly onCreate: (key: NewKeyValues) => Promise<string | null>;
  readonly onClose: () => void;
};

export function NewKey({ server, model, models, needsCredits = false, onCreate, onClose }: Props): ReactNode {
  const now = useNow();
  const [access, setAccess] = useState(() => typedAccess(null));
  const [concurrency, setConcurrency] = useState("");
  const parsed = parseAccess(access, now);
  const limited = parseLimits(concurrency, "");
  const [typed, setTyped] = useState("");
  const [dataClass, setDataClass] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const name = typed.trim();
  if (secret !== null) {
    return (
      <Dialog title={`Key for ${name}`} onClose={onClose}>
        <KeyMade secret={secret} server={server} model={model} needsCredits={needsCredits} onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="New API key" onClose={onClose}>
      <DialogForm
        action="Create key"
        disabled={parsed.kind === "wrong" || limited.kind === "wrong"}
        onSubmit={() => {
          if (name === "") setError("Enter a name.");
          if (name === "" || parsed.kind === "wrong" || limited.kind === "wrong") return undefined;
          const { concurrency: most } = limited.limits;
          const key = { name, dataClass: dataClass.trim(), access: parsed.access, concurrency: most };
          return onCreate(key).then(setSecret);
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
        <details>
          <summary className="cursor-pointer font-medium">Expiry, models, quotas and other bounds</summary>
          <div className="mt-3 grid gap-3">
            <AccessFields
              typed={access}
              parsed={parsed}
              models={models}
              expiresAt={null}
              onChange={setAccess}
            />
            <Field
              label="Jobs at once"
              hint="The number of its jobs that may run at once. Leave empty for no limit."
              inputMode="numeric"
              value={concurrency}
              error={limited.kind === "wrong" ? limited.concurrency : null}
              onChange={(event) => setConcurrency(event.target.value)}
            />
          </div>
        </details>
      </DialogForm>
    </Dialog>
  );
}
