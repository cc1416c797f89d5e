import type { Source } from "../convex/noteProgram.ts";
import type { NotesBackend, PageAnswer, PageRequest, Sent } from "./backend.ts";
import type { Note } from "./note.ts";
import { Notes } from "./notes.ts";
import { type Ends, isAfter, type Page, pageOf, type Position } from "./pages.ts";
import { isWithin, placeOf } from "./sources.ts";
import { byScore, nearest } from "./vector-search.ts";

/** A page that a client watches. Its first result decides its end for good. */
type Watched = {
  readonly client: number;
  readonly watch: number;
  readonly request: PageRequest;
  end: Position | null;
  shown: PageAnswer | null;
  /** The end of what its last run has read. */
  readUpTo: Position;
  isDirty: boolean;
};

/** Convex's rules, run on lists. */
export function openModel(): NotesBackend {
  const notes = new Notes();
  let watched: readonly Watched[] = [];

  const settle = (): { sent: Sent[]; runs: number } => {
    const touched = notes.takeTouched();
    for (const each of watched)
      each.isDirty ||= each.shown !== null && touched.some((note) => hasRead(each, note));
    const known = new Set(watched.filter(({ isDirty }) => !isDirty).map(keyOf));
    const dirty = watched.filter(({ isDirty }) => isDirty);
    const runs = new Set(dirty.map(keyOf).filter((key) => !known.has(key))).size;
    const sent: Sent[] = [];
    for (const each of dirty) {
      const { request } = each;
      const page = pageOf(
        notes.all,
        request.source,
        { ...endsOf(request), end: each.end ?? endsOf(request).end },
        request.options,
      );
      const answer = answerOf(request.source, page);
      each.end = each.readUpTo = page.continueCursor;
      each.isDirty = false;
      if (JSON.stringify(answer) === JSON.stringify(each.shown)) continue;
      each.shown = answer;
      sent.push({ client: each.client, watch: each.watch, answer });
    }
    return { sent, runs };
  };

  return {
    write: async (operations) => notes.run(operations),
    read: async (operations) => notes.run(operations),
    leave: async (operations, rejects) => notes.leave(operations, rejects),
    page: async ({ source, options }) => {
      const { numItems, maximumRowsRead, maximumBytesRead } = options;
      if (numItems < 1 || numItems > 32_000 || maximumRowsRead === 0 || maximumBytesRead === 0)
        return { error: "options" };
      const cursors = [options.cursor, options.endCursor].filter((cursor) => cursor !== null);
      if (cursors.some((cursor) => !cursor.startsWith(prefixOf(source)))) return { error: "cursor" };
      return answerOf(source, pageOf(notes.all, source, endsOf({ source, options }), options));
    },
    nearest: async (search) => {
      const found = nearest(notes.all, search);
      return typeof found === "string" ? found : byScore(found, search.limit);
    },
    watch: (client, watch, request) => {
      const { end } = endsOf(request);
      const fresh = { client, watch, request, end, shown: null, readUpTo: "end" as const, isDirty: true };
      watched = [...watched, fresh];
    },
    unwatch: (client, watch) => {
      watched = watched.filter((each) => each.client !== client || each.watch !== watch);
    },
    settle: async () => settle(),
    close: () => Promise.resolve(),
  };
}

/** Pages with equal arguments and ends are one query. A client that has no page yet asks without an end. */
function keyOf({ request, end, shown }: Watched): string {
  return JSON.stringify([request, shown === null ? null : end]);
}

/** Whether a version of a note lies in what a page has read. */
function hasRead({ request, readUpTo }: Watched, note: Note): boolean {
  const { source } = request;
  const place = placeOf(note);
  if (source.kind !== "rows" || !isWithin(note.fields["key"], source)) return false;
  return (
    isAfter(source, place, endsOf(request).start) && !(readUpTo !== "end" && isAfter(source, place, readUpTo))
  );
}

const prefixOf = (source: Source): string => `${JSON.stringify(source)} `;
const cursorOf = (source: Source, position: Position): string => prefixOf(source) + JSON.stringify(position);

function endsOf({ source, options: { cursor, endCursor } }: PageRequest): Ends {
  const parse = (text: string | null): Position | null =>
    text === null ? null : (JSON.parse(text.slice(prefixOf(source).length)) as Position);
  return { start: parse(cursor), end: parse(endCursor) };
}

function answerOf(source: Source, page: Page): PageAnswer {
  const { continueCursor, splitCursor } = page;
  return {
    ...page,
    continueCursor: cursorOf(source, continueCursor),
    splitCursor: splitCursor === null ? null : cursorOf(source, splitCursor),
  };
}
