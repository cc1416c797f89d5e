import { expect, test } from "vitest";
import type { TransitionMessage } from "./server-messages.ts";
import { transitionFrames, transitionJson } from "./transition-chunks.ts";

const version = { querySet: 0, identity: 0, ts: "AAAAAAAAAAA=" };
const transition = (value: string): TransitionMessage => ({
  type: "Transition",
  startVersion: version,
  endVersion: version,
  modifications: [
    {
      type: "QueryUpdated",
      queryId: 0,
      result: { outcome: { kind: "success", value }, logLines: [], journal: null },
    },
  ],
});

test("a small transition is one frame", () => {
  const message = transition("x");
  expect(transitionFrames(message)).toEqual([transitionJson(message)]);
});

test("a large transition is sent in numbered chunks, each valid UTF-8", () => {
  const message = transition("🙂é".repeat(500));
  const chunks = transitionFrames(message, 101).map(
    (frame) => JSON.parse(Buffer.from(frame, "utf8").toString("utf8")) as Record<string, unknown>,
  );
  expect(chunks.length).toBeGreaterThan(10);
  expect(new Set(chunks.map((chunk) => chunk["transitionId"])).size).toBe(1);
  expect(chunks.map((chunk) => chunk["partNumber"])).toEqual(chunks.map((_, part) => part));
  expect(chunks.every((chunk) => chunk["totalParts"] === chunks.length)).toBe(true);
  expect(JSON.parse(chunks.map((chunk) => chunk["chunk"]).join(""))).toEqual(
    JSON.parse(transitionJson(message)),
  );
});
