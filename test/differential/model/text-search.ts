import type { Search } from "../convex/noteProgram.ts";
import type { Note } from "./note.ts";

/** Terms of a search that are looked up, and the longest word that is indexed, in bytes. */
const mostTerms = 16;
const longestWord = 31;

const saturation = 1.2;
const lengthShare = 0.75;
/** A word that only begins with the last term counts half. */
const prefixShare = 0.5;

/** Finds the notes with at least one of the words. Counts every word of every note anew for each score. */
export function matches(notes: readonly Note[], search: Search): { note: Note; score: number }[] {
  const asked = wordsOf(search.text).slice(0, mostTerms);
  const last = asked.at(-1);
  if (last === undefined) return [];
  const texts = notes.map((note) => bodyOf(note));
  const averageLength = texts.flat().length / texts.length;
  const longer = [...new Set(texts.flat())].filter((word) => word.startsWith(last) && !asked.includes(word));
  const terms = [
    ...[...new Set(asked)].map((word) => ({ word, share: 1 })),
    ...longer.sort().map((word) => ({ word, share: prefixShare })),
  ];
  const scoreOf = (words: readonly string[], word: string): number => {
    const having = texts.filter((text) => text.includes(word)).length;
    const rarity = Math.log(1 + (texts.length - having + 0.5) / (having + 0.5));
    const count = words.filter((each) => each === word).length;
    const length = 1 - lengthShare + (lengthShare * words.length) / averageLength;
    return (rarity * count * (saturation + 1)) / (count + saturation * length);
  };
  return notes.flatMap((note) => {
    const words = bodyOf(note);
    const hit = terms.filter(({ word }) => words.includes(word));
    const { topic } = search;
    if (hit.length === 0 || (topic !== null && note.fields["topic"] !== topic.value)) return [];
    const score = hit.reduce((sum, { word, share }) => sum + share * scoreOf(words, word), 0);
    // Convex's scores have single precision.
    return [{ note, score: Math.fround(score) }];
  });
}

/** Only texts have words. */
function bodyOf({ fields }: Note): string[] {
  const { body } = fields;
  return typeof body === "string" ? wordsOf(body) : [];
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().split(/[^a-z0-9]+/);
  return words.filter((word) => word !== "" && word.length <= longestWord);
}
