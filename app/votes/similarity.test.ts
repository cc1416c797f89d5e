import { describe, expect, it } from "vitest";
import { compare, type ComparedAnswer, wordsOf } from "./similarity.ts";

const agree = (one: ComparedAnswer, other: ComparedAnswer): boolean => {
  const { agree: agrees } = compare(one, other);
  expect(compare(other, one).agree).toBe(agrees);
  return agrees;
};
const texts = (one: string, other: string): boolean => agree({ text: one }, { text: other });

describe("short texts", () => {
  it.each([
    ["Oslo", " oslo.\n"],
    ["The capital is **Oslo**.", "the capital is Oslo"],
    ["don't know", "Don’t know!"],
    ["Ｏｓｌｏ", "Oslo"],
    ["", "…"],
  ])("agree without regard to case, punctuation and spaces: %j, %j", (one, other) => {
    expect(texts(one, other)).toBe(true);
  });

  it.each([
    ["Oslo", "Bergen"],
    ["yes", "no"],
    ["3.5", "35"],
    ["-3", "3"],
    ["a + b", "a - b"],
    ["not spam", "spam"],
    ["10 %", "10"],
    ["Oslo", ""],
  ])("disagree if a word, a sign or a symbol differs: %j, %j", (one, other) => {
    expect(texts(one, other)).toBe(false);
  });
});

describe("JSON", () => {
  it.each([
    ['{"a": 1, "b": [true]}', '{ "b":[true],"a":1.0 }'],
    ['{"a": 1}', '```json\n{"a": 1}\n```'],
    ["[]", "[ ]"],
  ])("agrees if the values are equal: %s, %s", (one, other) => {
    expect(texts(one, other)).toBe(true);
  });

  it.each([
    ['{"a": "x"}', '{"a": "X"}'],
    ["[1, 2]", "[2, 1]"],
    ['{"a": 1}', '{"a": 1, "b": null}'],
    ['{"a": 1', '{"a": 1}x'],
  ])("disagrees if a value differs: %s, %s", (one, other) => {
    expect(texts(one, other)).toBe(false);
  });
});

describe("calls of tools", () => {
  const call = (name: string, json: string) => ({
    text: "",
    toolCalls: [{ id: `call_${String(Math.random())}`, name, arguments: json }],
  });

  it("agree if function and arguments are equal", () => {
    expect(
      agree(call("weather", '{"city":"Oslo","days":2}'), call("weather", '{"days": 2, "city": "Oslo"}')),
    ).toBe(true);
    expect(agree(call("weather", '{"city":"Oslo"}'), call("weather", '{"city":"Bergen"}'))).toBe(false);
    expect(agree(call("weather", "{}"), call("clock", "{}"))).toBe(false);
    expect(agree(call("weather", "{}"), { text: "{}" })).toBe(false);
  });

  it("that were cut off agree if they are equal", () => {
    expect(agree(call("weather", '{"city":"Os'), call("weather", '{"city":"Os'))).toBe(true);
  });
});

describe("long texts", () => {
  const sentence =
    "The harbour was built in 1905 by the city, and since then it has served fishing boats, ferries and, in summer, a growing number of cruise ships.";

  it("agree if they have mostly the same words", () => {
    expect(texts(sentence, sentence.replace("a growing number of", "many"))).toBe(true);
    expect(compare({ text: sentence }, { text: sentence })).toEqual({ agree: true, similarity: 1 });
  });

  it("disagree if they have other words, or another number", () => {
    const other =
      "Norway has many ports along its coast. Some of them are old, and most of them serve oil platforms, salmon farms and the daily mail boats to the north.";
    expect(texts(sentence, other)).toBe(false);
    expect(texts(sentence, sentence.replace("1905", "1950"))).toBe(false);
  });
});

it("words keep the signs and points of numbers", () => {
  expect(wordsOf("It's -3.5 °C, GPT-4 and 10-20 at 7:30!")).toEqual([
    "it's",
    "-3.5",
    "°",
    "c",
    "gpt",
    "4",
    "and",
    "10",
    "20",
    "at",
    "7:30",
  ]);
});
