import { describe, expect, it } from "vitest";
import { batchLimits } from "./limits.ts";
import { FileCheck, parseLine } from "./parse-line.ts";

const endpoint = "/v1/chat/completions";
const line = (over: object = {}): string =>
  JSON.stringify({ custom_id: "a", method: "POST", url: endpoint, body: { model: "m" }, ...over });
const parse = (text: string | null) => parseLine({ number: 7, text, end: 0 }, endpoint);

it("gives the name and the body of a request", () => {
  expect(parse(line())).toEqual({
    kind: "parsed",
    request: { line: 7, customId: "a", model: "m", jobs: 1, isHigh: false, body: '{"model":"m"}' },
  });
});

it("refuses a field that it does not know, and names the one that was probably meant", () => {
  expect(parse(line({ customId: "b" }))).toEqual({
    kind: "refused",
    mistake: {
      line: 7,
      code: "unknown_parameter",
      param: "customId",
      message: "Unknown parameter: 'customId'. Did you mean 'custom_id'?",
    },
  });
});

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const deep = (levels: number): string => line({ body: "here" }).replace('"here"', `{"x":${nested(levels)}}`);

it("takes a body that is as deep as its own call may be", () => {
  expect(parse(deep(batchLimits.lineDepth - 2)).kind).toBe("parsed");
});

it("keeps each field of a body, so that its own call would refuse an unknown one", () => {
  const text = line({ body: "BODY" }).replace('"BODY"', '{"__proto__":1,"model":"m"}');
  expect(parse(text)).toMatchObject({ request: { body: '{"__proto__":1,"model":"m"}' } });
});

it.each([
  [deep(batchLimits.lineDepth - 1), "invalid_json_line", null],
  [deep(100_000), "invalid_json_line", null],
  [null, "invalid_json_line", null],
  ["{", "invalid_json_line", null],
  ["[]", "invalid_json_line", null],
  [line({ custom_id: undefined }), "missing_required_parameter", "custom_id"],
  [line({ custom_id: 7 }), "invalid_type", "custom_id"],
  [line({ custom_id: "" }), "invalid_value", "custom_id"],
  [line({ custom_id: "x".repeat(batchLimits.customIdChars + 1) }), "invalid_value", "custom_id"],
  [line({ custom_id: "\ud800" }), "invalid_value", "custom_id"],
  [line({ method: "GET" }), "unsupported_value", "method"],
  [line({ url: "/v1/embeddings" }), "mismatched_endpoint", "url"],
  [line({ body: undefined }), "missing_required_parameter", "body"],
  [line({ body: [] }), "invalid_type", "body"],
  [line({ body: null }), "invalid_type", "body"],
])("refuses %s", (text, code, param) => {
  expect(parse(text)).toMatchObject({ kind: "refused", mistake: { line: 7, code, param } });
});

describe("the check of a file", () => {
  const check = (texts: readonly string[]): FileCheck => {
    const file = new FileCheck();
    for (const [index, text] of texts.entries()) {
      const each = { number: index + 1, text, end: 0 };
      if (!file.add(each, parseLine(each, endpoint))) break;
    }
    return file;
  };

  it("counts the requests", () => {
    const { total, mistakes } = check([line(), line({ custom_id: "b" })]);
    expect([total, mistakes]).toEqual([2, []]);
  });

  it("finds out whether most requests ask for the high priority", () => {
    const tiers = (...all: readonly (string | undefined)[]): boolean =>
      check(all.map((tier, n) => line({ custom_id: String(n), body: { service_tier: tier } }))).isHigh;
    expect(tiers("priority", "priority", undefined)).toBe(true);
    expect(tiers("priority", "flex")).toBe(false);
    expect(tiers(undefined, "auto")).toBe(false);
  });

  it("finds a name that is there twice", () => {
    const { mistakes } = check([line(), line({ custom_id: "b" }), line()]);
    expect(mistakes).toMatchObject([{ line: 3, code: "duplicate_custom_id", param: "custom_id" }]);
  });

  it("names some of many mistakes, and stops", () => {
    const { mistakes } = check(Array.from({ length: 50 }, () => "?"));
    expect(mistakes).toHaveLength(batchLimits.namedMistakes);
  });

  it("refuses an empty file, and one with too many requests", () => {
    expect(check([]).mistakes).toMatchObject([{ line: 0, code: "empty_file" }]);
    const many = Array.from({ length: batchLimits.lines + 2 }, (_, n) => line({ custom_id: String(n) }));
    expect(check(many).mistakes).toMatchObject([{ line: batchLimits.lines + 1, code: "too_many_requests" }]);
  });
});
