import type { JSONValue } from "convex/values";
import { expect, test } from "vitest";
import { hasSameOutcome, type KnownResult, resultFieldsJson } from "./known-result.ts";

const success = (value: JSONValue, logLines: readonly string[] = []): KnownResult => ({
  outcome: { kind: "success", value },
  logLines,
  journal: null,
});

test("a result is serialized once, however often it is sent and compared", () => {
  let times = 0;
  const counting = { toJSON: () => ++times } as unknown as JSONValue;
  const result = success(counting);
  for (let client = 0; client < 100; client += 1) {
    expect(resultFieldsJson(result)).toBe('"value":1,"logLines":[],"journal":null');
  }
  expect(hasSameOutcome(result, success(1))).toBe(true);
  expect(times).toBe(1);
});

test("a result is new if its value, error, error data or page ends changed, but not if only its log lines did", () => {
  const failed = (data?: JSONValue): KnownResult => ({
    outcome: { kind: "failure", message: "no", ...(data === undefined ? {} : { data }) },
    logLines: [],
    journal: null,
  });
  expect(hasSameOutcome(success(1), success(1, ["again"]))).toBe(true);
  const different = [
    success(1),
    success(2),
    success("no"),
    failed(),
    failed(1),
    { ...success(1), journal: "j" },
  ];
  different.forEach((a, n) => {
    different.forEach((b, m) => expect(hasSameOutcome(a, b)).toBe(n === m));
  });
});
