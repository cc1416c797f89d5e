import { useAction, useMutation } from "convex/react";
import type { FunctionArgs, FunctionReference, FunctionReturnType } from "convex/server";
import { createContext, useCallback, useContext } from "react";
import { type Right, type Scope, scopeOf } from "../../../app/people/rights.ts";
import type { api } from "../../../convex/_generated/api.js";
import { useToast } from "../../ui/overlays/Toast.tsx";
import { messageOf, refusalOf, unlessRefused } from "./refusal.ts";

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

/** Lets the member prove who they are. Resolves to whether they did. */
export const Prove = createContext<() => Promise<boolean>>(async () => Promise.resolve(false));

type Callable = FunctionReference<"mutation"> | FunctionReference<"action">;
type ArgsOf<Reference extends Callable> = Omit<FunctionArgs<Reference>, "session">;

/** The toast about an answer. */
export type Notice = {
  readonly words: string;
  readonly tone?: "bad";
  readonly undo?: () => void;
  /** How long the undo is possible, if that is not the usual time. */
  readonly undoForMs?: number;
};
/** Words for a toast, or a function of the answer that gives them. Without words there is no toast. */
type Done<Reference extends Callable> =
  string | ((answer: FunctionReturnType<Reference>) => Notice | null | undefined);
type Act<Reference extends Callable> = (args: ArgsOf<Reference>, done?: Done<Reference>) => Promise<boolean>;

/**
 * A mutation of members. A refusal that the audit trail keeps is an answer, since an error would undo its entry; here it becomes
 * an error like all others. Pages call members' mutations only through this.
 */
export function useMemberMutation<Reference extends FunctionReference<"mutation">>(
  reference: Reference,
): (args: FunctionArgs<Reference>) => Promise<FunctionReturnType<Reference>> {
  const run = useMutation(reference) as (args: unknown) => Promise<FunctionReturnType<Reference>>;
  return useCallback(async (args) => unlessRefused(await run(args)), [run]);
}

/** Runs a mutation with the session. Shows `done` on success, and the refusal otherwise. */
export function useAct<Reference extends FunctionReference<"mutation">>(
  reference: Reference,
): Act<Reference> {
  return useWithSession<Reference>(useMemberMutation(reference));
}

/** The same for an action. */
export function useLongAct<Reference extends FunctionReference<"action">>(
  reference: Reference,
): Act<Reference> {
  return useWithSession<Reference>(useAction(reference));
}

/** A call that needs a fresh proof of the member is repeated after they gave one. */
function useWithSession<Reference extends Callable>(
  run: (args: never) => Promise<FunctionReturnType<Reference>>,
): Act<Reference> {
  const session = useSession();
  const prove = useContext(Prove);
  const toast = useToast();
  return useCallback(
    async (args, done) => {
      const call = async (): Promise<FunctionReturnType<Reference>> =>
        await run({ ...args, session } as never);
      try {
        const answer = await call().catch(async (error: unknown) => {
          if (refusalOf(error)?.code === "proof_needed" && (await prove())) return await call();
          throw error;
        });
        if (typeof done === "function") {
          const notice = done(answer);
          if (notice !== undefined && notice !== null)
            toast(notice.words, notice.tone, notice.undo, notice.undoForMs);
        } else if (done !== undefined) toast(done);
        return true;
      } catch (error) {
        toast(messageOf(error), "bad");
        return false;
      }
    },
    [run, session, prove, toast],
  );
}
