import { entryAt } from "../entry-at.ts";
import { city, firstName, inventedWord } from "./entities.ts";
import { bulletList, capitalize, instruct, maybeQuoted } from "./phrasing.ts";
import type { Random } from "./random.ts";
import type { Task } from "./task.ts";
import { days } from "./words/calendar.ts";
import { goods, products } from "./words/objects.ts";
import { mailSubjects, requests } from "./words/requests.ts";

function threeInventedWords(random: Random): readonly string[] {
  return [inventedWord(random), inventedWord(random), inventedWord(random)];
}

/** An enumeration of two to five things, as a bullet list. */
export const bullets: Task = (random) => {
  const known = [...goods, ...threeInventedWords(random)];
  const entries = random.sample(known, random.integer(2, 5));
  const instruction = random.pick([
    "Turn this into a list",
    "Make a bullet list",
    "Convert to bullet points",
    "Rewrite as a list",
  ]);
  const enumeration = `${entries.slice(0, -1).join(", ")} and ${entryAt(entries, entries.length - 1)}`;
  return { prompt: instruct(random, instruction, () => enumeration), answer: bulletList(entries) };
};

/** An imperative, as a polite question. */
export const polite: Task = (random) => {
  const request = random.pick(requests);
  const detail = random.chance(0.3)
    ? ` ${random.pick(["today", "now", `before ${random.pick(days)}`, `for ${firstName(random)}`])}`
    : "";
  const wish = request + detail;
  const instruction = random.pick([
    "Make this polite",
    "Rewrite this politely",
    "Rewrite in a polite tone",
    "Make this sentence more polite",
  ]);
  return {
    prompt: instruct(random, instruction, () =>
      random.pick([`${capitalize(wish)}.`, `${capitalize(wish)}!`, wish]),
    ),
    answer: `Could you please ${wish}?`,
  };
};

/** A short email from a fixed form. */
export const mail: Task = (random) => {
  const name = firstName(random);
  const subject = random.pick(mailSubjects);
  const prompt = random.pick([
    `Write a short email to ${name} about ${subject}.`,
    `Write an email to ${name} about ${subject}`,
    `Draft a message to ${name} about ${subject}.`,
  ]);
  const question = "Could you please let me know what you think?";
  return { prompt, answer: `Hi ${name},\n\nI am writing about ${subject}. ${question}\n\nBest regards` };
};

function anyWord(random: Random): string {
  const word = random.pick([
    () => inventedWord(random),
    () => random.pick(goods),
    () => firstName(random),
    () => String(random.integer(0, 9999)),
    () => random.pick(products),
    () => city(random),
  ]);
  return word();
}

/** Up to eight words to repeat. */
export const repeat: Task = (random) => {
  const said: string[] = [];
  for (let left = random.integer(1, 8); left > 0; left -= 1) said.push(anyWord(random));
  const text = said.join(" ");
  const instruction = random.pick([
    "Repeat",
    "Say",
    "Repeat after me",
    "Echo",
    "Copy this text",
    "Repeat this exactly",
  ]);
  return { prompt: instruct(random, instruction, () => maybeQuoted(random, text)), answer: text };
};
