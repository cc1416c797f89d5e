import type { ReactNode } from "react";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { FullPage } from "../shell/FullPage.tsx";

export type SignedOutReason = "new" | "expired" | "signed-out" | { readonly refused: string };

/** Explains why a sign-in link is needed and how to get one. */
export function SignedOut({ reason }: { readonly reason: SignedOutReason }): ReactNode {
  return (
    <FullPage title={titleOf(reason)}>
      {typeof reason === "object" ? <p className="text-bad">{reason.refused}</p> : null}
      {reason === "expired" ? (
        <p>Sessions end when nobody uses them, and after 7 days. Nothing is lost.</p>
      ) : null}
      <p>You sign in with a link that works once. To get a link:</p>
      <ul className="grid list-disc gap-3 pl-5">
        <li>
          Start Gleaner on the computer that runs the server. It prints a new link.
          <div className="mt-1.5">
            <Copyable text="npm start" label="the command" />
          </div>
        </li>
        <li>
          If the server runs elsewhere, ask its operator to create a link:
          <div className="mt-1.5">
            <Copyable wrap text="npm run sign-in-link -- --url DEPLOYMENT" label="the operator's command" />
          </div>
        </li>
      </ul>
    </FullPage>
  );
}

function titleOf(reason: SignedOutReason): string {
  if (typeof reason === "object") return "This link does not work";
  if (reason === "expired") return "Your session has ended";
  if (reason === "signed-out") return "You are signed out";
  return "Sign in to your organization";
}
