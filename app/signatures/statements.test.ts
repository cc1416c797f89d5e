import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { deviceKeyStatement, type ResultClaim, resultStatement, resultText } from "./statements.ts";

describe("canonical JSON", () => {
  it("is the text of RFC 8785 for its example", () => {
    const value = {
      numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it("sorts keys by their UTF-16 code units, as RFC 8785 does", () => {
    const keys = ["\u20ac", "\r", "\ufb33", "1", "\ud83d\ude00", "\u0080", "\u00f6"];
    const value = Object.fromEntries(keys.map((key) => [key, 0]));
    const sorted = Object.keys(JSON.parse(canonicalJson(value)) as object);
    expect(sorted).toEqual(["1", "\r", "\u0080", "\u00f6", "\u20ac", "\ud83d\ude00", "\ufb33"]);
  });

  it("is JSON of the same value, whatever the order of its fields", () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== "object" || value === null) return value;
      const fields = Object.entries(value).reverse();
      return Object.fromEntries(fields.map(([name, field]) => [name, shuffled(field)]));
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it("differs for different values", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const same = JSON.stringify(a) === JSON.stringify(b);
        if (same) expect(canonicalJson(a)).toBe(canonicalJson(b));
        if (canonicalJson(a) === canonicalJson(b)) {
          expect(JSON.parse(JSON.stringify(a))).toEqual(JSON.parse(JSON.stringify(b)));
        }
      }),
    );
  });

  it("takes an undefined field as absent", () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
  });

  it.each([Number.NaN, Infinity, 1n, undefined, () => 1, [undefined]])("refuses %s", (value) => {
    expect(() => canonicalJson({ value: [value] })).toThrow(TypeError);
  });
});

describe("statements", () => {
  const claim: ResultClaim = {
    deviceId: "d",
    attemptId: "a",
    jobId: "j",
    requestHash: "r",
    resultHash: "h",
  };

  it("have a fixed text, because stored signatures depend on it", () => {
    expect(resultStatement(claim)).toBe(
      '["gleaner.result",1,{"attemptId":"a","deviceId":"d","jobId":"j","requestHash":"r","resultHash":"h"}]',
    );
    expect(deviceKeyStatement({ keyHash: "k", publicKey: "p" })).toBe(
      '["gleaner.device-key",1,{"keyHash":"k","publicKey":"p"}]',
    );
    expect(resultText({ text: "t" }, { usage: {} })).toBe('{"report":{"usage":{}},"result":{"text":"t"}}');
  });

  it("are different for different claims, whatever their texts contain", () => {
    const claims = fc.record({
      deviceId: fc.string(),
      attemptId: fc.string(),
      jobId: fc.string(),
      requestHash: fc.string(),
      resultHash: fc.string(),
    });
    fc.assert(
      fc.property(claims, claims, (a, b) => {
        expect(resultStatement(a) === resultStatement(b)).toBe(canonicalJson(a) === canonicalJson(b));
      }),
    );
    for (const field of Object.keys(claim)) {
      expect(resultStatement({ ...claim, [field]: "x" })).not.toBe(resultStatement(claim));
    }
  });
});
