import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../../app/jobs/chat.ts";
import { historyOf } from "./prompt.ts";

describe("historyOf", () => {
  const user = (content: string): ChatMessage => ({ role: "user", content });
  const call = { id: "1", name: "f", arguments: '{"a":1}' };

  it("ends a history with an open answer", () => {
    expect(historyOf([user("hi")])).toEqual([
      { type: "user", text: "hi" },
      { type: "model", response: [] },
    ]);
    expect(historyOf([user("hi"), { role: "assistant", content: "ho" }])).toEqual([
      { type: "user", text: "hi" },
      { type: "model", response: ["ho"] },
      { type: "model", response: [] },
    ]);
  });

  it("continues the answer that called a tool", () => {
    const messages: ChatMessage[] = [
      user("hi"),
      { role: "assistant", content: "well", toolCalls: [call] },
      { role: "tool", content: "[2]", toolCallId: "1" },
    ];
    const called = { type: "functionCall", name: "f", params: { a: 1 }, result: [2], startsNewChunk: true };
    expect(historyOf(messages)).toEqual([
      { type: "user", text: "hi" },
      { type: "model", response: ["well", called] },
    ]);
    expect(historyOf([...messages, { role: "assistant", content: "so" }, user("ok")])).toEqual([
      { type: "user", text: "hi" },
      { type: "model", response: ["well", called, "so"] },
      { type: "user", text: "ok" },
      { type: "model", response: [] },
    ]);
  });

  it("accepts tool results that are not JSON, and drops results without a call", () => {
    const messages: ChatMessage[] = [
      { role: "assistant", content: "", toolCalls: [call] },
      { role: "tool", content: "not {json", toolCallId: "1" },
      { role: "tool", content: "lost", toolCallId: "2" },
    ];
    expect(historyOf(messages)).toMatchObject([{ response: [{ result: "not {json" }] }]);
  });
});
