import { useMutation } from "convex/react";
import type { FunctionArgs, FunctionReference } from "convex/server";
import { createContext, useCallback, useContext } from "react";
import { useToast } from "../../ui/Toast.tsx";
import { messageOf } from "./refusal.ts";

/** The secret of the signed-in session: an argument of every `admin` function. */
export const Session = createContext<string | null>(null);

export function useSession(): string {
  const session = useContext(Session);
  if (session === null) throw new Error("used outside of a signed-in page");
  return session;
}

/** Runs a mutation with the session; says `done` when it went well, shows the refusal when not. */
type ArgsOf<Reference extends FunctionReference<"mutation">> = Omit<FunctionArgs<Reference>, "session">;

export function useAct<Reference extends FunctionReference<"mutation">>(
  reference: Reference,
): (args: ArgsOf<Reference>, done?: string) => Promise<boolean> {
  const session = useSession();
  const mutate = useMutation(reference) as unknown as (args: unknown) => Promise<unknown>;
  const toast = useToast();
  return useCallback(
    async (args, done) => {
      try {
        await mutate({ ...args, session });
        if (done !== undefined) toast(done);
        return true;
      } catch (error) {
        toast(messageOf(error), "bad");
        return false;
      }
    },
    [mutate, session, toast],
  );
}
