import { expect, it } from "vitest";
import { suggestedPrompts } from "./suggested-prompts.ts";

it("the sixty suggested prompts are different", () => {
  expect(new Set(suggestedPrompts.map(({ prompt }) => prompt)).size).toBe(60);
});

it("the first 24 suggested prompts include all reliable tasks", () => {
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

it("each suggested prompt grades the grammar's answer as right, and another prompt's answer as wrong", () => {
  suggestedPrompts.forEach(({ expected, grade }, i) => {
    expect(grade(expected)).toBe(true);
    expect(grade(`${expected} and more`)).toBe(false);
    const other = suggestedPrompts[(i + 1) % suggestedPrompts.length]!;
    expect(grade(other.expected)).toBe(other.expected === expected);
  });
});
