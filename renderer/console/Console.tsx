import { ConvexProvider, type ConvexReactClient } from "convex/react";
import { type ReactNode, useCallback, useState } from "react";
import { ToastProvider } from "../ui/overlays/Toast.tsx";
import { TooltipProvider } from "../ui/overlays/Tooltip.tsx";
import { Session } from "./data/session-context.ts";
import { ProofProvider } from "./session/ProofDialog.tsx";
import type { SessionStore } from "./session/session-store.ts";
import type { SignedOutReason } from "./session/SignedOut.tsx";
import { SignInPage } from "./session/SignInPage.tsx";
import { SignedIn } from "./SignedIn.tsx";

type Props = {
  readonly client: ConvexReactClient;
  readonly apiBase: string;
  readonly store: SessionStore;
  /** Shown while nobody is signed in. */
  readonly initialReason: SignedOutReason;
};

export function Console({ client, apiBase, store, initialReason }: Props): ReactNode {
  const [session, setSession] = useState(store.load);
  const [reason, setReason] = useState<SignedOutReason>(initialReason);
  const end = useCallback(
    (why: "expired" | "signed-out") => {
      store.clear();
      setSession(null);
      setReason(why);
    },
    [store],
  );
  if (session === null) {
    return (
      <ConvexProvider client={client}>
        <SignInPage
          reason={reason}
          onSession={(started) => {
            store.save(started);
            setSession(started);
          }}
        />
      </ConvexProvider>
    );
  }
  return (
    <ConvexProvider client={client}>
      <Session value={session}>
        <TooltipProvider>
          <ToastProvider>
            <ProofProvider>
              <SignedIn apiBase={apiBase} onEnd={end} />
            </ProofProvider>
          </ToastProvider>
        </TooltipProvider>
      </Session>
    </ConvexProvider>
  );
}
