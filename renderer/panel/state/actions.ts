import { createContext, useCallback, useContext } from "react";
import type { CallArgument, CallOf, PanelBridge } from "../../../app/contract/donor-calls.ts";
import { useToast } from "../../ui/overlays/Toast.tsx";

export const Bridge = createContext<PanelBridge | null>(null);

/** Makes a call. Resolves to null, or to the reason for its refusal. */
export type Call = <Name extends Exclude<CallOf<"panel">, "getSnapshot">>(
  name: Name,
  argument: CallArgument<Name>,
) => Promise<string | null>;

export function useCall(): Call {
  const bridge = useContext(Bridge);
  return useCallback(
    async (name, argument) => {
      if (bridge === null) return "Gleaner cannot be reached.";
      const call = bridge[name] as (argument: unknown) => ReturnType<PanelBridge["resume"]>;
      try {
        const reply = await call(argument);
        return reply.kind === "ok" ? null : reply.message;
      } catch {
        return "Gleaner could not do this. Try again, or restart Gleaner.";
      }
    },
    [bridge],
  );
}

/** Makes a call and shows a refusal as a toast. */
export function useAct(): <Name extends Exclude<CallOf<"panel">, "getSnapshot">>(
  name: Name,
  argument: CallArgument<Name>,
) => void {
  const call = useCall();
  const toast = useToast();
  return useCallback(
    (name, argument) => {
      void call(name, argument).then((refusal) => {
        if (refusal !== null) toast(refusal, "bad");
      });
    },
    [call, toast],
  );
}
