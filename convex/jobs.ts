import { finalEvent } from "@gleaner/queue/validators";
import { v } from "convex/values";
import { internalMutation } from "./_generated/server.js";
import { close } from "./model/orders/close.ts";
import { price } from "./model/validators.ts";

/**
 * Called by the queue in the transaction that ends a job: pays the device, or gives the reservation back. What it
 * answers is the device's `reply`; what it throws undoes the job's end.
 */
export const onFinal = internalMutation({
  args: finalEvent.fields,
  returns: v.union(v.object({ earnedMicro: v.int64(), price }), v.null()),
  handler: async (ctx, event) => await close(ctx, event, Date.now()),
});
