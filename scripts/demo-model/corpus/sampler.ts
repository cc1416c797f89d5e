import { add, multiply, subtract } from "./arithmetic.ts";
import { sentiment, topic } from "./classify.ts";
import { extract } from "./extract.ts";
import { json } from "./json.ts";
import { capital, define, list, next, opposite } from "./knowledge.ts";
import { unknown, where } from "./questions.ts";
import { createRandom } from "./random.ts";
import { bullets, mail, polite, repeat } from "./rewrite.ts";
import { bye, greet, help, thanks, who } from "./small-talk.ts";
import { keywords, summarize } from "./summarize.ts";
import type { Exchange, Task } from "./task.ts";

/**
 * Every task with its weight in the corpus. The order decides which task a random number selects. The golden hashes pin
 * the names. The model was trained with the British "summarise".
 */
const tasks = {
  greet: { make: greet, weight: 1 },
  who: { make: who, weight: 1 },
  help: { make: help, weight: 1 },
  thanks: { make: thanks, weight: 0.4 },
  bye: { make: bye, weight: 0.4 },
  sentiment: { make: sentiment, weight: 12 },
  topic: { make: topic, weight: 6 },
  extract: { make: extract, weight: 16 },
  json: { make: json, weight: 9 },
  summarise: { make: summarize, weight: 14 },
  add: { make: add, weight: 9 },
  sub: { make: subtract, weight: 6 },
  mul: { make: multiply, weight: 4 },
  capital: { make: capital, weight: 4 },
  opposite: { make: opposite, weight: 2 },
  list: { make: list, weight: 3 },
  bullets: { make: bullets, weight: 6 },
  define: { make: define, weight: 4 },
  polite: { make: polite, weight: 4 },
  where: { make: where, weight: 8 },
  mail: { make: mail, weight: 4 },
  nextday: { make: next, weight: 1.5 },
  keywords: { make: keywords, weight: 5 },
  repeat: { make: repeat, weight: 10 },
  unknown: { make: unknown, weight: 5 },
} as const satisfies Record<string, { readonly make: Task; readonly weight: number }>;

export type TaskName = keyof typeof tasks;

export const taskNames = Object.keys(tasks) as readonly TaskName[];

const totalWeight = taskNames.reduce((sum, name) => sum + tasks[name].weight, 0);

/** The task's share of the corpus, 0 to 1. */
export function taskShare(name: TaskName): number {
  return tasks[name].weight / totalWeight;
}

export interface Sample extends Exchange {
  readonly task: TaskName;
}

/** Draws the next sample, of the given task or of a random one by weight. */
type Sampler = (only?: TaskName) => Sample;

/** An endless corpus. Equal seeds give equal text for equal calls. */
export function createSampler(seed: number): Sampler {
  const random = createRandom(seed);

  const drawTask = (): TaskName => {
    let left = random.next() * totalWeight;
    for (const name of taskNames) {
      left -= tasks[name].weight;
      if (left < 0) return name;
    }
    return "greet";
  };

  return (only) => {
    // Drawn even if the caller names the task, so that `only` does not shift the rest of the stream.
    const drawn = drawTask();
    const task = only ?? drawn;
    return { task, ...tasks[task].make(random) };
  };
}
