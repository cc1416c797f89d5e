import { city, person } from "./entities.ts";
import { capitalize, instruct } from "./phrasing.ts";
import type { Random } from "./random.ts";
import type { Task } from "./task.ts";
import { days, months } from "./words/calendar.ts";
import { phrases } from "./words/lists.ts";

/** Events: the main point of a text to summarize. */
const deeds = phrases(`
  opened a new shop | won a prize | gave a talk | started a course | sold the old house |
  planted forty trees | repaired the bridge | found a lost dog | wrote a report | painted a large picture |
  visited the factory | presented the plan | signed the contract | moved the office | hired ten people |
  launched a small app | cancelled the meeting | bought a used van | built a wooden boat | taught a class
`);

/** Asides that a summary leaves out. */
const asides = phrases(`
  The weather was mild that day | Many people came to watch | It took about two hours |
  Coffee was served afterwards | The local paper printed a photo | Some guests arrived late |
  Nobody had expected it | The street was quiet | A neighbour helped a little |
  There was music in the background | The mood was good | It was the first time in years |
  The costs were not named | Later everyone went home | The next step is still open
`);

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
