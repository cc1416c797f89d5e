import { expect, it } from "vitest";
import { eventBodies, failureOf, noAnswer, withBody } from "./read-answer.ts";

function streamOf(...pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

async function bodiesOf(stream: ReadableStream<Uint8Array>): Promise<unknown[]> {
  const bodies: unknown[] = [];
  for await (const body of eventBodies(stream)) bodies.push(body);
  return bodies;
}

it("reads events wherever the network cuts them, also inside of a letter", async () => {
  const bytes = new TextEncoder().encode(
    ': working\n\ndata: {"a":"é€"}\n\ndata: {"b":2}\r\n\ndata: [DONE]\n\n',
  );
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(await bodiesOf(streamOf(bytes.slice(0, cut), bytes.slice(cut)))).toEqual([{ a: "é€" }, { b: 2 }]);
  }
});

it("reads a last event without a line's end", async () => {
  expect(await bodiesOf(streamOf(new TextEncoder().encode('data: {"a":1}')))).toEqual([{ a: 1 }]);
});

it("adds up the chunks of a chat", () => {
  const chunks = [
    { choices: [{ delta: { role: "assistant", content: "" }, finish_reason: null }] },
    { choices: [{ delta: { content: "Ath" }, finish_reason: null }] },
    { choices: [{ delta: { content: "ens" }, finish_reason: null }] },
    { choices: [{ delta: {}, finish_reason: "stop" }] },
    { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } },
  ];
  expect(chunks.reduce(withBody, noAnswer)).toEqual({
    text: "Athens",
    toolCalls: [],
    finishReason: "stop",
    usage: { promptTokens: 7, completionTokens: 2 },
    vectors: null,
  });
});

it("reads tool calls, streamed and whole", () => {
  const call = { id: "1", function: { name: "f", arguments: "{}" } };
  for (const said of ["delta", "message"]) {
    const body = {
      choices: [{ [said]: { content: null, tool_calls: [call] }, finish_reason: "tool_calls" }],
    };
    expect(withBody(noAnswer, body)).toMatchObject({
      text: "",
      toolCalls: [call],
      finishReason: "tool_calls",
    });
  }
});

it("joins the parts of streamed calls", () => {
  const part = (...calls: readonly object[]) => ({ choices: [{ delta: { tool_calls: calls } }] });
  const bodies = [
    part({ index: 0, id: "a", function: { name: "f", arguments: "" } }),
    part({ index: 0, function: { arguments: '{"n"' } }),
    part({ index: 0, function: { arguments: ":1}" } }),
    part({ index: 1, id: "b", function: { name: "g", arguments: "{}" } }),
  ];
  expect(bodies.reduce(withBody, noAnswer).toolCalls).toEqual([
    { id: "a", function: { name: "f", arguments: '{"n":1}' } },
    { id: "b", function: { name: "g", arguments: "{}" } },
  ]);
});

it("reads completions and embeddings", () => {
  const completion = { choices: [{ text: "Hello", finish_reason: "length" }] };
  expect(withBody(noAnswer, completion)).toMatchObject({ text: "Hello", finishReason: "length" });
  const data = [{ embedding: [1, 2, 3, 4, 5] }, { embedding: [6, 7, 8, 9, 10] }];
  expect(withBody(noAnswer, { data }).vectors).toEqual({
    length: 5,
    starts: [
      [1, 2, 3, 4],
      [6, 7, 8, 9],
    ],
  });
});

it("ignores bodies of another form, and finds errors", () => {
  for (const body of [undefined, null, 1, "x", [], { choices: [null] }, { choices: "x", usage: 1 }])
    expect(withBody(noAnswer, body)).toEqual(noAnswer);
  expect(failureOf({ error: { code: "queue_full", message: "Later." } })).toEqual({
    code: "queue_full",
    message: "Later.",
  });
  expect(failureOf({ choices: [] })).toBeNull();
});
