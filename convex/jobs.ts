import { finalEvent } from "@gleaner/queue/validators";
import { v } from "convex/values";
import { internalMutation } from "./_generated/server.js";
import { close } from "./model/orders/close.ts";
import { reply } from "./model/validators.ts";

/**
 * Pays the device of a job that ended, or releases the reservation. The queue calls it in the transaction that ends the
 * job. The device gets the result as `reply`; an error undoes the job's end.
 */
export const onFinal = internalMutation({
  args: finalEvent.fields,
  returns: v.union(reply, v.null()),
  handler: async (ctx, event) => await close(ctx, event, Date.now()),
});
