import {
  type CallAnswer,
  type CallArgument,
  type CallOf,
  type PanelBridge,
  refused,
  type Reply,
} from "../../../app/contract/donor-calls.ts";

/** The calls of the panel's controls and pages. The snapshot comes from the store. */
export type PanelCall = Exclude<CallOf<"panel">, "getSnapshot">;

/** Makes a call. Never rejects. */
export async function ask<Name extends PanelCall>(
  bridge: PanelBridge | null,
  name: Name,
  argument: CallArgument<Name>,
): Promise<Reply<CallAnswer<Name>>> {
  if (bridge === null) return refused("Gleaner cannot be reached.");
  const call = bridge[name] as (argument: CallArgument<Name>) => Promise<Reply<CallAnswer<Name>>>;
  try {
    return await call(argument);
  } catch {
    return refused("Gleaner could not do this. Try again, or restart Gleaner.");
  }
}
