import { useMutation } from "convex/react";
import type { FunctionArgs, FunctionReference, FunctionReturnType } from "convex/server";
import { createContext, useCallback, useContext } from "react";
import { type Right, type Scope, scopeOf } from "../../../app/people/rights.ts";
import type { api } from "../../../convex/_generated/api.js";
import { useToast } from "../../ui/overlays/Toast.tsx";
import { messageOf } from "./refusal.ts";

/** The secret of the signed-in session. Every function of members takes it. */
export const Session = createContext<string | null>(null);

export function useSession(): string {
  const session = useContext(Session);
  if (session === null) throw new Error("used outside of a signed-in page");
  return session;
}

/** The signed-in member. */
export type Member = NonNullable<FunctionReturnType<typeof api.console.account.me>>["member"];

export const Me = createContext<Member | null>(null);

export function useMe(): Member {
  const me = useContext(Me);
  if (me === null) throw new Error("used outside of a signed-in page");
  return me;
}

/** How far a right of the signed-in member goes; null: not at all. Pages hide what the server would refuse. */
export function useScope(right: Right): Scope | null {
  return scopeOf(right, useMe().roles);
}

type ArgsOf<Reference extends FunctionReference<"mutation">> = Omit<FunctionArgs<Reference>, "session">;

/** The toast about an answer. */
export type Notice = { readonly words: string; readonly tone?: "bad"; readonly undo?: () => void };
type Done<Reference extends FunctionReference<"mutation">> =
  string | ((answer: FunctionReturnType<Reference>) => Notice);

/** Runs a mutation with the session. Shows `done` on success, and the refusal otherwise. */
export function useAct<Reference extends FunctionReference<"mutation">>(
  reference: Reference,
): (args: ArgsOf<Reference>, done?: Done<Reference>) => Promise<boolean> {
  const session = useSession();
  const mutate = useMutation(reference) as unknown as (
    args: unknown,
  ) => Promise<FunctionReturnType<Reference>>;
  const toast = useToast();
  return useCallback(
    async (args, done) => {
      try {
        const answer = await mutate({ ...args, session });
        if (typeof done === "function") {
          const { words, tone, undo } = done(answer);
          toast(words, tone, undo);
        } else if (done !== undefined) toast(done);
        return true;
      } catch (error) {
        toast(messageOf(error), "bad");
        return false;
      }
    },
    [mutate, session, toast],
  );
}
