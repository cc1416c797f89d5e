import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { webhookEvents } from "../../../app/webhooks/events.ts";

/** An event that a webhook can choose. */
export const webhookEvent = literals(...webhookEvents);

export const deliveryState = literals("pending", "delivered", "failed");

/** The reason why a webhook is disabled: its receiver failed for days, or said that it is gone, or a member did it. */
export const disabledBy = literals("failing", "gone", "member");

/** A try to deliver a message to a webhook. */
export const deliveryAttempt = v.object({
  /** ms epoch. */
  at: v.number(),
  ms: v.number(),
  /** Null: there was no answer. */
  status: v.union(v.number(), v.null()),
  /** Why it failed; null: it was delivered. */
  error: v.union(v.string(), v.null()),
  /** The first characters of the answer. */
  answer: v.string(),
});
