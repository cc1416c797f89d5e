import { entryAt } from "../entry-at.ts";
import { bulletList, withArticle } from "./phrasing.ts";
import type { Task } from "./task.ts";
import { days, months } from "./words/calendar.ts";
import { capitals, categories, definitions, opposites } from "./words/knowledge.ts";

/** The capitals of fifty countries. */
export const capital: Task = (random) => {
  const [country, town] = random.pick(capitals);
  const prompt = random.pick([
    `What is the capital of ${country}?`,
    `Capital of ${country}?`,
    `Name the capital of ${country}.`,
    `Which city is the capital of ${country}?`,
    `capital of ${country}`,
  ]);
  return { prompt, answer: `The capital of ${country} is ${town}${town.endsWith(".") ? "" : "."}` };
};

/** Antonyms of forty words. */
export const opposite: Task = (random) => {
  const [word, antonym] = random.pick(opposites);
  const prompt = random.pick([
    `What is the opposite of ${word}?`,
    `Opposite of ${word}?`,
    `Give the antonym of ${word}.`,
    `antonym of "${word}"`,
  ]);
  return { prompt, answer: antonym };
};

/** Two to five members of a category. */
export const list: Task = (random) => {
  const [name, members] = random.pick(categories);
  const count = random.integer(2, 5);
  const inWords = entryAt(["zero", "one", "two", "three", "four", "five"], count);
  const prompt = random.pick([
    `List ${inWords} ${name}.`,
    `Name ${inWords} ${name}.`,
    `Give me ${count} ${name}.`,
    `List ${count} ${name}`,
  ]);
  return { prompt, answer: bulletList(members.slice(0, count)) };
};

const hasArticle = /^(a|an|the) /;
const takesNoArticle = /^(RAM|photosynthesis|gravity|inflation|encryption|open source|rain|idle compute)$/;

function asAsked(term: string): string {
  if (hasArticle.test(term) || takesNoArticle.test(term)) return term;
  return withArticle(term);
}

/** One-sentence definitions of a closed list of terms. */
export const define: Task = (random) => {
  const [term, meaning] = random.pick(definitions);
  const asked = asAsked(term);
  const prompt = random.pick([
    `What is ${asked}?`,
    `Explain ${asked}.`,
    `Define ${asked}.`,
    `Explain what ${asked} is.`,
    `What does "${term}" mean?`,
  ]);
  return { prompt, answer: meaning };
};

/** The day of the week or the month that follows another. */
export const next: Task = (random) => {
  const dayIndex = random.integer(0, 6);
  const monthIndex = random.integer(0, 11);
  const [unit, cycle, index] = random.chance(0.5)
    ? (["day", days, dayIndex] as const)
    : (["month", months, monthIndex] as const);
  const current = entryAt(cycle, index);
  const following = entryAt(cycle, (index + 1) % cycle.length);
  const prompt = random.pick([`Which ${unit} comes after ${current}?`, `What ${unit} is after ${current}?`]);
  return { prompt, answer: `${following} comes after ${current}.` };
};
