import { type CallName, calls, type PanelHandlers, type Reply } from "../../app/contract/donor-calls.ts";

/**
 * The edge at which a panel's calls are parsed, for every shell: an unknown name or an argument that does not
 * keep the contract is refused in words and reaches no handler. Never rejects.
 */
export async function callPanel(
  handlers: PanelHandlers,
  name: unknown,
  argument: unknown,
): Promise<Reply<unknown>> {
  if (typeof name !== "string" || !Object.hasOwn(calls, name)) {
    return { kind: "refused", message: "There is no such call." };
  }
  const parsed = calls[name as CallName].argument.safeParse(argument);
  if (!parsed.success) return { kind: "refused", message: "This value is not allowed here." };
  // The contract's map from names to handlers, seen as a whole: each takes what its own schema parsed.
  const handler = handlers[name as CallName] as (
    argument: unknown,
  ) => Promise<Reply<unknown>> | Reply<unknown>;
  try {
    return await handler(parsed.data);
  } catch {
    return { kind: "refused", message: "Gleaner could not do that. Its log says more." };
  }
}
