import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { useAct, useLongAct, useMe, useSession } from "../data/session-context.ts";
import { PasskeysCard } from "../passkeys/PasskeysCard.tsx";
import { NewPassword } from "./NewPassword.tsx";
import { SecondFactorCard } from "./SecondFactorCard.tsx";

/** How the member signs in. */
export function SecurityCards(): ReactNode {
  const session = useSession();
  const { email, name } = useMe();
  const own = useQuery(api.console.access.signIn.own, { session });
  const set = useLongAct(api.console.access.passwords.set);
  const remove = useAct(api.console.access.signIn.removePassword);
  return (
    <SecurityView
      own={own}
      email={email}
      about={[name, email ?? ""]}
      onSet={async (password) =>
        await set({ password }, "Your password was set. Your other sessions have ended.")
      }
      onRemove={() => void remove({}, "Your password was removed.")}
      secondFactor={
        own === undefined ? null : (
          <>
            <PasskeysCard passkeys={own.passkeys} />
            <SecondFactorCard state={own.secondFactor} />
          </>
        )
      }
    />
  );
}

type ViewProps = {
  /** Undefined while it loads. */
  readonly own:
    | {
        readonly passwordAt: number | null;
        readonly singleSignOn: boolean;
        readonly providers: readonly { readonly name: string }[];
      }
    | undefined;
  readonly email: string | null;
  readonly about: readonly string[];
  readonly onSet: (password: string) => Promise<boolean>;
  readonly onRemove: () => void;
  readonly secondFactor: ReactNode;
};

export function SecurityView({ own, email, about, onSet, onRemove, secondFactor }: ViewProps): ReactNode {
  const [asked, setAsked] = useState<"set" | "remove" | null>(null);
  const close = (): void => setAsked(null);
  const passwordAt = own?.passwordAt ?? null;
  return (
    <>
      <Card
        title="Password"
        aside={
          own === undefined ? null : (
            <div className="flex gap-1.5">
              <Button size="sm" disabled={email === null} onClick={() => setAsked("set")}>
                {passwordAt === null ? "Set a password" : "Change password"}
              </Button>
              {passwordAt === null ? null : (
                <Button size="sm" look="quiet" onClick={() => setAsked("remove")}>
                  Remove password
                </Button>
              )}
            </div>
          )
        }
      >
        <p className="text-muted">
          {own === undefined ? " " : null}
          {own !== undefined && email === null
            ? "You have no e-mail address yet. Add one first, since you sign in with it and the password."
            : null}
          {own !== undefined && email !== null && passwordAt === null
            ? "You have no password. You sign in with one-time links or your organization’s provider."
            : null}
          {passwordAt === null || email === null ? null : (
            <>
              You sign in with {email} and the password that you set <RelativeTime at={passwordAt} />.
            </>
          )}
        </p>
      </Card>
      {secondFactor}
      {own === undefined || (own.providers.length === 0 && !own.singleSignOn) ? null : (
        <Card title="Single sign-on">
          <p className="text-muted">
            {own.singleSignOn
              ? "Your account is linked to your organization’s provider, which decides on your roles."
              : `Sign in with ${own.providers.map(({ name }) => name).join(" or ")} once to link your account to it.`}
          </p>
        </Card>
      )}
      {asked === "set" ? <NewPassword about={about} onSet={onSet} onClose={close} /> : null}
      {asked === "remove" ? (
        <Confirm title="Remove your password?" action="Remove" danger onConfirm={onRemove} onClose={close}>
          You then need a one-time link or your organization’s provider to sign in.
        </Confirm>
      ) : null}
    </>
  );
}
