import { useConvex, useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Button } from "../../ui/controls/Button.tsx";
import { Form } from "../../ui/controls/Form.tsx";
import { SecondFactorCard } from "../account/SecondFactorCard.tsx";
import { messageOf } from "../data/refusal.ts";
import { useSession } from "../data/session-context.ts";
import { passkeyProblem } from "../passkeys/offered.ts";
import { PasskeysCard } from "../passkeys/PasskeysCard.tsx";
import { deviceErrorWords, signWithPasskey } from "../passkeys/use-passkeys.ts";
import { FullPage } from "../shell/FullPage.tsx";
import { CodeField, wrongCodeWords } from "./CodeField.tsx";

type Props = {
  readonly organization: string;
  /** Called when a setup begins, and when its recovery codes have been read. Until then this page must stay. */
  readonly onSettingUp: (isSettingUp: boolean) => void;
  readonly isSettingUp: boolean;
  readonly onSignOut: () => void;
};

/** The only page of a session that lacks the second factor that its organization requires. */
export function SecondFactorGate({ organization, isSettingUp, onSettingUp, onSignOut }: Props): ReactNode {
  const client = useConvex();
  const session = useSession();
  const own = useQuery(api.console.access.signIn.own, { session });
  const mustSetUp = isSettingUp || (own?.secondFactor === null && own.passkeys.length === 0);
  const tried = async (proof: Promise<boolean>, wrong: string): Promise<string | null> => {
    try {
      return (await proof) ? null : wrong;
    } catch (error) {
      return deviceErrorWords(error) ?? messageOf(error);
    }
  };
  const provePasskey = async (): Promise<boolean> =>
    await client.action(api.console.access.passkeys.prove, {
      session,
      assertion: await signWithPasskey(client),
    });
  return (
    <GateView
      organization={organization}
      setUp={
        mustSetUp ? (
          <>
            <PasskeysCard passkeys={[]} />
            <SecondFactorCard state={null} onSettingUp={onSettingUp} />
          </>
        ) : null
      }
      onPasskey={
        mustSetUp || own?.passkeys.length === 0 || passkeyProblem(window) !== null
          ? null
          : () => tried(provePasskey(), "This passkey is not yours.")
      }
      onCode={
        mustSetUp || own?.secondFactor == null
          ? null
          : (code) =>
              tried(client.action(api.console.access.secondFactor.prove, { session, code }), wrongCodeWords)
      }
      onSignOut={onSignOut}
    />
  );
}

type ViewProps = {
  readonly organization: string;
  /** The ways to set a second factor up, for a member who has none. */
  readonly setUp: ReactNode;
  /** Resolves to why it was refused, or to null. Null for a member without an authenticator app. */
  readonly onCode: ((code: string) => Promise<string | null>) | null;
  /** The same for a member without a passkey. */
  readonly onPasskey: (() => Promise<string | null>) | null;
  readonly onSignOut: () => void;
};

export function GateView({ organization, setUp, onCode, onPasskey, onSignOut }: ViewProps): ReactNode {
  const [code, setCode] = useState("");
  const [error, setError] = useState<string | null>(null);
  return (
    <FullPage title="A second factor is required">
      <p>
        {organization} asks for a second factor.{" "}
        {onCode === null && onPasskey === null ? "Set one up to go on." : "Confirm with yours to go on."}
      </p>
      <div className="grid gap-3 text-ink">{setUp}</div>
      {onPasskey === null ? null : (
        <Button look="primary" onClick={() => void onPasskey().then(setError)}>
          Confirm with a passkey
        </Button>
      )}
      {onCode !== null || error === null ? null : (
        <p role="alert" className="text-bad">
          {error}
        </p>
      )}
      {onCode === null ? null : (
        <Form className="grid gap-3 text-ink" onSubmit={() => void onCode(code).then(setError)}>
          <CodeField autoFocus value={code} error={error} onChange={(event) => setCode(event.target.value)} />
          <div>
            <Button type="submit" look="primary" disabled={code.trim() === ""}>
              Confirm
            </Button>
          </div>
        </Form>
      )}
      <div>
        <Button look="quiet" className="-ml-3" onClick={onSignOut}>
          Sign out
        </Button>
      </div>
    </FullPage>
  );
}
