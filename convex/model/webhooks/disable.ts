import type { Infer } from "convex/values";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { refuse } from "../refuse.ts";
import type { disabledBy } from "../validators/webhooks.ts";
import { pumpOf, stateOf, wake } from "./deliveries.ts";

const words: Readonly<Record<Infer<typeof disabledBy>, string>> = {
  failing: "it failed for five days",
  gone: "its receiver answered that it is gone",
  member: "",
};

/** Sends a webhook nothing more until somebody enables it. Events are counted meanwhile. Refuses: conflict. */
export async function disableWebhook(
  ctx: MutationCtx,
  { _id: subject, organizationId, disabled }: Doc<"webhooks">,
  why: Infer<typeof disabledBy>,
  by: Act,
): Promise<void> {
  if (disabled !== undefined) refuse("conflict", "This webhook is disabled already.");
  await ctx.db.patch("webhooks", subject, { disabled: { at: by.at, why }, changedAt: by.at });
  await record(ctx, { organizationId, ...by, action: "webhook.disabled", subject, detail: words[why] });
}

/** Enables a webhook again. Deliveries that wait go on at once. Refuses: conflict. */
export async function enableWebhook(
  ctx: MutationCtx,
  { _id: subject, organizationId, disabled }: Doc<"webhooks">,
  by: Act,
): Promise<void> {
  if (disabled === undefined) refuse("conflict", "This webhook is enabled already.");
  await ctx.db.patch("webhooks", subject, { disabled: undefined, changedAt: by.at });
  const state = await stateOf(ctx, subject);
  await ctx.db.patch("webhookStates", state._id, { failingSince: undefined });
  await wake(ctx, await pumpOf(ctx, subject), by.at);
  await record(ctx, { organizationId, ...by, action: "webhook.enabled", subject });
}
