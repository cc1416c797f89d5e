import type { Value } from "convex/values";
import type { Rows, Source, Topic } from "../convex/noteProgram.ts";
import type { Note } from "./note.ts";
import { matches } from "./text-search.ts";

/** The place of a note in its source's order. Lower ones come first. */
export type Place = readonly (number | string)[];

/** A note that is read. It `passes` if the filter after the index lets it through. */
export type Entry = { readonly place: Place; readonly note: Note; readonly passes: boolean };

/** All that a source reads, in order. */
export function entriesOf(notes: readonly Note[], source: Source): readonly Entry[] {
  const entries =
    source.kind === "search"
      ? matches(notes, source).map(({ note, score }) => ({
          place: [-score, -note.number],
          note,
          passes: true,
        }))
      : notes
          .filter(({ fields }) => isWithin(fields["key"], source))
          .map((note) => ({ place: placeOf(note), note, passes: hasTopic(note, source.topic) }));
  return entries.sort((a, b) => comparePlaces(source, a.place, b.place));
}

/** The order in which a source is read. */
export function comparePlaces(source: Source, a: Place, b: Place): number {
  const at = a.findIndex((part, n) => part !== b[n]);
  const [left = 0, right = 0] = [a[at], b[at]];
  const ascending = at === -1 ? 0 : left < right ? -1 : 1;
  return source.kind === "rows" && source.order === "desc" ? -ascending : ascending;
}

/** The place of a note in the index, where equal keys are in the order of creation. */
export const placeOf = ({ fields, number }: Note): Place => [...orderOf(fields["key"]), number];

export function isWithin(key: Value | undefined, { atLeast, below }: Rows): boolean {
  return (atLeast === null || !isLess(key, atLeast)) && (below === null || isLess(key, below));
}

export function hasTopic({ fields }: Note, topic: Topic | null): boolean {
  return topic === null || fields["topic"] === topic.value;
}

function isLess(a: Value | undefined, b: Value | undefined): boolean {
  const [[rankA, partA], [rankB, partB]] = [orderOf(a), orderOf(b)];
  return rankA === rankB ? partA < partB : rankA < rankB;
}

/** Convex's order of types: absent, null, numbers, booleans, texts. The programs have no other keys. */
function orderOf(key: Value | undefined): readonly [rank: number, part: number | string] {
  if (key === undefined) return [0, 0];
  if (key === null) return [1, 0];
  if (typeof key === "number") return [2, key];
  if (typeof key === "boolean") return [3, Number(key)];
  return [4, key as string];
}
