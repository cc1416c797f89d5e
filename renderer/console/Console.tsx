import { ConvexProvider, type ConvexReactClient } from "convex/react";
import { type ReactNode, useCallback, useState } from "react";
import { ToastProvider } from "../ui/overlays/Toast.tsx";
import { TooltipProvider } from "../ui/overlays/Tooltip.tsx";
import { Session } from "./data/session-context.ts";
import { ProofProvider } from "./session/ProofDialog.tsx";
import { SecondFactorPage } from "./session/SecondFactorPage.tsx";
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
  /** The session of a sign-in that waits for the second factor. */
  readonly initialWaiting: string | null;
};

export function Console({ client, apiBase, store, initialReason, initialWaiting }: Props): ReactNode {
  const [session, setSession] = useState(store.load);
  const [waiting, setWaiting] = useState(initialWaiting);
  const [reason, setReason] = useState<SignedOutReason>(initialReason);
  const end = useCallback(
    (why: "expired" | "signed-out") => {
      store.clear();
      setSession(null);
      setReason(why);
    },
    [store],
  );
  const begin = (started: string): void => {
    store.save(started);
    setSession(started);
    setWaiting(null);
  };
  if (waiting !== null) {
    return (
      <ConvexProvider client={client}>
        <SecondFactorPage session={waiting} onSession={begin} onBack={() => setWaiting(null)} />
      </ConvexProvider>
    );
  }
  if (session === null) {
    return (
      <ConvexProvider client={client}>
        <SignInPage reason={reason} onSession={begin} onSecondFactor={setWaiting} />
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
