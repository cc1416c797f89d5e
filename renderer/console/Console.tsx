import { ConvexProvider, type ConvexReactClient } from "convex/react";
import { type ReactNode, useCallback, useState } from "react";
import { ToastProvider } from "../ui/overlays/Toast.tsx";
import { TooltipProvider } from "../ui/overlays/Tooltip.tsx";
import { Session } from "./data/session-context.ts";
import type { SessionStore } from "./session/session-store.ts";
import { SignedOut, type SignedOutWhy } from "./session/SignedOut.tsx";
import { SignedIn } from "./SignedIn.tsx";

type Props = {
  readonly client: ConvexReactClient;
  readonly apiBase: string;
  readonly store: SessionStore;
  /** The reason why nobody is signed in, if it is known at the start. */
  readonly first: SignedOutWhy;
};

export function Console({ client, apiBase, store, first }: Props): ReactNode {
  const [session, setSession] = useState(store.load);
  const [why, setWhy] = useState<SignedOutWhy>(first);
  const end = useCallback(
    (reason: "expired" | "signed-out") => {
      store.clear();
      setSession(null);
      setWhy(reason);
    },
    [store],
  );
  if (session === null) return <SignedOut why={why} />;
  return (
    <ConvexProvider client={client}>
      <Session value={session}>
        <TooltipProvider>
          <ToastProvider>
            <SignedIn apiBase={apiBase} onEnd={end} />
          </ToastProvider>
        </TooltipProvider>
      </Session>
    </ConvexProvider>
  );
}
