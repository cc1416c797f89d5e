import { describe, expect, it } from "vitest";
import { limits } from "../limits.ts";
import { parseMessages } from "./parse-messages.ts";
import { parseResponse } from "./parse-response.ts";

const hello = { role: "user", content: "Hi" };
const ofResponse = (over: object) => parseResponse(JSON.stringify({ model: "m", input: [hello], ...over }));
const ofMessages = (over: object) =>
  parseMessages(JSON.stringify({ model: "m", max_tokens: 9, messages: [hello], ...over }));

/** A strict schema with a mistake at a property of this name. */
const wrongAt = (property: string): object => ({
  type: "object",
  properties: { [property]: { type: "nope" } },
  required: [property],
  additionalProperties: false,
});

describe("a refusal of a translated body", () => {
  it.each(["messages", "stop", "max_completion_tokens", "response_format", "function.name"])(
    "keeps the name of a schema's property %s",
    (property) => {
      const path = `properties.${property}.type`;
      const tool = { name: "a", strict: true };
      const refusals = [
        ofResponse({ tools: [{ ...tool, type: "function", parameters: wrongAt(property) }] }),
        ofMessages({ tools: [{ ...tool, input_schema: wrongAt(property) }] }),
        ofMessages({ output_config: { format: { type: "json_schema", schema: wrongAt(property) } } }),
      ];
      for (const [index, begin] of [
        "tools[0].parameters",
        "tools[0].input_schema",
        "output_config.format.schema",
      ].entries()) {
        const param = `${begin}.${path}`;
        const message = expect.stringContaining(`Invalid '${param}'`) as string;
        expect(refusals[index]).toMatchObject({ kind: "refused", refusal: { param, message } });
      }
    },
  );

  it("names the item or block with a wrong call, not a message of the chat", () => {
    const item = { type: "function_call", call_id: "a", name: "b c", arguments: "{}" };
    expect(ofResponse({ instructions: "x", input: [hello, item] })).toMatchObject({
      refusal: { param: "input[1].name" },
    });
    const block = { type: "tool_use", id: "a", name: "b c", input: {} };
    expect(
      ofMessages({ system: "x", messages: [hello, { role: "assistant", content: [block] }] }),
    ).toMatchObject({
      refusal: { param: "messages[1].content[0].name" },
    });
  });

  it("says how many calls are too many", () => {
    const many = Array.from({ length: limits.toolCalls + 1 }, (_, n) => `call_${String(n)}`);
    const input = many.map((id) => ({ type: "function_call", call_id: id, name: "a", arguments: "{}" }));
    expect(ofResponse({ input })).toMatchObject({
      refusal: { message: "Invalid 'input': must have at most 16 function calls in a row." },
    });
    const content = many.map((id) => ({ type: "tool_use", id, name: "a", input: {} }));
    expect(ofMessages({ messages: [{ role: "assistant", content }] })).toMatchObject({
      refusal: {
        message: `Invalid 'messages[0].content': must have at most 16 blocks of type "tool_use".`,
      },
    });
  });

  it("names the items that a response takes", () => {
    expect(ofResponse({ input: [{ type: "item_reference", id: "msg_1" }] })).toMatchObject({
      refusal: {
        param: "input[0].type",
        message: `Invalid 'input[0].type': must be "message", "function_call", "function_call_output" or "reasoning".`,
      },
    });
  });
});

describe("a response", () => {
  it("keeps a replayed text and the calls after it in one message", () => {
    const said = {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "Let me see." }],
    };
    const called = { type: "function_call", call_id: "a", name: "look", arguments: "{}" };
    const output = { type: "function_call_output", call_id: "a", output: "sun" };
    const parsed = ofResponse({ input: [hello, said, called, output, called] });
    const toolCalls = [{ id: "a", name: "look", arguments: "{}" }];
    expect(parsed).toMatchObject({
      asked: {
        request: {
          messages: [
            hello,
            { role: "assistant", content: "Let me see.", toolCalls },
            { role: "tool", content: "sun", toolCallId: "a" },
            { role: "assistant", content: "", toolCalls },
          ],
        },
      },
    });
  });

  it("is not streamed in the background", () => {
    expect(ofResponse({ background: true, stream: true })).toMatchObject({ refusal: { param: "stream" } });
  });
});

describe("a message", () => {
  it("may leave it to the model whether to think, but cannot ask for it", () => {
    const plain = ofMessages({});
    expect(ofMessages({ thinking: { type: "adaptive", display: "summarized" } })).toEqual(plain);
    expect(ofMessages({ thinking: { type: "disabled" } })).toEqual(plain);
    expect(ofMessages({ thinking: { type: "enabled", budget_tokens: 2_000 } })).toMatchObject({
      refusal: { param: "thinking.type" },
    });
  });
});

it("a translated body may ask for one call at most", () => {
  const parameters = { type: "object", properties: {} };
  const one = { kind: "parsed", asked: { request: { parallelToolCalls: false } } };
  const tools = [{ type: "function", name: "a", parameters }];
  expect(ofResponse({ tools, parallel_tool_calls: false })).toMatchObject(one);
  const own = [{ name: "a", input_schema: parameters }];
  for (const choice of [{ type: "auto" }, { type: "any" }, { type: "tool", name: "a" }])
    expect(
      ofMessages({ tools: own, tool_choice: { ...choice, disable_parallel_tool_use: true } }),
    ).toMatchObject(one);
  for (const parsed of [ofResponse({ tools }), ofMessages({ tools: own, tool_choice: { type: "any" } })])
    expect(parsed).not.toMatchObject(one);
});
