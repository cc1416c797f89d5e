import { describe, expect, it } from "vitest";
import { limits } from "../limits.ts";
import { parseEmbedding } from "./parse-embedding.ts";

const parse = (fields: object) => parseEmbedding(JSON.stringify({ model: "demo", input: "Hi", ...fields }));

describe("parseEmbedding", () => {
  it("parses one text to embed, or several in their order", () => {
    expect(parse({})).toEqual({
      kind: "parsed",
      asked: { model: "demo", encoding: "float", priority: "normal", request: { inputs: ["Hi"] } },
    });
    expect(
      parse({ input: ["b", "a"], encoding_format: "base64", service_tier: "flex", user: "me" }),
    ).toMatchObject({ asked: { encoding: "base64", priority: "low", request: { inputs: ["b", "a"] } } });
  });

  it("passes on the length of vectors that the client expects", () => {
    expect(parse({ dimensions: 384 })).toMatchObject({
      asked: { request: { inputs: ["Hi"], dimensions: 384 } },
    });
    expect(parse({ dimensions: null })).toMatchObject({ asked: { request: { inputs: ["Hi"] } } });
  });

  it.each([
    ["input", { input: undefined }, "missing_required_parameter"],
    ["input", { input: null }, "invalid_type"],
    ["input", { input: "" }, "invalid_value"],
    ["input", { input: [] }, "invalid_value"],
    ["input[1]", { input: ["a", ""] }, "invalid_value"],
    ["input[0]", { input: ["\ud83d"] }, "invalid_value"],
    ["input[1]", { input: [1, -2] }, "invalid_value"],
    ["input[0]", { input: [0.5] }, "invalid_type"],
    ["input[1][0]", { input: [[1, 2], [1e9]] }, "invalid_value"],
    ["input[1]", { input: [[1, 2], []] }, "invalid_value"],
    ["input[1]", { input: [1, "a"] }, "invalid_type"],
    ["input", { input: Array<string>(limits.embeddingInputsOfCall + 1).fill("a") }, "invalid_value"],
    ["model", { model: "" }, "invalid_value"],
    ["encoding_format", { encoding_format: "int8" }, "unsupported_value"],
    ["dimensions", { dimensions: 0 }, "invalid_value"],
  ])("refuses an embedding call with an invalid %s (case %#)", (param, fields, code) => {
    const parsed = parse(fields);
    expect(parsed).toMatchObject({ kind: "refused", refusal: { status: 400, param, code } });
    if (parsed.kind === "refused") expect(parsed.refusal.message).toContain(`'${param}'`);
  });

  it("takes ids of tokens in place of a text", () => {
    const inputsOf = (input: unknown) => parse({ input });
    const parsed = (...inputs: unknown[]) => ({ asked: { request: { inputs } } });
    expect(inputsOf([11_064, 3])).toMatchObject(parsed({ tokenIds: "11064 3" }));
    expect(inputsOf([[1, 2], [3]])).toMatchObject(parsed({ tokenIds: "1 2" }, { tokenIds: "3" }));
    expect(inputsOf(["a", [0]])).toMatchObject(parsed("a", { tokenIds: "0" }));
  });

  it("limits the bytes of each text", () => {
    const whole = "x".repeat(limits.promptBytes);
    expect(parse({ input: [whole, whole] }).kind).toBe("parsed");
    expect(parse({ input: ["y", `${whole}x`] })).toMatchObject({
      refusal: { status: 413, code: "request_too_large", param: "input[1]" },
    });
  });
});
