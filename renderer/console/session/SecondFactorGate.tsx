import { useConvex, useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Button } from "../../ui/controls/Button.tsx";
import { Form } from "../../ui/controls/Form.tsx";
import { SecondFactorCard } from "../account/SecondFactorCard.tsx";
import { messageOf } from "../data/refusal.ts";
import { useSession } from "../data/session-context.ts";
import { FullPage } from "../shell/FullPage.tsx";
import { CodeField, wrongCodeWords } from "./CodeField.tsx";

type Props = {
  readonly organization: string;
  /** Called when a setup begins, and when its recovery codes have been read. Until then this page must stay. */
  readonly onSettingUp: (isSettingUp: boolean) => void;
  readonly isSettingUp: boolean;
  readonly onSignOut: () => void;
};

/** All that a member sees whose session lacks the second factor that the organization asks for. */
export function SecondFactorGate({ organization, isSettingUp, onSettingUp, onSignOut }: Props): ReactNode {
  const client = useConvex();
  const session = useSession();
  const own = useQuery(api.console.signIn.own, { session });
  const mustSetUp = isSettingUp || own?.secondFactor === null;
  return (
    <GateView
      organization={organization}
      setUp={mustSetUp ? <SecondFactorCard state={null} onSettingUp={onSettingUp} /> : null}
      onCode={
        own === undefined || mustSetUp
          ? null
          : async (code) => {
              try {
                const isRight = await client.action(api.console.secondFactor.prove, { session, code });
                return isRight ? null : wrongCodeWords;
              } catch (error) {
                return messageOf(error);
              }
            }
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
  readonly onSignOut: () => void;
};

export function GateView({ organization, setUp, onCode, onSignOut }: ViewProps): ReactNode {
  const [code, setCode] = useState("");
  const [error, setError] = useState<string | null>(null);
  return (
    <FullPage title="A second factor is required">
      <p>
        {organization} asks for a second factor.{" "}
        {onCode === null ? "Set one up to go on." : "Confirm with yours to go on."}
      </p>
      <div className="grid gap-3 text-ink">{setUp}</div>
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
        <Button look="quiet" onClick={onSignOut}>
          Sign out
        </Button>
      </div>
    </FullPage>
  );
}
