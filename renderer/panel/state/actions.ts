import { createContext, useCallback, useContext } from "react";
import { type CallArgument, type PanelBridge, refusalWords } from "../../../app/contract/donor-calls.ts";
import { useToast } from "../../ui/overlays/Toast.tsx";
import { ask, type PanelCall } from "./ask.ts";

export const Bridge = createContext<PanelBridge | null>(null);

/** Makes a call. Resolves to null, or to the reason for its refusal. */
export type Call = <Name extends PanelCall>(
  name: Name,
  argument: CallArgument<Name>,
) => Promise<string | null>;

export function useCall(): Call {
  const bridge = useContext(Bridge);
  return useCallback(
    async (name, argument) => {
      const reply = await ask(bridge, name, argument);
      return reply.kind === "ok" ? null : refusalWords(reply);
    },
    [bridge],
  );
}

/** Makes a call and shows a refusal as a toast. */
export function useAct(): <Name extends PanelCall>(name: Name, argument: CallArgument<Name>) => void {
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
