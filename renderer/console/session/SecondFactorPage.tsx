import { useConvex } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Button } from "../../ui/controls/Button.tsx";
import { Form } from "../../ui/controls/Form.tsx";
import { messageOf } from "../data/refusal.ts";
import { FullPage } from "../shell/FullPage.tsx";
import { CodeField, wrongCodeWords } from "./CodeField.tsx";

type Props = {
  /** The session that begins after the code. */
  readonly session: string;
  readonly onSession: (session: string) => void;
  readonly onBack: () => void;
};

/** Asks for the second factor of somebody who gave the first one. */
export function SecondFactorPage({ session, onSession, onBack }: Props): ReactNode {
  const client = useConvex();
  return (
    <SecondFactorView
      onCode={async (code) => {
        try {
          const answer = await client.action(api.console.access.secondFactor.signIn, { session, code });
          if (answer.kind === "signed-in") {
            onSession(session);
            return null;
          }
          return answer.reason === "wrong"
            ? wrongCodeWords
            : "This sign-in took longer than ten minutes. Start again.";
        } catch (error) {
          return messageOf(error);
        }
      }}
      onBack={onBack}
    />
  );
}

type ViewProps = {
  /** Resolves to why it was refused, or to null. */
  readonly onCode: (code: string) => Promise<string | null>;
  readonly onBack: () => void;
};

export function SecondFactorView({ onCode, onBack }: ViewProps): ReactNode {
  const [code, setCode] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = (): void => {
    if (code.trim() === "" || busy) return;
    setBusy(true);
    void onCode(code)
      .then(setError)
      .finally(() => setBusy(false));
  };
  return (
    <FullPage title="One more step">
      <p>Your account is protected with a second factor.</p>
      <Form className="grid gap-3 text-ink" onSubmit={submit}>
        <CodeField autoFocus value={code} error={error} onChange={(event) => setCode(event.target.value)} />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" disabled={busy || code.trim() === ""}>
            Sign in
          </Button>
          <Button look="quiet" onClick={onBack}>
            Start again
          </Button>
        </div>
      </Form>
      <p className="text-xs">
        If you lost your phone and your recovery codes, ask an administrator to reset your second factor.
      </p>
    </FullPage>
  );
}
