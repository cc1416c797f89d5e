import type { JSONValue } from "convex/values";
import { z } from "zod";
import { parseBoundedJson } from "../../wire/bounded-json.ts";
import { decodeTimestamp } from "../../wire/timestamps.ts";

/**
 * Largest client message in bytes, as in Convex: well above encoded arguments. A larger message ends the
 * connection, and the client would resend it forever, so oversized arguments are refused elsewhere.
 */
export const maxClientMessageBytes = 64 * 1024 * 1024;
const maxModifications = 10_000;
const maxPathLength = 1024;
const maxJournalLength = 64 * 1024;
const maxTokenLength = 64 * 1024;

const counter = z.int().min(0).max(0xffff_ffff);
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
  context.addIssue({ code: "custom", message: "not an encoded timestamp" });
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
  | { readonly kind: "ok"; readonly message: ClientMessage }
  | { readonly kind: "invalid"; readonly reason: string };

/** Parses one client message, bounded in size, depth and counts. */
export function parseClientMessage(text: string): ParsedMessage {
  const parsed = parseBoundedJson(text);
  if (parsed.kind === "invalid") return parsed;
  const message = clientMessage.safeParse(parsed.value);
  return message.success
    ? { kind: "ok", message: message.data }
    : { kind: "invalid", reason: z.prettifyError(message.error).slice(0, 500) };
}
