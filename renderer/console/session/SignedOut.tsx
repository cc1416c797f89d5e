import type { ReactNode } from "react";
import { Copyable } from "../../ui/Copyable.tsx";
import { FullPage } from "../shell/FullPage.tsx";

export type SignedOutWhy = "new" | "expired" | "signed-out" | { readonly refused: string };

/** Says how to get a sign-in link, and why one is needed now. */
export function SignedOut({ why }: { readonly why: SignedOutWhy }): ReactNode {
  return (
    <FullPage title={titleOf(why)}>
      {typeof why === "object" ? <p className="text-bad">{why.refused}</p> : null}
      {why === "expired" ? <p>Sessions end after twelve hours. Nothing was lost.</p> : null}
      <p>The console opens by a one-time link, which works in one browser. To get one:</p>
      <ul className="grid list-disc gap-3 pl-5">
        <li>
          On the machine that runs the server, start Gleaner. It prints a fresh link.
          <div className="mt-1.5">
            <Copyable text="npm start" label="the command" />
          </div>
        </li>
        <li>
          On a deployment without <code className="font-mono text-xs">npm start</code>, its operator makes
          one:
          <div className="mt-1.5">
            <Copyable text="npm run sign-in-link -- --url DEPLOYMENT" label="the operator's command" />
          </div>
        </li>
      </ul>
    </FullPage>
  );
}

function titleOf(why: SignedOutWhy): string {
  if (typeof why === "object") return "That link does not work";
  if (why === "expired") return "Your session has ended";
  if (why === "signed-out") return "You are signed out";
  return "Sign in to your organization";
}
