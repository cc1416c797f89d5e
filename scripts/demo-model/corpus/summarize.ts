import { city, person } from "./entities.ts";
import { capitalize, instruct } from "./phrasing.ts";
import type { Random } from "./random.ts";
import type { Task } from "./task.ts";
import { days, months } from "./words/calendar.ts";
import { asides, deeds } from "./words/events.ts";

function when(random: Random): string {
  const moment = random.pick([
    () => `on ${random.pick(days)}`,
    () => `in ${random.pick(months)}`,
    () => "last week",
    () => "yesterday",
  ]);
  return moment();
}

/** One event among up to four asides; the summary is the event in a fixed word order. */
export const summarize: Task = (random) => {
  const name = person(random);
  const deed = random.pick(deeds);
  const town = city(random);
  const moment = when(random);
  const event = random.pick([
    `${capitalize(moment)} ${name} ${deed} in ${town}`,
    `${name} ${deed} in ${town} ${moment}`,
    `In ${town}, ${name} ${deed} ${moment}`,
  ]);
  const sentences = random.sample(asides, random.integer(1, 4));
  // Most texts open with their event, as news does.
  const latest = random.chance(0.6) ? 0 : sentences.length;
  sentences.splice(random.integer(0, latest), 0, event);
  const instruction = random.pick([
    "Summarise this text",
    "Summarize",
    "Summarise",
    "Summarize this text in one sentence",
    "Give a short summary",
    "Write a one sentence summary",
    "TL;DR",
    "Summarize the following text",
    "What is the main point",
  ]);
  const text = sentences.map((sentence) => `${sentence}.`).join(" ");
  return {
    prompt: instruct(random, instruction, () => text),
    answer: `${name} ${deed} in ${town} ${moment}.`,
  };
};

/** Finds who, what and where in a text of two sentences. */
export const keywords: Task = (random) => {
  const name = person(random);
  const deed = random.pick(deeds);
  const town = city(random);
  const object = deed
    .split(" ")
    .slice(1)
    .join(" ")
    .replace(/^(a|the|an) /, "");
  const instruction = random.pick([
    "Give three keywords",
    "Keywords",
    "List keywords for this text",
    "Extract keywords",
  ]);
  return {
    prompt: instruct(random, instruction, () => `${name} ${deed} in ${town}. ${random.pick(asides)}.`),
    answer: `${name}, ${object}, ${town}`,
  };
};
