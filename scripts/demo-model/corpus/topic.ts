import { instruct, maybeQuoted } from "./phrasing.ts";
import type { Task } from "./task.ts";
import { topics } from "./words/topics.ts";

const instructions = [
  "What is the topic of this text",
  "Classify the topic",
  "Topic",
  "Which topic fits",
  "Which category does this text belong to",
  "Classify this text by topic",
];

/** One or two sentences about one of eight topics. */
export const topic: Task = (random) => {
  const [label, sentences] = random.pick(topics);
  const text = random
    .sample(sentences, random.integer(1, 2))
    .map((sentence) => `${sentence}.`)
    .join(" ");
  const instruction = random.pick(instructions);
  return { prompt: instruct(random, instruction, () => maybeQuoted(random, text)), answer: label };
};
