import { calls, type CallName, type PanelHandlers, type Reply } from "../../app/contract/ipc.ts";

/**
 * Answers one call of the contract, from whichever shell carries it: the name and the argument are parsed
 * here, before any handler sees them. Never throws; a handler's failure becomes a refusal without its details.
 */
export async function answerCall(
  handlers: PanelHandlers,
  name: unknown,
  argument: unknown,
): Promise<Reply<unknown>> {
  if (!isCallName(name)) return refused("This version of Gleaner does not know that request.");
  const parsed = calls[name].argument.safeParse(argument);
  if (!parsed.success) return refused("That is not a value that Gleaner takes here.");
  try {
    const handle = handlers[name] as (argument: unknown) => Promise<Reply<unknown>> | Reply<unknown>;
    return await handle(parsed.data);
  } catch {
    return refused("Gleaner could not do that. Try again, or restart it.");
  }
}

function isCallName(name: unknown): name is CallName {
  return typeof name === "string" && Object.hasOwn(calls, name);
}

function refused(message: string): Reply<never> {
  return { kind: "refused", message };
}
