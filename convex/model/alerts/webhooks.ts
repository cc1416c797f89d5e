import { type Infer, v } from "convex/values";
import { isLoopback } from "../../../app/join-command.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { refuse } from "../refuse.ts";
import { webhookFault } from "./address.ts";

declare const process: { readonly env: { readonly CONVEX_SITE_URL?: string } };

const maxWebhooks = 10;

/** A webhook's address, if the server may call it. Refuses: invalid. */
export function checkedAddress(given: string): string {
  const address = given.trim();
  const fault = webhookFault(address, isLoopback(process.env.CONVEX_SITE_URL ?? ""));
  return fault === null ? address : refuse("invalid", fault);
}

export const webhookView = v.object({
  webhookId: v.id("webhooks"),
  url: v.string(),
  createdAt: v.number(),
  /** The last try to deliver; null before the first. */
  last: v.union(v.object({ at: v.number(), error: v.union(v.string(), v.null()) }), v.null()),
});

export async function webhooksOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"webhooks">[]> {
  return await ctx.db
    .query("webhooks")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .take(maxWebhooks);
}

/** A webhook as the console shows it, without its secret. */
export function viewWebhook({ _id, url, createdAt, last }: Doc<"webhooks">): Infer<typeof webhookView> {
  return { webhookId: _id, url, createdAt, last: last ?? null };
}

/** Refuses: conflict. */
export async function addWebhook(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  { url, secret }: { readonly url: string; readonly secret: string },
  by: Act,
): Promise<Id<"webhooks">> {
  if ((await webhooksOf(ctx, organizationId)).length >= maxWebhooks)
    refuse("conflict", `There are ${String(maxWebhooks)} webhooks already. Remove one first.`);
  const webhookId = await ctx.db.insert("webhooks", { organizationId, url, secret, createdAt: by.at });
  const detail = new URL(url).host;
  await record(ctx, { organizationId, ...by, action: "webhook.added", subject: webhookId, detail });
  return webhookId;
}

export async function removeWebhook(ctx: MutationCtx, webhook: Doc<"webhooks">, by: Act): Promise<void> {
  const { _id: subject, organizationId, url } = webhook;
  await ctx.db.delete("webhooks", subject);
  const detail = new URL(url).host;
  await record(ctx, { organizationId, ...by, action: "webhook.removed", subject, detail });
}
