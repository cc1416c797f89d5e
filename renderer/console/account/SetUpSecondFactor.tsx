import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { useLongAct } from "../data/session-context.ts";
import { QrCode } from "./QrCode.tsx";
import { RecoveryCodes } from "./RecoveryCodes.tsx";

type Props = {
  readonly secret: string;
  /** The address that the app reads from the QR code. */
  readonly uri: string;
  readonly onClose: () => void;
};

/** Sets an authenticator app up, and shows the recovery codes once. */
export function SetUpSecondFactor({ secret, uri, onClose }: Props): ReactNode {
  const confirm = useLongAct(api.console.access.secondFactor.confirm);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const onCode = async (code: string): Promise<string | null> => {
    let problem: string | null = null;
    await confirm({ code }, (answer) => {
      if (answer === null) problem = "This code is wrong. Type the present one, and check the phone’s clock.";
      else setCodes(answer);
      return null;
    });
    return problem;
  };
  return <SetUpView secret={secret} uri={uri} codes={codes} onCode={onCode} onClose={onClose} />;
}

type ViewProps = Props & {
  /** Null until the setup is confirmed. */
  readonly codes: readonly string[] | null;
  /** Resolves to why it was refused, or to null. */
  readonly onCode: (code: string) => Promise<string | null>;
};

export function SetUpView({ secret, uri, codes, onCode, onClose }: ViewProps): ReactNode {
  const [code, setCode] = useState("");
  const [error, setError] = useState<string | null>(null);
  if (codes !== null) {
    return (
      <Dialog title="Your recovery codes" onClose={onClose}>
        <RecoveryCodes codes={codes} onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Set up an authenticator app" onClose={onClose}>
      <DialogForm
        action="Confirm"
        disabled={code.trim() === ""}
        onSubmit={() => onCode(code).then(setError)}
        onClose={onClose}
      >
        <p className="text-muted">
          Scan this with an authenticator app, such as the one of your password manager. Then type the code
          that it shows.
        </p>
        <div className="grid justify-items-center">
          <QrCode text={uri} label="QR code for an authenticator app" />
        </div>
        <Field
          autoFocus
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={10}
          value={code}
          error={error}
          onChange={(event) => setCode(event.target.value)}
        />
        <details>
          <summary className="cursor-pointer text-muted">Type the secret instead</summary>
          <div className="mt-2">
            <Copyable wrap text={(secret.match(/.{1,4}/g) ?? []).join(" ")} label="the secret" />
          </div>
        </details>
      </DialogForm>
    </Dialog>
  );
}
