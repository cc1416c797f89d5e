import { useConvex, useQuery } from "convex/react";
import { type ChangeEvent, type ReactNode, useCallback, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { messageOf } from "../data/refusal.ts";
import { Prove, useSession } from "../data/session-context.ts";
import { passkeyProblem } from "../passkeys/offered.ts";
import { deviceErrorWords, signWithPasskey } from "../passkeys/use-passkeys.ts";
import { CodeField, wrongCodeWords } from "./CodeField.tsx";
import type { SignInProvider } from "./SignInForm.tsx";
import { goToProvider } from "./single-sign-on.ts";

/** Opens the dialog when an act needs a fresh proof, and lets the act go on afterwards. */
export function ProofProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [settle, setSettle] = useState<((proved: boolean) => void) | null>(null);
  const prove = useCallback(
    async () => await new Promise<boolean>((resolve) => setSettle(() => resolve)),
    [],
  );
  return (
    <Prove value={prove}>
      {children}
      {settle === null ? null : (
        <ProofDialog
          onEnd={(proved) => {
            setSettle(null);
            settle(proved);
          }}
        />
      )}
    </Prove>
  );
}

function ProofDialog({ onEnd }: { readonly onEnd: (proved: boolean) => void }): ReactNode {
  const client = useConvex();
  const session = useSession();
  const own = useQuery(api.console.access.signIn.own, { session });
  if (own === undefined) return null;
  const tried = async (proof: Promise<boolean>, wrong: string): Promise<string | null> => {
    try {
      const isRight = await proof;
      if (isRight) onEnd(true);
      return isRight ? null : wrong;
    } catch (error) {
      return deviceErrorWords(error) ?? messageOf(error);
    }
  };
  const provePasskey = async (): Promise<boolean> =>
    await client.action(api.console.access.passkeys.prove, {
      session,
      assertion: await signWithPasskey(client),
    });
  const { passwordAt, singleSignOn, providers, secondFactor, passkeys } = own;
  const hasPasskey = passkeys.length > 0 && passkeyProblem(window) === null;
  return (
    <ProofView
      hasSecondFactor={secondFactor !== null}
      hasPassword={passwordAt !== null}
      providers={singleSignOn ? providers : []}
      onPassword={async (password) =>
        await tried(
          client.action(api.console.access.passwords.prove, { session, password }),
          "This password is wrong.",
        )
      }
      onPasskey={hasPasskey ? () => tried(provePasskey(), "This passkey is not yours.") : null}
      onCode={async (code) =>
        await tried(client.action(api.console.access.secondFactor.prove, { session, code }), wrongCodeWords)
      }
      onProvider={async (chosen) => {
        const known = providers.find(({ providerId }) => providerId === chosen.providerId);
        if (known === undefined) return "This provider is not in use.";
        return await goToProvider(client, window, known.providerId, session).then(() => null, messageOf);
      }}
      onClose={() => onEnd(false)}
    />
  );
}

type ViewProps = {
  readonly hasPassword: boolean;
  readonly hasSecondFactor: boolean;
  readonly providers: readonly SignInProvider[];
  /** Each resolves to why it was refused, or to null. */
  readonly onPassword: (password: string) => Promise<string | null>;
  readonly onCode: (code: string) => Promise<string | null>;
  /** Null for a member without one. */
  readonly onPasskey: (() => Promise<string | null>) | null;
  readonly onProvider: (provider: SignInProvider) => Promise<string | null>;
  readonly onClose: () => void;
};

/** Asks the member to prove again who they are: with a code if they have an authenticator app, or with the password. */
export function ProofView(props: ViewProps): ReactNode {
  const { hasPassword, hasSecondFactor, providers, onPassword, onCode, onPasskey, onProvider, onClose } =
    props;
  const [byPassword, setByPassword] = useState(!hasSecondFactor);
  const [text, setText] = useState("");
  const [error, setError] = useState<string | null>(null);
  const change = (event: ChangeEvent<HTMLInputElement>): void => setText(event.target.value);
  const field = { autoFocus: onPasskey === null, value: text, error, onChange: change } as const;
  return (
    <Dialog title="Confirm it’s you" onClose={onClose}>
      <div className="grid gap-3">
        <p className="text-muted">
          This change lasts, and you signed in more than 30 minutes ago. Confirm that it is you who makes it.
        </p>
        {onPasskey === null ? null : (
          <Button autoFocus onClick={() => void onPasskey().then(setError)}>
            Confirm with a passkey
          </Button>
        )}
        {providers.map((provider) => (
          <Button key={provider.providerId} onClick={() => void onProvider(provider).then(setError)}>
            Confirm with {provider.name}
          </Button>
        ))}
        {providers.length === 0 ? null : (
          <p className="text-xs text-muted">You come back to this page, and then make the change again.</p>
        )}
        {hasPassword || hasSecondFactor ? (
          <DialogForm
            action="Confirm"
            disabled={text === ""}
            onSubmit={() => (byPassword ? onPassword(text) : onCode(text)).then(setError)}
            onClose={onClose}
          >
            {byPassword ? (
              <Field label="Password" type="password" autoComplete="current-password" {...field} />
            ) : (
              <CodeField {...field} />
            )}
            {hasPassword && hasSecondFactor ? (
              <div>
                <Button
                  size="sm"
                  look="quiet"
                  className="-ml-2.5"
                  onClick={() => {
                    setByPassword(!byPassword);
                    setText("");
                    setError(null);
                  }}
                >
                  {byPassword ? "Use a code instead" : "Use your password instead"}
                </Button>
              </div>
            ) : null}
          </DialogForm>
        ) : error === null ? null : (
          <p role="alert" className="text-bad">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
}
