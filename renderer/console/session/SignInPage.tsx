import { useConvex, useQuery } from "convex/react";
import type { ReactNode } from "react";
import { api } from "../../../convex/_generated/api.js";
import { messageOf } from "../data/refusal.ts";
import { passkeyProblem } from "../passkeys/offered.ts";
import { deviceErrorWords, signWithPasskey, thisPage } from "../passkeys/use-passkeys.ts";
import { makeSecret } from "../secrets/make-secret.ts";
import { organizationInHash } from "./organization-in-hash.ts";
import { SignedOut, type SignedOutReason } from "./SignedOut.tsx";
import { SignInForm } from "./SignInForm.tsx";
import { goToProvider } from "./single-sign-on.ts";

type Props = {
  readonly reason: SignedOutReason;
  readonly onSession: (session: string) => void;
  /** The sign-in with this session waits for the second factor. */
  readonly onSecondFactor: (session: string) => void;
};

/** The page of somebody who is not signed in. */
export function SignInPage({ reason, onSession, onSecondFactor }: Props): ReactNode {
  const client = useConvex();
  const organizationId = organizationInHash(window.location.hash);
  const options = useQuery(
    api.console.access.signIn.options,
    organizationId === null ? {} : { organizationId },
  );
  // A server that does not answer must not hide how to get a link.
  if (options === undefined) return <SignedOut reason={reason} />;
  if (options === null) {
    return (
      <SignedOut reason={reason}>
        <p>
          This server has several organizations. Open the sign-in address of yours: an owner finds it on the
          page “Sign-in”.
        </p>
      </SignedOut>
    );
  }
  return (
    <SignedOut reason={reason}>
      <SignInForm
        providers={options.providers}
        onPassword={async (email, password) => {
          const session = makeSecret("gs_");
          const asked = { organizationId: options.organizationId, email, password, session };
          const agent = window.navigator.userAgent;
          try {
            const { kind } = await client.action(api.console.access.passwords.signIn, { ...asked, agent });
            if (kind === "refused") return "The e-mail address or the password is wrong.";
            if (kind === "second-factor") onSecondFactor(session);
            else onSession(session);
            return null;
          } catch (error) {
            return messageOf(error);
          }
        }}
        onForgot={
          options.mailsLinks
            ? async (email) => {
                const { organizationId } = options;
                const asked = { organizationId, email, page: thisPage() };
                return await client
                  .mutation(api.console.access.mail.forgotPassword, asked)
                  .then(() => null, messageOf);
              }
            : null
        }
        onPasskey={
          passkeyProblem(window) !== null
            ? null
            : async () => {
                const session = makeSecret("gs_");
                try {
                  const assertion = await signWithPasskey(client);
                  const asked = { assertion, session, agent: window.navigator.userAgent };
                  const { kind } = await client.action(api.console.access.passkeys.signIn, asked);
                  if (kind === "refused") return "This passkey is not known here. It may have been removed.";
                  onSession(session);
                  return null;
                } catch (error) {
                  return deviceErrorWords(error) ?? messageOf(error);
                }
              }
        }
        onProvider={async (chosen) => {
          const known = options.providers.find(({ providerId }) => providerId === chosen.providerId);
          if (known === undefined) return "This provider is not in use.";
          return await goToProvider(client, window, known.providerId, makeSecret("gs_")).then(
            () => null,
            messageOf,
          );
        }}
      />
    </SignedOut>
  );
}
