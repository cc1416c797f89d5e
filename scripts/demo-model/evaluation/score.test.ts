import { expect, it } from "vitest";
import { drawEvenly, type Graded, score, trainingPrompts } from "./score.ts";

const graded = (task: "add" | "sub", right: boolean, seen: boolean): Graded => ({
  sample: { task, prompt: "", answer: "" },
  answer: "",
  right,
  seen,
});

it("an even draw spreads the prompts over all tasks, and draws the requested number", () => {
  expect(drawEvenly(1, 1_000)).toHaveLength(1_000);
  const few = drawEvenly(1, 30);
  expect(few).toHaveLength(30);
  expect(new Set(few.map(({ task }) => task)).size).toBe(25);
});

it("the score weights each task by its share of the corpus, however many prompts it had", () => {
  // Addition has the weight 9, subtraction 6.
  const result = score([graded("add", true, true), graded("sub", false, false), graded("sub", true, true)]);
  expect(result.rightByShare).toBeCloseTo((9 + 6 * 0.5) / 15);
  expect(result).toMatchObject({ prompts: 3, right: 2, unseenPrompts: 1, unseenRight: 0 });
});

it("the score of an empty list of answers is 0", () => {
  expect(score([])).toMatchObject({ prompts: 0, right: 0, rightByShare: 0, perTask: [] });
});

it("the training prompts do not include most newly drawn ones", () => {
  const seen = trainingPrompts();
  expect(seen.has("What is the capital of France?")).toBe(true);
  const fresh = drawEvenly(4_242, 1_000).filter(
    ({ task, prompt }) => task === "extract" && !seen.has(prompt),
  );
  expect(fresh.length).toBeGreaterThan(35);
});
