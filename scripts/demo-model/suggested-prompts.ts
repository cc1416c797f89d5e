import { createSampler, type Sample, type TaskName } from "./corpus/sampler.ts";

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

/**
 * Prompts for a demonstration, each with its correct answer by the corpus' grammar. The list is always the same, and
 * every prefix is a mix of tasks. The demonstration reads it from resources/demo-model/suggested-prompts.json.
 */
export function drawSuggestedPrompts(): readonly Sample[] {
  const sample = createSampler(seed);
  const taken = new Set<string>();
  const placed: { readonly place: number; readonly sample: Sample }[] = [];
  for (const [task, count] of Object.entries(counts) as [TaskName, number][]) {
    drawDifferent(() => sample(task), count, taken).forEach((drawn, i) => {
      // Spreads each task over the whole list, so that the first N prompts are a mix of all tasks.
      placed.push({ place: (i + 0.5) / count, sample: drawn });
    });
  }
  return placed.toSorted((a, b) => a.place - b.place).map((entry) => entry.sample);
}
