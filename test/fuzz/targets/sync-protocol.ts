import { randomUUID } from "node:crypto";
import fc from "fast-check";
import WebSocket from "ws";
import { checkHealth } from "../backend.ts";
import { checkNoSource, converse } from "../converse.ts";
import { hostileJson, hostileNumber, hostileText, spoiled } from "../hostile.ts";
import type { Json, Target } from "../target.ts";
import { within } from "../within.ts";

const path = fc.oneof(
  fc.constantFrom("devices:me", "console/devices:list", "jobs:get", "work:take", "_system/x"),
  hostileText,
);
const args = fc.oneof(
  fc.constant<Json>([{ key: "gd_x" }]),
  hostileJson.map((each): Json => [each]),
);
const count = fc.oneof(fc.nat(3), hostileNumber);

const message: fc.Arbitrary<Json> = fc.oneof(
  fc.record({
    type: fc.constantFrom("Mutation", "Action"),
    requestId: count,
    udfPath: path,
    args,
  }),
  fc.record({
    type: fc.constant("ModifyQuerySet"),
    baseVersion: count,
    newVersion: count,
    modifications: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant("Add"), queryId: count, udfPath: path, args }),
        fc.record({ type: fc.constant("Remove"), queryId: count }),
      ),
      { maxLength: 4 },
    ),
  }),
  fc.record({
    type: fc.constant("Authenticate"),
    tokenType: fc.constantFrom("User", "Admin", "None"),
    baseVersion: count,
    value: hostileText,
  }),
  fc.record({ type: fc.constant("Event"), eventType: hostileText, event: hostileJson }),
);

/** One connection's messages. Each text is sent as it is, and each other value as JSON. */
const connection = fc.array(
  fc.oneof({ weight: 5, arbitrary: message }, { weight: 4, arbitrary: spoiled(message) }, hostileText),
  { minLength: 1, maxLength: 8 },
);

/** The WebSocket protocol of Convex clients. A connection may be closed, and nobody else may notice. */
export const syncProtocol: Target = {
  name: "sync-protocol",
  summary: "the WebSocket protocol of the backend",
  open: async (farmOf) => {
    const farm = await farmOf();
    const address = `${farm.backend.url.replace("http", "ws")}/api/sync`;
    return {
      inputs: fc.tuple(fc.boolean(), connection).map(([greets, messages]): Json => ({ greets, messages })),
      known: [
        {
          greets: true,
          messages: [{ type: "ModifyQuerySet", baseVersion: 0, newVersion: 1, modifications: [] }],
        },
      ],
      check: async (input) => {
        const { greets, messages } = input as {
          readonly greets: boolean;
          readonly messages: readonly Json[];
        };
        const greeting: Json = { type: "Connect", sessionId: randomUUID(), connectionCount: 0, clientTs: 1 };
        const texts = [...(greets ? [greeting] : []), ...messages].map(textOf);
        const replies = await within("a connection", converse(new WebSocket(address), texts, 30));
        replies.forEach(checkNoSource);
        await checkHealth(farm);
      },
      close: () => Promise.resolve(),
    };
  },
};

function textOf(message: Json): string {
  return typeof message === "string" ? message : JSON.stringify(message);
}
