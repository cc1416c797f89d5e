import { type ReactNode, useState } from "react";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Form } from "../../ui/controls/Form.tsx";
import { ForgotPassword } from "./ForgotPassword.tsx";

export type SignInProvider = { readonly providerId: string; readonly name: string };

type Props = {
  readonly providers: readonly SignInProvider[];
  /** Each resolves to why it was refused, or to null. */
  readonly onPassword: (email: string, password: string) => Promise<string | null>;
  readonly onProvider: (provider: SignInProvider) => Promise<string | null>;
  /** Null where passkeys do not work. */
  readonly onPasskey: (() => Promise<string | null>) | null;
  /** Mails a link. Null: the organization has no mail server. */
  readonly onForgot: ((email: string) => Promise<string | null>) | null;
};

/** The ways to sign in without a link: the organization's providers, and an address with a password. */
export function SignInForm({ providers, onPassword, onProvider, onPasskey, onForgot }: Props): ReactNode {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [isForgotten, setIsForgotten] = useState(false);
  const attempt = (tried: Promise<string | null>): void => {
    setBusy(true);
    setError(null);
    void tried.then(setError).finally(() => setBusy(false));
  };
  if (isForgotten && onForgot !== null) {
    return <ForgotPassword initialEmail={email} onAsk={onForgot} onBack={() => setIsForgotten(false)} />;
  }
  return (
    <div className="grid gap-4 text-ink">
      {providers.map((provider) => (
        <Button
          key={provider.providerId}
          look="primary"
          disabled={busy}
          onClick={() => attempt(onProvider(provider))}
        >
          Sign in with {provider.name}
        </Button>
      ))}
      <Form
        onSubmit={() => {
          if (email.trim() !== "" && password !== "") attempt(onPassword(email, password));
          else setError("Enter your e-mail address and your password.");
        }}
      >
        <Field
          label="E-mail address"
          type="email"
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Field
          label="Password"
          type="password"
          autoComplete="current-password"
          value={password}
          error={error}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Button type="submit" look={providers.length === 0 ? "primary" : "plain"} disabled={busy}>
          Sign in
        </Button>
      </Form>
      {onForgot === null ? null : (
        <div className="-mt-2 justify-self-start">
          <Button size="sm" look="quiet" className="-ml-2.5" onClick={() => setIsForgotten(true)}>
            Forgot your password?
          </Button>
        </div>
      )}
      {onPasskey === null ? null : (
        <Button disabled={busy} onClick={() => attempt(onPasskey())}>
          Sign in with a passkey
        </Button>
      )}
    </div>
  );
}
