import { describe, expect, it } from "vitest";
import { limits } from "../../limits.ts";
import { parseOllamaChat } from "./ollama-chat.ts";
import { parseOllamaGenerate } from "./ollama-generate.ts";
import { parseOllamaEmbed, parseOllamaEmbeddings, parseOllamaShow } from "./ollama-models.ts";

const hello = { role: "user", content: "Hi" };
const chat = (over: object) => parseOllamaChat(JSON.stringify({ model: "m", messages: [hello], ...over }));
const generate = (over: object) => parseOllamaGenerate(JSON.stringify({ model: "m", prompt: "Hi", ...over }));
const embed = (over: object) => parseOllamaEmbed(JSON.stringify({ model: "m", input: "Hi", ...over }));

describe("a chat", () => {
  it("is streamed unless it says otherwise", () => {
    expect(chat({})).toMatchObject({ asked: { model: "m", stream: true, request: { messages: [hello] } } });
    expect(chat({ stream: false })).toMatchObject({ asked: { stream: false } });
  });

  it("takes its options, and knows those without effect by name", () => {
    const options = {
      temperature: 0.5,
      top_p: 0.9,
      top_k: 20,
      min_p: 0.1,
      seed: 7,
      stop: "END",
      num_predict: 5,
      repeat_penalty: 1.2,
      presence_penalty: 0.5,
      frequency_penalty: 0.25,
      num_ctx: 8_192,
      num_gpu: 99,
      use_mmap: true,
      repeat_last_n: 64,
      mirostat: 0,
      typical_p: 1,
    };
    expect(chat({ options, keep_alive: "5m", think: false, truncate: true })).toMatchObject({
      asked: {
        request: {
          temperature: 0.5,
          topP: 0.9,
          topK: 20,
          minP: 0.1,
          seed: 7,
          stop: ["END"],
          maxTokens: 5,
          repeatPenalty: 1.2,
          presencePenalty: 0.5,
          frequencyPenalty: 0.25,
        },
      },
    });
  });

  it.each([-1, -2])("may take as many tokens as there is room for, by num_predict %i", (most) => {
    expect(chat({ options: { num_predict: most } })).toMatchObject({
      asked: { request: { maxTokens: limits.maxTokens } },
    });
  });

  it.each([
    ["json", { kind: "json" }],
    [{ type: "object", properties: {} }, { kind: "json-schema" }],
  ])("has the format %j", (format, wanted) => {
    expect(chat({ format })).toMatchObject({ asked: { request: { format: wanted } } });
  });

  it("offers tools whose functions have a type, as the official client's may", () => {
    const offered = { name: "clock", parameters: { type: "object", properties: {} } };
    const tools = (more: object) => [{ type: "function", function: { ...offered, ...more } }];
    expect(chat({ tools: tools({ type: "object" }) })).toEqual(chat({ tools: tools({}) }));
    expect(chat({ tools: tools({}) })).toMatchObject({ asked: { request: { tools: [{ name: "clock" }] } } });
    expect(chat({ tools: tools({ strct: true }) })).toMatchObject({
      refusal: { param: "tools[0].function.strct", code: "unknown_parameter" },
    });
  });

  it("has no format if it is an empty text", () => {
    expect(chat({ format: "" })).toEqual(chat({}));
  });

  it("matches results with calls by their ids, their names, or their order", () => {
    const call = (name: string, id?: string) => ({ id, function: { name, arguments: { at: name } } });
    const turn = { role: "assistant", content: "", tool_calls: [call("a"), call("b"), call("c", "own")] };
    const parsed = chat({
      messages: [
        hello,
        turn,
        { role: "tool", content: "by id", tool_call_id: "own" },
        { role: "tool", content: "by name", tool_name: "b" },
        { role: "tool", content: "by order" },
      ],
    });
    if (parsed.kind === "refused") throw new Error(parsed.refusal.message);
    const [, asked, ...results] = parsed.asked.request.messages;
    const [a, b, c] = asked?.toolCalls ?? [];
    expect(a).toMatchObject({ name: "a", arguments: '{"at":"a"}' });
    expect(results).toEqual([
      { role: "tool", content: "by id", toolCallId: c?.id },
      { role: "tool", content: "by name", toolCallId: b?.id },
      { role: "tool", content: "by order", toolCallId: a?.id },
    ]);
    expect(new Set([a?.id, b?.id, c?.id]).size).toBe(3);
  });

  it.each<[object, string, RegExp]>([
    [{ temperature: 1 }, "temperature", /Unknown parameter/],
    [{ options: { temprature: 1 } }, "options.temprature", /Did you mean 'options.temperature'/],
    [{ options: { mirostat: 2 } }, "options.mirostat", /only 0 is supported/],
    [{ options: { num_predict: 0 } }, "options.num_predict", /at least 1, or -1/],
    [{ options: { temperature: 3 } }, "options.temperature", /at most 2/],
    [{ think: "high" }, "think", /only false is supported/],
    [{ messages: [{ ...hello, images: ["aGk="] }] }, "messages[0].images", /images are not supported/],
    [{ messages: [{ ...hello, name: "x" }] }, "messages[0].name", /Unknown parameter/],
    [{ messages: [hello, { role: "tool", content: "x" }] }, "messages[1]", /no earlier call/],
    [{ messages: [] }, "messages", /must not be empty/],
    [{ format: "xml" }, "format", /"json" or a JSON schema/],
    [{ format: { type: "nope" } }, "format", /type/],
    [{ tools: [{ type: "function", function: { name: "a b" } }] }, "tools[0].function.name", /must have/],
  ])("with %j is refused at %s", (over, param, message) => {
    const parsed = chat(over);
    expect(parsed).toMatchObject({ kind: "refused" });
    if (parsed.kind !== "refused") return;
    expect(parsed.refusal.param).toContain(param);
    expect(parsed.refusal.message).toMatch(message);
    expect(parsed.refusal.message).not.toMatch(/response_format|max_tokens/);
  });
});

describe("a prompt", () => {
  it("is a chat of one message, after the system's", () => {
    expect(generate({ system: "Be brief.", template: "", context: [] })).toMatchObject({
      asked: { kind: "chat", request: { messages: [{ role: "system", content: "Be brief." }, hello] } },
    });
  });

  it("is continued as it is if it is raw, for as long as a chat", () => {
    expect(generate({ raw: true })).toMatchObject({
      asked: { kind: "completion", request: { prompt: "Hi", maxTokens: null } },
    });
    expect(generate({ raw: true, options: { num_predict: 3 }, logprobs: true })).toMatchObject({
      asked: { request: { maxTokens: 3, logprobs: 0 } },
    });
  });

  it.each<[object, string]>([
    [{ prompt: "" }, "prompt"],
    [{ prompt: "x".repeat(limits.promptBytes + 1) }, "prompt"],
    [{ raw: true, prompt: "x".repeat(limits.promptBytes + 1) }, "prompt"],
    [{ raw: true, system: "Be brief." }, "system"],
    [{ suffix: "}" }, "suffix"],
    [{ template: "{{ .Prompt }}" }, "template"],
    [{ context: [1, 2] }, "context"],
    [{ messages: [hello] }, "messages"],
  ])("with %j is refused", (over, param) => {
    expect(generate(over)).toMatchObject({ kind: "refused", refusal: { param } });
  });
});

describe("texts for vectors", () => {
  it("are one or several", () => {
    expect(embed({ truncate: true, options: { num_ctx: 9 } })).toMatchObject({
      asked: { request: { inputs: ["Hi"] } },
    });
    expect(embed({ input: ["a", "b"], dimensions: 4 })).toMatchObject({
      asked: { request: { inputs: ["a", "b"], dimensions: 4 } },
    });
    const older = parseOllamaEmbeddings(JSON.stringify({ model: "m", prompt: "Hi" }));
    expect(older).toMatchObject({ asked: { request: { inputs: ["Hi"] } } });
  });

  it("are refused in the words of their call", () => {
    expect(embed({ input: undefined })).toMatchObject({ refusal: { param: "input" } });
    const long = JSON.stringify({ model: "m", prompt: "x".repeat(limits.promptBytes + 1) });
    expect(parseOllamaEmbeddings(long)).toMatchObject({ refusal: { param: "prompt" } });
  });
});

it("shows a model by either word", () => {
  expect(parseOllamaShow('{"name":"m"}')).toEqual({ kind: "parsed", asked: { model: "m" } });
  expect(parseOllamaShow('{"model":"m","verbose":true}')).toEqual({ kind: "parsed", asked: { model: "m" } });
});
