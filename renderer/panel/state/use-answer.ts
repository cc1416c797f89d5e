import { useContext, useEffect, useState } from "react";
import { type CallAnswer, type CallArgument, refusalWords } from "../../../app/contract/donor-calls.ts";
import { Bridge } from "./actions.ts";
import { ask, type PanelCall } from "./ask.ts";

export type Answered<T> =
  | { readonly kind: "loading" }
  | { readonly kind: "answered"; readonly value: T }
  | { readonly kind: "refused"; readonly message: string };

/**
 * The donor's answer to a question. Asks again when the argument or the version changes, and keeps the last answer
 * meanwhile.
 * @param version changes when the answer may be old
 */
export function useAnswer<Name extends PanelCall>(
  name: Name,
  argument: CallArgument<Name>,
  version = "",
): Answered<CallAnswer<Name>> {
  const bridge = useContext(Bridge);
  const [answer, setAnswer] = useState<Answered<CallAnswer<Name>>>({ kind: "loading" });
  const asked = JSON.stringify(argument);
  useEffect(() => {
    let isCurrent = true;
    void ask(bridge, name, JSON.parse(asked) as CallArgument<Name>).then((reply) => {
      if (!isCurrent) return;
      setAnswer(
        reply.kind === "ok"
          ? { kind: "answered", value: reply.value }
          : { kind: "refused", message: refusalWords(reply) },
      );
    });
    return () => {
      isCurrent = false;
    };
  }, [bridge, name, asked, version]);
  return answer;
}
