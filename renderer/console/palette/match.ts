import type { PaletteEntry } from "../../ui/overlays/CommandPalette.tsx";

/** Something that the palette can do. */
export type Command = PaletteEntry & { readonly run: () => void };

/** The most entries of one group. More would hide the groups below it. */
const most = 8;

/**
 * The entries that have each word of the query, best first: those that start with it, then those with a word that starts
 * with it, then the others. Equal ones keep their order.
 */
export function matchesOf<Entry extends PaletteEntry>(
  entries: readonly Entry[],
  query: string,
): readonly Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked = entries.flatMap((entry) => {
    const rank = rankOf(entry.title.toLowerCase(), words);
    return rank === null ? [] : [{ entry, rank }];
  });
  ranked.sort((a, b) => a.rank - b.rank);
  return ranked.slice(0, most).map(({ entry }) => entry);
}

function rankOf(title: string, words: readonly string[]): number | null {
  if (!words.every((word) => title.includes(word))) return null;
  const [first = ""] = words;
  if (title.startsWith(first)) return 0;
  return title.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(first)) ? 1 : 2;
}
