import { expect, it } from "vitest";
import { emptyTally } from "../../../app/statistics/tally.ts";
import { subjectWords } from "./subject-words.ts";

const { wait: _wait, run: _run, ...none } = emptyTally();
const summary = { ...none, wait: null, run: null, successRate: null };

it.each([
  ["model", "m", "m", "m", []],
  ["device", "k17", null, "Deleted", []],
  ["key", "", null, "All others", []],
  ["lane", '["chat",{"model":"m","tags":["fast"]}]', null, "m · chat", ["fast"]],
  ["lane", "not JSON", null, "Deleted", []],
] as const)("names a %s: %s", (by, subject, name, words, needs) => {
  expect(subjectWords(by, { subject, name, summary })).toEqual({ name: words, needs });
});
