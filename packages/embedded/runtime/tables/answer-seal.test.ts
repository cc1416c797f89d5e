import { expect, test } from "vitest";
import { AnswerSeal } from "./answer-seal.ts";

const request = { sessionId: "s", requestId: 3, acknowledgedThrough: null };
const seal = new AnswerSeal("secret");

test.each([[{ text: "my marker" }], ["my marker"], [0], [null]])("opens what it sealed: %j", (value) => {
  const stored = seal.seal(value, request);
  expect(seal.open(stored, request)).toEqual(value);
  expect(JSON.stringify(stored)).not.toContain("marker");
});

test("opens no value of another request, of another secret, or in another form", () => {
  const stored = seal.seal("value", request);
  expect(seal.open(stored, { ...request, requestId: 4 })).toBeUndefined();
  expect(new AnswerSeal("another").open(stored, request)).toBeUndefined();
  expect(seal.open("", request)).toBeUndefined();
  expect(seal.open(undefined, request)).toBeUndefined();
});
