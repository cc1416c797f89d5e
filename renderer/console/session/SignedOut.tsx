import type { ReactNode } from "react";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { FullPage } from "../shell/FullPage.tsx";

export type SignedOutWhy = "new" | "expired" | "signed-out" | { readonly refused: string };

/** Explains why a sign-in link is needed and how to get one. */
export function SignedOut({ why }: { readonly why: SignedOutWhy }): ReactNode {
  return (
    <FullPage title={titleOf(why)}>
      {typeof why === "object" ? <p className="text-bad">{why.refused}</p> : null}
      {why === "expired" ? <p>Sessions end after twelve hours. Nothing is lost.</p> : null}
      <p>A one-time link opens the console in one browser. To get a link:</p>
      <ul className="grid list-disc gap-3 pl-5">
        <li>
          On the machine that runs the server, start Gleaner. It prints a fresh link.
          <div className="mt-1.5">
            <Copyable text="npm start" label="the command" />
          </div>
        </li>
        <li>
          Without <code className="font-mono text-xs">npm start</code>, the operator creates one:
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
