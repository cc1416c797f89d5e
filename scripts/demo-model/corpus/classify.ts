import { capitalize, instruct, maybeQuoted, uncapitalize } from "./phrasing.ts";
import type { Random } from "./random.ts";
import type { Task } from "./task.ts";
import { products } from "./words/objects.ts";
import {
  complaint,
  complaintSentences,
  plainFact,
  plainSentences,
  praise,
  praiseSentences,
} from "./words/reviews.ts";
import { topics } from "./words/topics.ts";

const sentimentInstructions = [
  "Classify the sentiment",
  "Sentiment",
  "What is the sentiment of this review",
  "Classify the sentiment of this text as positive, negative, neutral or mixed",
  "Is this review positive or negative",
  "Label the sentiment",
  "Classify this review",
  "Is the following text positive, negative or neutral",
  "Determine the sentiment of the review",
];

function subject(random: Random): string {
  return random.pick(["The ", "This ", "My new ", "Their "]) + random.pick(products);
}

function emphasis(random: Random): string {
  return random.pick(["", "", "really ", "quite ", "simply ", "absolutely "]);
}

function praising(random: Random): string {
  const clause = random.pick([
    () => `${subject(random)} was ${emphasis(random)}${random.pick(praise)}`,
    () => `${subject(random)} is ${emphasis(random)}${random.pick(praise)}`,
    () => random.pick(praiseSentences),
    () => `I think the ${random.pick(products)} is ${random.pick(praise)}`,
    () => `not bad, the ${random.pick(products)} is ${random.pick(praise)}`,
  ]);
  return clause();
}

function complaining(random: Random): string {
  const clause = random.pick([
    () => `${subject(random)} was ${emphasis(random)}${random.pick(complaint)}`,
    () => `${subject(random)} is ${emphasis(random)}${random.pick(complaint)}`,
    () => random.pick(complaintSentences),
    () => `I think the ${random.pick(products)} is ${random.pick(complaint)}`,
    () => `The ${random.pick(products)} was not ${random.pick(praise)}`,
  ]);
  return clause();
}

function stating(random: Random): string {
  const clause = random.pick([
    () => `${subject(random)} is ${random.pick(plainFact)}`,
    () => random.pick(plainSentences),
    () => `${subject(random)} was ${random.pick(plainFact)}`,
  ]);
  return clause();
}

function asSentences(random: Random, clauses: readonly string[]): string {
  return clauses.map((clause) => capitalize(clause) + random.pick([".", ".", "!"])).join(" ");
}

function mixedReview(random: Random): string {
  const [first, second] = random.chance(0.5)
    ? [praising(random), complaining(random)]
    : [complaining(random), praising(random)];
  return random.chance(0.5)
    ? `${capitalize(first)}, but ${uncapitalize(second)}.`
    : asSentences(random, [first, second]);
}

function oneSidedReview(random: Random, label: "positive" | "negative" | "neutral", clauses: number): string {
  const speak = { positive: praising, negative: complaining, neutral: stating }[label];
  const review: string[] = [];
  for (let left = clauses; left > 0; left -= 1) review.push(speak(random));
  // A plain fact among the praise must not make the review neutral.
  if (label !== "neutral" && random.chance(0.25)) {
    review.splice(random.integer(0, review.length), 0, stating(random));
  }
  return asSentences(random, review);
}

/** Reviews of one to four sentences: positive, negative, neutral or mixed. */
export const sentiment: Task = (random) => {
  const label = random.pick(["positive", "positive", "negative", "negative", "neutral", "mixed"] as const);
  const clauses = random.integer(1, 3);
  const review = label === "mixed" ? mixedReview(random) : oneSidedReview(random, label, clauses);
  const instruction = random.pick(sentimentInstructions);
  return { prompt: instruct(random, instruction, () => maybeQuoted(random, review)), answer: label };
};

const topicInstructions = [
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
  const instruction = random.pick(topicInstructions);
  return { prompt: instruct(random, instruction, () => maybeQuoted(random, text)), answer: label };
};
