import type { Infer } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import type { attentionItem } from "../validators/alerts.ts";
import { tellWebhooks } from "../webhooks/deliveries.ts";
import { keepForMails } from "./mails.ts";
import { beganMessage, endedMessage, type Message } from "./messages.ts";

type Item = Infer<typeof attentionItem>;

/** Tells what began and what ended, once each. */
export async function startAlerts(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  {
    began,
    ended,
    at,
  }: { readonly began: readonly Item[]; readonly ended: readonly Item[]; readonly at: number },
): Promise<void> {
  const messages = [
    ...began.map((item) => beganMessage(item, at)),
    ...ended.map((item) => endedMessage(item, at)),
  ];
  await tell(ctx, organizationId, messages, at);
}

/** Sends messages to the webhooks that want them, and keeps them for the next mails. */
export async function tell(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  messages: readonly Message[],
  now: number,
): Promise<void> {
  const events = async () => {
    const found = await ctx.db.get("organizations", organizationId);
    const organization = { id: organizationId, name: visibleText(found?.name ?? "") };
    return messages.map(({ event: type, ...message }) => ({ type, data: { organization, ...message } }));
  };
  await tellWebhooks(ctx, organizationId, null, events, now);
  await keepForMails(ctx, organizationId, messages, now);
}
