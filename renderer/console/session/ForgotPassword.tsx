import { type ReactNode, useState } from "react";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Form } from "../../ui/controls/Form.tsx";

type Props = {
  readonly initialEmail: string;
  /** Resolves to why it was refused, or to null. */
  readonly onAsk: (email: string) => Promise<string | null>;
  readonly onBack: () => void;
};

/** Asks for the address to which a link is mailed. The answer does not tell whether anybody has it. */
export function ForgotPassword({ initialEmail, onAsk, onBack }: Props): ReactNode {
  const [email, setEmail] = useState(initialEmail);
  const [error, setError] = useState<string | null>(null);
  const [isAsked, setIsAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const submit = (): void => {
    if (email.trim() === "") {
      setError("Enter your e-mail address.");
      return;
    }
    setBusy(true);
    void onAsk(email)
      .then((refused) => {
        setError(refused);
        setIsAsked(refused === null);
      })
      .finally(() => setBusy(false));
  };
  return (
    <Form className="grid gap-3 text-ink" onSubmit={submit}>
      {isAsked ? (
        <p role="status">
          If a member has this address, a link is on its way. It signs you in once, within an hour. Then set a
          new password on the page Account.
        </p>
      ) : (
        <Field
          autoFocus
          label="E-mail address"
          hint="A link that signs you in is mailed to it."
          type="email"
          autoComplete="username"
          value={email}
          error={error}
          onChange={(event) => setEmail(event.target.value)}
        />
      )}
      <div className="flex flex-wrap gap-2">
        {isAsked ? null : (
          <Button type="submit" look="primary" disabled={busy}>
            Mail me a link
          </Button>
        )}
        <Button look="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </Form>
  );
}
