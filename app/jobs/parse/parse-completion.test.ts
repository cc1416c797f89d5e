import { describe, expect, it } from "vitest";
import { limits } from "../limits.ts";
import { parseCompletion } from "./parse-completion.ts";

const parse = (fields: object) =>
  parseCompletion(JSON.stringify({ model: "demo", prompt: "Once", ...fields }));

describe("parseCompletion", () => {
  it.each([undefined, null])("leaves the model open if a request names none (%j)", (model) => {
    expect(parse({ model })).toMatchObject({ kind: "parsed", asked: { model: null } });
  });

  it("fills in a completion's defaults and leaves the seed to the backend", () => {
    expect(parse({})).toEqual({
      kind: "parsed",
      asked: {
        model: "demo",
        stream: false,
        includeUsage: false,
        choices: 1,
        vote: null,
        priority: "normal",
        request: { prompt: "Once", maxTokens: 16, temperature: 1, topP: 1, seed: null, stop: [] },
      },
    });
  });

  it("parses every field of a completion", () => {
    const parsed = parse({
      prompt: ["Once"],
      max_tokens: 5,
      temperature: 0,
      top_p: 0.5,
      seed: 3,
      stop: ["end"],
      logprobs: 2,
      presence_penalty: 1,
      frequency_penalty: 1,
      logit_bias: { "7": 5 },
      top_k: 4,
      min_p: 0.1,
      stream: true,
      stream_options: { include_usage: true },
      service_tier: "flex",
      n: 1,
      best_of: 1,
      echo: false,
      suffix: null,
      user: "me",
      grammar: 'root ::= "a"',
    });
    expect(parsed).toMatchObject({
      asked: {
        stream: true,
        includeUsage: true,
        priority: "low",
        request: {
          prompt: "Once",
          maxTokens: 5,
          seed: 3,
          stop: ["end"],
          logprobs: 2,
          topK: 4,
          minP: 0.1,
          presencePenalty: 1,
          frequencyPenalty: 1,
          logitBias: [{ token: 7, bias: 5 }],
          format: { kind: "grammar", grammar: 'root ::= "a"' },
        },
      },
    });
  });

  it("takes ids of tokens in place of a text", () => {
    const asked = { asked: { request: { prompt: { tokenIds: "5 151000" } } } };
    expect(parse({ prompt: [5, 151_000] })).toMatchObject(asked);
    expect(parse({ prompt: [[5, 151_000]] })).toMatchObject(asked);
  });

  it("takes several prompts, each a text or ids of tokens", () => {
    const parsed = parse({ prompt: ["Once", [5, 6], "Twice"], n: 2, max_tokens: 5 });
    const common = { maxTokens: 5, temperature: 1, topP: 1, seed: null, stop: [] };
    expect(parsed).toMatchObject({
      asked: {
        choices: 2,
        request: { prompt: "Once", ...common },
        further: [
          { prompt: { tokenIds: "5 6" }, ...common },
          { prompt: "Twice", ...common },
        ],
      },
    });
    const most = Array.from({ length: limits.completions }, (_, index) => `prompt ${String(index)}`);
    expect(parse({ prompt: most })).toMatchObject({ kind: "parsed" });
  });

  it.each([
    ["prompt", { prompt: undefined }, "missing_required_parameter"],
    ["prompt", { prompt: null }, "invalid_type"],
    ["prompt", { prompt: "" }, "invalid_value"],
    ["prompt", { prompt: "\ud83d" }, "invalid_value"],
    ["prompt", { prompt: [] }, "invalid_value"],
    ["prompt[1]", { prompt: [1, -2] }, "invalid_value"],
    ["prompt[1]", { prompt: ["a", ""] }, "invalid_value"],
    ["prompt", { prompt: Array.from({ length: 33 }, () => "a") }, "invalid_value"],
    ["prompt", { prompt: Array.from({ length: 17 }, () => "a"), n: 2 }, "invalid_value"],
    ["x_gleaner.votes", { prompt: ["a", "b"], x_gleaner: { votes: 3 } }, "invalid_value"],
    ["prompt[0][1]", { prompt: [[1, "a"]] }, "invalid_type"],
    ["model", { model: "" }, "invalid_value"],
    ["n", { n: 9 }, "invalid_value"],
    ["best_of", { best_of: 3 }, "unsupported_value"],
    ["echo", { echo: true }, "unsupported_value"],
    ["suffix", { suffix: "the end" }, "unsupported_parameter"],
    ["logprobs", { logprobs: limits.logprobs + 1 }, "invalid_value"],
    ["logprobs", { logprobs: true }, "invalid_type"],
    ["max_tokens", { max_tokens: 0 }, "invalid_value"],
    ["grammar", { grammar: 'root ::= "a"', response_format: { type: "json_object" } }, "invalid_value"],
  ])("refuses a completion with an invalid %s (case %#)", (param, fields, code) => {
    expect(parse(fields)).toMatchObject({ kind: "refused", refusal: { status: 400, param, code } });
  });

  it("limits the bytes of a completion's prompt", () => {
    const prompt = "é".repeat(limits.promptBytes / 2);
    expect(parse({ prompt }).kind).toBe("parsed");
    for (const tooLong of [`${prompt}x`, [prompt, "x"]])
      expect(parse({ prompt: tooLong })).toMatchObject({
        refusal: { status: 413, code: "request_too_large", param: "prompt" },
      });
  });
});
