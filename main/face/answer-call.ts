import {
  type CallAnswer,
  type CallArgument,
  type CallOf,
  calls,
  type Face,
  isCallOf,
  refused,
  refusedFor,
  type Reply,
} from "../../app/contract/donor-calls.ts";
import { errorName, type Log } from "../log.ts";

/** One handler per call of some faces. `gone` aborts once the caller no longer waits for the answer. */
export type Handlers<F extends Face> = {
  readonly [Name in CallOf<F>]: (
    argument: CallArgument<Name>,
    gone?: AbortSignal,
  ) => Promise<Reply<CallAnswer<Name>>> | Reply<CallAnswer<Name>>;
};

/** A running donor's handlers. */
export type DonorHandlers = Handlers<"panel" | "terminal">;

/** Answers one call, as a carrier received it. Never rejects. `gone` aborts once the caller has left. */
export type AnswerCall = (name: unknown, argument: unknown, gone?: AbortSignal) => Promise<Reply<unknown>>;

/**
 * Checks the calls of every carrier. Refuses names that this face may not call and arguments that do not match their
 * schema, before any handler runs.
 */
export function answerCalls<F extends Face>(face: F, handlers: Handlers<F>, log: Log): AnswerCall {
  return async (name, argument, gone) => {
    if (!isCallOf(face, name)) return refused(`This version of Gleaner does not know "${String(name)}".`);
    const parsed = calls[name].argument.safeParse(argument);
    if (!parsed.success) return refused(`This value is not allowed for "${name}".`);
    // TypeScript cannot pair a name with its handler here. Each handler gets what its own schema parsed.
    const handler = handlers[name] as (
      argument: unknown,
      gone?: AbortSignal,
    ) => Promise<Reply<unknown>> | Reply<unknown>;
    try {
      return await handler(parsed.data, gone);
    } catch (error) {
      log("error", "face.call-failed", { call: name, error: errorName(error) });
      return refusedFor("could-not");
    }
  };
}
