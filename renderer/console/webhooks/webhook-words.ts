import { eventGroups, type WebhookEvent } from "../../../app/webhooks/events.ts";
import type { Tone } from "../../ui/tone.ts";
import type { DeliveryRow, WebhookRow } from "../data/rows.ts";

/** The groups of events, with a title and a sentence for each. */
export function eventGroupWords(): readonly {
  readonly title: string;
  readonly note: string;
  readonly events: readonly WebhookEvent[];
}[] {
  return [
    {
      title: "Batches",
      note: "Ends of batches, in the names of OpenAI's webhooks.",
      events: eventGroups.batches,
    },
    {
      title: "Jobs",
      note: "Ends of jobs that belong to no batch, and corrections of answers. There may be hundreds in a second.",
      events: eventGroups.jobs,
    },
    {
      title: "Responses",
      note: "Ends of chats that outlive their call, in the names of OpenAI's webhooks.",
      events: eventGroups.responses,
    },
    {
      title: "Alerts",
      note: "Problems of the organization, and budgets. They are about the whole organization.",
      events: eventGroups.alerts,
    },
  ];
}

/** How a webhook is, in a word. */
export function webhookState({ disabled, full, last }: WebhookRow): {
  readonly tone: Tone;
  readonly words: string;
} {
  if (disabled !== null)
    return disabled.why === "member"
      ? { tone: "quiet", words: "Disabled" }
      : { tone: "bad", words: "Disabled: it failed" };
  if (last?.error !== null && last !== null) return { tone: "bad", words: "Failing" };
  if (full) return { tone: "hold", words: "Too slow" };
  return last === null ? { tone: "quiet", words: "Nothing sent yet" } : { tone: "good", words: "Delivering" };
}

/** Why a webhook is disabled, in a sentence. Empty if it is not. */
export function disabledSentence({ disabled }: WebhookRow): string {
  if (disabled === null) return "";
  const sentences = {
    failing: "It was disabled, because nothing was delivered for five days.",
    gone: "It was disabled, because its receiver answered that it is gone.",
    member: "Somebody disabled it.",
  };
  return sentences[disabled.why];
}

export function deliveryState({ state, attempts }: DeliveryRow): {
  readonly tone: Tone;
  readonly words: string;
} {
  if (state === "delivered") return { tone: "good", words: "Delivered" };
  if (state === "failed") return { tone: "bad", words: "Failed" };
  return attempts.length === 0
    ? { tone: "rest", words: "Waits" }
    : { tone: "hold", words: "Tried again later" };
}
