import { entryAt } from "../entry-at.ts";
import { splitIntoUnits } from "./split.ts";
import { asciiPieces, createVocabulary, fixedTokens, type Vocabulary } from "./vocabulary.ts";

interface Word {
  readonly parts: string[];
  readonly count: number;
}

/** Pairs that occur less often are noise, not words. */
const minPairCount = 5;

function countWords(texts: Iterable<string>): readonly Word[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const unit of splitIntoUnits(text)) counts.set(unit, (counts.get(unit) ?? 0) + 1);
  }
  // A line end is spelled by its byte token.
  counts.delete("\n");
  return Array.from(counts, ([word, count]) => ({ parts: Array.from(word), count }));
}

/** The most frequent pair of neighbors, and the first seen of equally frequent ones. */
function mostFrequentPair(words: readonly Word[]): readonly [left: string, right: string] | undefined {
  const counts = new Map<string, number>();
  for (const { parts, count } of words) {
    for (let i = 0; i + 1 < parts.length; i += 1) {
      const pair = `${entryAt(parts, i)}\0${entryAt(parts, i + 1)}`;
      counts.set(pair, (counts.get(pair) ?? 0) + count);
    }
  }
  let best: string | undefined;
  let bestCount = minPairCount - 1;
  for (const [pair, count] of counts) {
    if (count > bestCount) [best, bestCount] = [pair, count];
  }
  if (best === undefined) return undefined;
  const [left = "", right = ""] = best.split("\0");
  return [left, right];
}

function merge({ parts }: Word, left: string, right: string): void {
  for (let i = 0; i + 1 < parts.length; i += 1) {
    if (parts[i] === left && parts[i + 1] === right) parts.splice(i, 2, left + right);
  }
}

/**
 * Byte-pair encoding (Gage 1994; Sennrich, Haddow and Birch 2016): merges the most frequent pair until the
 * vocabulary holds `size` tokens, or no pair is frequent enough.
 */
export function trainVocabulary(texts: Iterable<string>, size: number): Vocabulary {
  const words = countWords(texts);
  const pieces = new Set(asciiPieces);
  while (pieces.size < size - fixedTokens) {
    const pair = mostFrequentPair(words);
    if (pair === undefined) break;
    const [left, right] = pair;
    pieces.add(left + right);
    for (const word of words) merge(word, left, right);
  }
  return createVocabulary([...pieces]);
}
