import { unixSeconds } from "../../../app/batches/openai-objects.ts";

/** The id of a delivery's event. All tries have it, also when it is sent again, so that a receiver recognizes it. */
export function eventId(deliveryId: string): string {
  return `evt_${deliveryId}`;
}

type Stored = {
  readonly id: string;
  readonly type: string;
  /** JSON of an object. */
  readonly data: string;
  readonly createdAt: number;
};

/** The body of a message, in the form of OpenAI's webhooks. */
export function eventBody({ id, type, data, createdAt }: Stored): string {
  return JSON.stringify({ ...envelope(id, type, createdAt), data: JSON.parse(data) as object });
}

/**
 * The same for a webhook that was made before webhooks had this form. Its receiver finds the fields of an alert where they were,
 * beside the new ones.
 */
export function oldEventBody(
  { id, type, data: json, createdAt }: Stored,
  organization: { readonly id: string; readonly name: string },
): string {
  const data = JSON.parse(json) as object;
  return JSON.stringify({ organization, event: type, ...data, ...envelope(id, type, createdAt), data });
}

function envelope(id: string, type: string, createdAt: number): object {
  return { id, object: "event", created_at: unixSeconds(createdAt), type };
}
