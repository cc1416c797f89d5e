import { type ReactNode, useCallback, useEffect, useState } from "react";
import { type DonorClient, refusalWords, type Reply } from "../../../app/contract/donor-calls.ts";
import type { Setup } from "../../../app/contract/invitation.ts";
import { tellRendered } from "../bridge/tell-program.ts";
import { FirstRunView } from "./FirstRunView.tsx";

declare global {
  interface Window {
    /** Set by the desktop program's preload script. A program of its own answers before it has joined an organization. */
    readonly gleanerSetup?: DonorClient<"setup">;
  }
}

/** The desktop program's page for joining an organization: at its first start, and for a link to another one. */
export function FirstRun({ bridge }: { readonly bridge: DonorClient<"setup"> }): ReactNode {
  const [setup, setSetup] = useState<Setup | null>(null);
  useEffect(() => {
    void bridge.getSetup(null).then((reply) => {
      if (reply.kind === "ok") setSetup(reply.value);
    });
  }, [bridge]);
  useEffect(() => {
    if (setup !== null) tellRendered();
  }, [setup]);
  const findServers = useCallback(async () => {
    const reply = await bridge.findServers(null);
    return reply.kind === "ok" ? reply.value.servers : [];
  }, [bridge]);
  const awaitSignIn = useCallback(async () => outcomeOf(await bridge.awaitSignIn(null)), [bridge]);
  if (setup === null) return null;
  const refusalOf = async (asked: Promise<Reply>): Promise<string | null> => {
    const reply = await asked;
    return reply.kind === "ok" ? null : refusalWords(reply);
  };
  return (
    <FirstRunView
      setup={setup}
      onFindServers={findServers}
      onLookUp={async (given) => outcomeOf(await bridge.lookUp(given))}
      onAwaitSignIn={awaitSignIn}
      onOpenSignIn={async () => {
        const reply = await bridge.openSignIn(null);
        return reply.kind === "ok" && reply.value.isOpen;
      }}
      onCancelSignIn={() => void bridge.cancelSignIn(null)}
      onJoin={() => refusalOf(bridge.join(null))}
      onStay={() => void bridge.stay(null)}
    />
  );
}

function outcomeOf<T>(reply: Reply<T>): { readonly value: T } | { readonly refusal: string } {
  return reply.kind === "ok" ? { value: reply.value } : { refusal: refusalWords(reply) };
}
