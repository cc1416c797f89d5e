import type { JSONValue } from "convex/values";
import * as z from "zod";
import { parseMeasuredJson } from "../../wire/bounded-json.ts";
import { parseWith } from "../../wire/describe-faults.ts";
import { decodeTimestamp } from "../../wire/timestamps.ts";

/** Largest message in bytes of a client with a verified identity, as in Convex: well above encoded arguments. */
export const maxClientMessageBytes = 64 * 1024 * 1024;
const maxModifications = 10_000;
const maxPathLength = 1024;
const maxJournalLength = 64 * 1024;
const maxTokenLength = 64 * 1024;

const counter = z.number().min(0).max(0xffff_ffff).int();
const json = z.custom<JSONValue>((value) => value !== undefined);
const path = z.string().min(1).max(maxPathLength);
/** Convex calls take one object; the array around it is a leftover of the protocol. */
const args = z
  .array(json)
  .max(1)
  .transform((list): JSONValue => list[0] ?? {});
const component = z.string().max(maxPathLength).optional();

const addQuery = z.object({
  type: z.literal("Add"),
  queryId: counter,
  udfPath: path,
  args,
  journal: z
    .string()
    .max(maxJournalLength)
    .nullish()
    .transform((journal) => journal ?? null),
  componentPath: component,
});
const removeQuery = z.object({ type: z.literal("Remove"), queryId: counter });

const request = { requestId: counter, udfPath: path, args, componentPath: component };

const timestamp = z.string().transform((encoded, context) => {
  const ts = decodeTimestamp(encoded);
  if (ts !== null) return ts;
  context.addIssue({ code: "custom", message: "must be a timestamp" });
  return z.NEVER;
});

const authenticate = z.discriminatedUnion("tokenType", [
  z.object({
    type: z.literal("Authenticate"),
    tokenType: z.literal("Admin"),
    baseVersion: counter,
    value: z.string().max(maxTokenLength),
    impersonating: z.record(z.string(), json).nullish(),
  }),
  z.object({
    type: z.literal("Authenticate"),
    tokenType: z.literal("User"),
    baseVersion: counter,
    value: z.string().max(maxTokenLength),
  }),
  z.object({ type: z.literal("Authenticate"), tokenType: z.literal("None"), baseVersion: counter }),
]);

const clientMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("Connect"),
    sessionId: z.string().regex(/^[0-9a-zA-Z-]{1,64}$/),
    connectionCount: counter,
    maxObservedTimestamp: timestamp.optional(),
    clientTs: z.number().optional(),
  }),
  authenticate,
  z.object({
    type: z.literal("ModifyQuerySet"),
    baseVersion: counter,
    newVersion: counter,
    modifications: z.array(z.discriminatedUnion("type", [addQuery, removeQuery])).max(maxModifications),
  }),
  z.object({ type: z.literal("Mutation"), ...request }),
  z.object({ type: z.literal("Action"), ...request }),
  z.object({ type: z.literal("Event"), eventType: z.string() }),
]);

export type ClientMessage = z.output<typeof clientMessage>;
export type ConnectMessage = ClientMessage & { type: "Connect" };
export type AuthenticateMessage = ClientMessage & { type: "Authenticate" };
export type QuerySetModification = (ClientMessage & { type: "ModifyQuerySet" })["modifications"][number];
export type RequestMessage = ClientMessage & { type: "Mutation" | "Action" };

type ParsedMessage =
  | { readonly kind: "ok"; readonly message: ClientMessage; readonly memoryBytes: number }
  | { readonly kind: "invalid"; readonly reason: string }
  | { readonly kind: "too large"; readonly memoryBytes: number };

/**
 * Parses one client message, bounded in depth and counts. Does not parse it if its value would take more than
 * `maxMemoryBytes`.
 */
export function parseClientMessage(text: string, maxMemoryBytes: number): ParsedMessage {
  const parsed = parseMeasuredJson(text, maxMemoryBytes);
  if (parsed.kind !== "ok") return parsed;
  const message = parseWith(clientMessage, parsed.value);
  return message.kind === "ok"
    ? { kind: "ok", message: message.value, memoryBytes: parsed.memoryBytes }
    : message;
}

/** The call of which a message is the beginning. Null if the message is no call. */
export function callIn(head: string): Pick<RequestMessage, "type" | "requestId"> | null {
  const beforeArguments = head.split('"args"', 1)[0] ?? "";
  const type = /"type":"(Mutation|Action)"/.exec(beforeArguments)?.[1];
  const requestId = Number(/"requestId":(\d{1,10})\b/.exec(beforeArguments)?.[1]);
  if (type === undefined || !counter.safeParse(requestId).success) return null;
  return { type: type === "Action" ? "Action" : "Mutation", requestId };
}
