import type { ConvexReactClient } from "convex/react";
import type { FunctionReturnType } from "convex/server";
import { type ReactNode, useEffect, useState } from "react";
import { plural } from "../../../app/format/quantity.ts";
import { limits } from "../../../app/jobs/limits.ts";
import { roleDescriptions, roleWords } from "../../../app/people/roles.ts";
import { api } from "../../../convex/_generated/api.js";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Form } from "../../ui/controls/Form.tsx";
import { messageOf } from "../data/refusal.ts";
import { makeSecret } from "../secrets/make-secret.ts";
import { FullPage } from "../shell/FullPage.tsx";
import type { SessionStore } from "./session-store.ts";

type Shown = FunctionReturnType<typeof api.console.account.invitation>;
type Open = Extract<Shown, { kind: "open" }>;
type Refused = Extract<Shown, { kind: "refused" }>;

/** Why an invitation does not work. */
export const invitationRefusals: Readonly<Record<Refused["reason"], string>> = {
  "unknown-invitation": "This invitation is not valid on this server.",
  expired: "This invitation has expired. Ask for a new one.",
  used: "This invitation was already accepted. Each link works only once.",
  revoked: "This invitation was withdrawn. Ask for a new one.",
  "address-taken":
    "Its e-mail address belongs to a member already. Sign in instead, or ask for a sign-in link.",
};

type Props = {
  readonly client: ConvexReactClient;
  readonly store: SessionStore;
  readonly token: string;
  /** Called when the member is signed in, or goes on without the invitation. */
  readonly onDone: () => void;
};

/** Shows an invitation, asks for the name, and signs the new member in. */
export function Invitation({ client, store, token, onDone }: Props): ReactNode {
  const [shown, setShown] = useState<Shown | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    client.query(api.console.account.invitation, { token }).then(
      (found) =>
        setShown(
          found.kind === "open" && found.expiresAt <= Date.now()
            ? { kind: "refused", reason: "expired" }
            : found,
        ),
      (failed: unknown) => setError(messageOf(failed)),
    );
  }, [client, token]);
  const accept = async (name: string): Promise<void> => {
    const session = makeSecret("gs_");
    try {
      const given = { token, session, name, agent: navigator.userAgent };
      const answer = await client.mutation(api.console.account.acceptInvite, given);
      if (answer.kind === "refused") {
        setShown(answer);
        return;
      }
      store.save(session);
      onDone();
    } catch (failed) {
      setError(messageOf(failed));
    }
  };
  if (shown?.kind === "open") return <OpenInvitation invitation={shown} error={error} onAccept={accept} />;
  if (shown === null && error === null) return <FullPage title="Opening your invitation…" />;
  return (
    <FullPage title="This invitation does not work">
      <p className="text-bad">{shown === null ? error : invitationRefusals[shown.reason]}</p>
      <div>
        <Button onClick={onDone}>Continue to sign in</Button>
      </div>
    </FullPage>
  );
}

type OpenProps = {
  readonly invitation: Open;
  readonly error: string | null;
  readonly onAccept: (name: string) => Promise<void>;
};

export function OpenInvitation({ invitation, error, onAccept }: OpenProps): ReactNode {
  const { organization, invitedBy, roles, email } = invitation;
  const [typed, setTyped] = useState(invitation.name);
  const [isMissing, setIsMissing] = useState(false);
  const [busy, setBusy] = useState(false);
  const name = typed.trim();
  const submit = (): void => {
    setIsMissing(name === "");
    if (name === "" || busy) return;
    setBusy(true);
    void onAccept(name).finally(() => setBusy(false));
  };
  return (
    <FullPage title={`Join ${organization}`}>
      <p>
        {email === null
          ? `${invitedBy} invites you to ${organization}.`
          : `${invitedBy} invites you to ${organization} as ${email}.`}{" "}
        {plural(roles.length, ["You get this role:", "You get these roles:"])}
      </p>
      <ul className="grid gap-1.5">
        {roles.map((role) => (
          <li key={role}>
            <span className="font-medium text-ink">{roleWords(role)}.</span> {roleDescriptions[role]}
          </li>
        ))}
      </ul>
      <Form onSubmit={submit}>
        <Field
          label="Your name"
          autoComplete="name"
          maxLength={limits.nameChars}
          value={typed}
          error={isMissing ? "Enter your name." : error}
          onChange={(event) => setTyped(event.target.value)}
        />
        <div>
          <Button type="submit" look="primary" disabled={busy}>
            Join
          </Button>
        </div>
      </Form>
    </FullPage>
  );
}
