import { expect, it } from "vitest";
import { isRight } from "../../launch/farm/grading.ts";
import { drawSuggestedPrompts } from "./suggested-prompts.ts";

const suggestedPrompts = drawSuggestedPrompts();

it("the demonstration's file has the suggested prompts", async () => {
  const text = `${JSON.stringify(suggestedPrompts, ["task", "prompt", "answer"], 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../resources/demo-model/suggested-prompts.json");
});

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

it("the grammar's answer to a suggested prompt is graded as right, and another prompt's as wrong", () => {
  suggestedPrompts.forEach(({ answer }, i) => {
    expect(isRight(answer, answer)).toBe(true);
    expect(isRight(answer, `${answer} and more`)).toBe(false);
    const other = suggestedPrompts[(i + 1) % suggestedPrompts.length]!;
    expect(isRight(answer, other.answer)).toBe(other.answer === answer);
  });
});
