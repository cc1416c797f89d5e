import { expect, it } from "vitest";
import { suggestedPrompts } from "./suggested-prompts.ts";

it("has sixty different prompts", () => {
  expect(new Set(suggestedPrompts.map(({ prompt }) => prompt)).size).toBe(60);
});

it("mixes all reliable tasks into the first 24", () => {
  const tasks = new Set(suggestedPrompts.slice(0, 24).map(({ task }) => task));
  for (const task of [
    "extract",
    "json",
    "sentiment",
    "summarise",
    "capital",
    "mul",
    "repeat",
    "topic",
  ] as const) {
    expect(tasks).toContain(task);
  }
});

it("grades the grammar's answer as right, and another prompt's answer as wrong", () => {
  suggestedPrompts.forEach(({ expected, grade }, i) => {
    expect(grade(expected)).toBe(true);
    expect(grade(`${expected} and more`)).toBe(false);
    const other = suggestedPrompts[(i + 1) % suggestedPrompts.length]!;
    expect(grade(other.expected)).toBe(other.expected === expected);
  });
});
