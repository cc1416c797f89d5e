import { createSampler, type Sample, type TaskName } from "./corpus/sampler.ts";
import { isRight } from "./evaluation/grading.ts";

export interface SuggestedPrompt {
  readonly task: TaskName;
  readonly prompt: string;
  /** What the corpus' grammar says is right. */
  readonly expected: string;
  readonly grade: (answer: string) => boolean;
}

/** No corpus that the model learned from has this seed (see training-data.ts). */
const seed = 2026;

/** Mostly what the model is good at. It often fails at the last two: a demo that cannot fail shows nothing. */
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
      // Each task spreads over the whole list, so that its first N prompts are a mix of all tasks.
      placed.push({ place: (i + 0.5) / count, suggestion: { task, prompt, expected, grade } });
    });
  }
  return placed.toSorted((a, b) => a.place - b.place).map(({ suggestion }) => suggestion);
}

/** Prompts for a demonstration, with what is right for each: the same list every time, any prefix a mix. */
export const suggestedPrompts = draw();
