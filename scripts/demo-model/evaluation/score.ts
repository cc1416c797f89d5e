import { createSampler, type Sample, type TaskName, taskNames, taskShare } from "../corpus/sampler.ts";
import { corpusSeeds, trainingSamples } from "../training-data.ts";

export interface Graded {
  readonly sample: Sample;
  readonly answer: string;
  readonly right: boolean;
  /** Whether the training set contains this prompt. */
  readonly seen: boolean;
}

export interface Tally {
  readonly prompts: number;
  readonly right: number;
  readonly unseenPrompts: number;
  readonly unseenRight: number;
}

export interface Score extends Tally {
  readonly perTask: readonly (Tally & { readonly task: TaskName })[];
  /** Share of right answers, 0 to 1, with the tasks weighted by their share of the corpus. */
  readonly rightByShare: number;
}

/** `count` prompts, spread evenly over all tasks, in the tasks' order. */
export function drawEvenly(seed: number, count: number): readonly Sample[] {
  const sample = createSampler(seed);
  return taskNames.flatMap((task, i) => {
    const share = Math.floor((count + taskNames.length - 1 - i) / taskNames.length);
    return Array.from({ length: share }, () => sample(task));
  });
}

/** Every prompt of the training set. Closed tasks, such as the capitals, have no other prompts. */
export function trainingPrompts(): ReadonlySet<string> {
  const sample = createSampler(corpusSeeds.training);
  return new Set(Array.from({ length: trainingSamples }, () => sample().prompt));
}

function tally(graded: readonly Graded[]): Tally {
  const unseen = graded.filter(({ seen }) => !seen);
  return {
    prompts: graded.length,
    right: graded.filter(({ right }) => right).length,
    unseenPrompts: unseen.length,
    unseenRight: unseen.filter(({ right }) => right).length,
  };
}

/** Adds up graded answers. Tasks without any do not count. */
export function score(graded: readonly Graded[]): Score {
  const perTask = taskNames
    .map((task) => ({ task, ...tally(graded.filter(({ sample }) => sample.task === task)) }))
    .filter(({ prompts }) => prompts > 0);
  const shareAsked = perTask.reduce((sum, { task }) => sum + taskShare(task), 0);
  const shareRight = perTask.reduce((sum, row) => sum + (taskShare(row.task) * row.right) / row.prompts, 0);
  return { ...tally(graded), perTask, rightByShare: shareAsked === 0 ? 0 : shareRight / shareAsked };
}
