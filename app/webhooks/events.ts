/** The ends of jobs. A request of a batch has none of these events but `job.corrected`: its wrong answer has a correction. */
const jobEvents = ["job.completed", "job.failed", "job.canceled", "job.expired", "job.corrected"] as const;
/** The same for chats that outlive their call, in the names of OpenAI's webhooks. */
const responseEvents = [
  "response.completed",
  "response.incomplete",
  "response.failed",
  "response.cancelled",
] as const;
/** The ends of batches, in the names of OpenAI's webhooks. */
const batchEvents = ["batch.completed", "batch.failed", "batch.expired", "batch.cancelled"] as const;
/** Events of the whole organization. */
const alertEvents = ["attention.began", "attention.ended", "budget.near", "budget.over"] as const;

/** The groups of events that a webhook can choose from. */
export const eventGroups = {
  jobs: jobEvents,
  responses: responseEvents,
  batches: batchEvents,
  alerts: alertEvents,
} as const;

export const webhookEvents = [...jobEvents, ...responseEvents, ...batchEvents, ...alertEvents] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** The events of a webhook that chose none, because it is older than the choice. */
export const eventsBeforeChoice: readonly WebhookEvent[] = alertEvents;

/** Whether an event belongs to one API key. A webhook of one key can choose only these. */
export function isOfKey(event: WebhookEvent): boolean {
  return !eventsBeforeChoice.includes(event);
}

/** Whether there may be hundreds of such events in a second. A webhook that is too slow for them does not get all. */
export function isFrequent(event: string): boolean {
  return event.startsWith("job.") || event.startsWith("response.");
}
