import type { ReactNode } from "react";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { FullPage } from "../shell/FullPage.tsx";

export type SignedOutReason = "new" | "expired" | "signed-out" | { readonly refused: string };

type Props = {
  readonly reason: SignedOutReason;
  /** The ways to sign in without a link. */
  readonly children?: ReactNode;
};

/** Offers the ways to sign in, and explains how to get a link. */
export function SignedOut({ reason, children }: Props): ReactNode {
  return (
    <FullPage title={titleOf(reason)}>
      {typeof reason === "object" ? (
        <p role="alert" className="text-bad">
          {reason.refused}
        </p>
      ) : null}
      {reason === "expired" ? (
        <p>Sessions end when nobody uses them, and after 7 days. Nothing is lost.</p>
      ) : null}
      {children}
      <details open={children === undefined || children === null}>
        <summary className="cursor-pointer">Sign in with a link that works once</summary>
        <ul className="mt-3 grid list-disc gap-3 pl-5">
          <li>
            An administrator of your organization can make you a link, also if you forgot your password.
          </li>
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
      </details>
    </FullPage>
  );
}

function titleOf(reason: SignedOutReason): string {
  if (typeof reason === "object") return "You are not signed in";
  if (reason === "expired") return "Your session has ended";
  if (reason === "signed-out") return "You are signed out";
  return "Sign in to your organization";
}
