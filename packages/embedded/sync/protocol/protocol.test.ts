import { expect, test } from "vitest";
import { callIn, parseClientMessage } from "./protocol.ts";

const parse = (message: unknown) => parseClientMessage(JSON.stringify(message), Infinity);

test("a client's first messages are parsed", () => {
  const connect = {
    type: "Connect",
    sessionId: "0d3c9b0e-5e1a-4b62-9a53-0f7a5c3f4d11",
    connectionCount: 0,
    lastCloseReason: "InitialConnect",
    clientTs: 1_700_000_000_000,
    maxObservedTimestamp: "AQAAAAAAAAA=",
  };
  expect(parse(connect)).toMatchObject({
    kind: "ok",
    message: { type: "Connect", maxObservedTimestamp: 1n },
  });
});

test("an absent journal and an absent argument have one form each", () => {
  const add = { type: "Add", queryId: 0, udfPath: "jobs:list", args: [] };
  const parsed = parse({ type: "ModifyQuerySet", baseVersion: 0, newVersion: 1, modifications: [add] });
  expect(parsed).toMatchObject({ message: { modifications: [{ ...add, args: {}, journal: null }] } });
});

test.each([
  ["unknown type", { type: "Shutdown" }],
  ["negative id", { type: "Mutation", requestId: -1, udfPath: "a:b", args: [{}] }],
  ["fractional id", { type: "Mutation", requestId: 0.5, udfPath: "a:b", args: [{}] }],
  ["two arguments", { type: "Mutation", requestId: 0, udfPath: "a:b", args: [{}, {}] }],
  ["no path", { type: "Action", requestId: 0, args: [{}] }],
  ["endless path", { type: "Action", requestId: 0, udfPath: "a".repeat(2000), args: [{}] }],
  ["session id with markup", { type: "Connect", sessionId: "<b>", connectionCount: 0 }],
  ["half a timestamp", { type: "Connect", sessionId: "a", connectionCount: 0, maxObservedTimestamp: "AQA=" }],
  ["unknown token type", { type: "Authenticate", tokenType: "Root", baseVersion: 0, value: "x" }],
])("a message with this fault is refused: %s", (_, message) => {
  expect(parse(message).kind).toBe("invalid");
});

test.each([
  [[], "the message must be an object"],
  [{ type: "Shutdown" }, "type is unknown"],
  [{ type: "Mutation", requestId: 1e15, udfPath: "a:b", args: [{}] }, "requestId must be at most 4294967295"],
  [{ type: "Mutation", requestId: 0.5, udfPath: "a:b", args: [{}] }, "requestId must be a whole number"],
  [{ type: "Mutation", requestId: -1, udfPath: "a:b", args: [{}] }, "requestId must be at least 0"],
  [
    { type: "Mutation", requestId: "x", udfPath: 1, args: 1 },
    "requestId must be a number; udfPath must be text; args must be an array",
  ],
  [{ type: "Connect", sessionId: "<b>", connectionCount: 0 }, "sessionId does not have the accepted form"],
  [
    {
      type: "ModifyQuerySet",
      baseVersion: 0,
      newVersion: 1,
      modifications: Array(100).fill({ type: "Add" }),
    },
    "modifications.0.queryId is missing; modifications.0.udfPath is missing; modifications.0.args is missing; " +
      "modifications.1.queryId is missing; modifications.1.udfPath is missing",
  ],
])("the refusal of %j says what is wrong in words", (message, reason) => {
  expect(parse(message)).toEqual({ kind: "invalid", reason });
});

test("text that is not JSON, and JSON nested too deeply, are refused", () => {
  expect(parseClientMessage("{", Infinity).kind).toBe("invalid");
  expect(parseClientMessage("[".repeat(100_000), Infinity).kind).toBe("invalid");
});

test.each([
  ['{"type":"Mutation","requestId":7,"udfPath":"a:b","args":[{"x":"yyy', { type: "Mutation", requestId: 7 }],
  ['{"requestId":0,"type":"Action","udfPath":"a:b","args":[{"requestId":9', { type: "Action", requestId: 0 }],
  ['{"type":"ModifyQuerySet","baseVersion":0,"newVersion":1,"modifications":[{"type":"Add"', null],
  ['{"type":"Mutation","args":[{"requestId":9', null],
  ["", null],
])("the call of which %s is the beginning is known", (head, call) => {
  expect(callIn(head)).toEqual(call);
});
