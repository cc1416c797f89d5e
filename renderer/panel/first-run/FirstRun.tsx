import { type ReactNode, useEffect, useState } from "react";
import type { DonorClient, Reply } from "../../../app/contract/donor-calls.ts";
import type { Setup } from "../../../app/contract/invitation.ts";
import { tellRendered } from "../bridge/tell-rendered.ts";
import { FirstRunView } from "./FirstRunView.tsx";

declare global {
  interface Window {
    /** Set by the desktop program's preload script. It answers until this computer has joined an organization. */
    readonly gleanerSetup?: DonorClient<"setup">;
  }
}

/** The first start's page in the desktop program. */
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
  if (setup === null) return null;
  return (
    <FirstRunView
      setup={setup}
      onLookUp={async (given) => outcomeOf(await bridge.lookUp(given))}
      onJoin={async () => {
        const reply = await bridge.join(null);
        return reply.kind === "ok" ? null : reply.message;
      }}
    />
  );
}

function outcomeOf<T>(reply: Reply<T>): { readonly value: T } | { readonly refusal: string } {
  return reply.kind === "ok" ? { value: reply.value } : { refusal: reply.message };
}
