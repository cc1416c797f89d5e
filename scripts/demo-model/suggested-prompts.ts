import { createSampler, type Sample, type TaskName } from "./corpus/sampler.ts";
import { isRight } from "./evaluation/grading.ts";

export interface SuggestedPrompt {
  readonly task: TaskName;
  readonly prompt: string;
  /** The correct answer by the corpus' grammar. */
  readonly expected: string;
  readonly grade: (answer: string) => boolean;
}

/** The model was not trained with this seed (see training-data.ts). */
const seed = 2026;

/**
 * Mostly tasks that the model is good at. It often fails at the last two, because a demo that cannot fail proves
 * nothing.
 */
const counts: Partial<Record<TaskName, number>> = {
  extract: 10,
  json: 9,
  sentiment: 8,
  summarise: 8,
  capital: 7,
  mul: 5,
  repeat: 4,
  topic: 5,
  where: 3,
  add: 1,
};

function drawDifferent(next: () => Sample, count: number, taken: Set<string>): readonly Sample[] {
  const drawn: Sample[] = [];
  while (drawn.length < count) {
    const sample = next();
    if (taken.has(sample.prompt)) continue;
    taken.add(sample.prompt);
    drawn.push(sample);
  }
  return drawn;
}

function draw(): readonly SuggestedPrompt[] {
  const sample = createSampler(seed);
  const taken = new Set<string>();
  const placed: { readonly place: number; readonly suggestion: SuggestedPrompt }[] = [];
  for (const [task, count] of Object.entries(counts) as [TaskName, number][]) {
    const drawn = drawDifferent(() => sample(task), count, taken);
    drawn.forEach(({ prompt, answer: expected }, i) => {
      const grade = (answer: string): boolean => isRight(expected, answer);
      // Spreads each task over the whole list, so that the first N prompts are a mix of all tasks.
      placed.push({ place: (i + 0.5) / count, suggestion: { task, prompt, expected, grade } });
    });
  }
  return placed.toSorted((a, b) => a.place - b.place).map(({ suggestion }) => suggestion);
}

/**
 * Prompts for a demonstration, each with its correct answer. The list is always the same, and every prefix is a mix
 * of tasks.
 */
export const suggestedPrompts = draw();
