import { entryAt } from "../entry-at.ts";
import { splitIntoUnits } from "./split.ts";
import { firstByteToken, tokenTypes, type Vocabulary } from "./vocabulary.ts";

/** Text as token ids. */
export type Encoder = (text: string) => readonly number[];

/** The number of cached units. Most text repeats a few thousand. */
const maxCachedUnits = 200_000;

/**
 * Encodes like llama.cpp's SPM tokenizer. Of all neighbors whose concatenation is a piece, merges the pair with the
 * highest score first, and the leftmost of equals. Repeats this until no pair is left. The rest is spelled in bytes.
 */
export function createEncoder(vocabulary: Vocabulary): Encoder {
  const ids = new Map<string, number>();
  vocabulary.tokens.forEach((token, id) => {
    if (vocabulary.types[id] === tokenTypes.normal) ids.set(token, id);
  });
  const cache = new Map<string, readonly number[]>();

  const bestMerge = (parts: readonly string[]): number => {
    let best = -1;
    let bestScore = -Infinity;
    for (let i = 0; i + 1 < parts.length; i += 1) {
      const id = ids.get(entryAt(parts, i) + entryAt(parts, i + 1));
      const score = id === undefined ? -Infinity : entryAt(vocabulary.scores, id);
      if (score > bestScore) [best, bestScore] = [i, score];
    }
    return best;
  };

  const spell = (part: string): readonly number[] => {
    const id = ids.get(part);
    return id === undefined ? Array.from(Buffer.from(part), (byte) => firstByteToken + byte) : [id];
  };

  const encodeUnit = (unit: string): readonly number[] => {
    const cached = cache.get(unit);
    if (cached !== undefined) return cached;
    const parts = Array.from(unit);
    for (let at = bestMerge(parts); at >= 0; at = bestMerge(parts)) {
      parts.splice(at, 2, entryAt(parts, at) + entryAt(parts, at + 1));
    }
    const encoded = parts.flatMap(spell);
    if (cache.size < maxCachedUnits) cache.set(unit, encoded);
    return encoded;
  };

  return (text) => splitIntoUnits(text).flatMap(encodeUnit);
}
