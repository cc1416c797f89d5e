import type { NoteOperation, PageOptions, Source, VectorSearch } from "../convex/noteProgram.ts";
import type { NotesBackend, PageAnswer, PageRequest } from "./backend.ts";

/** A cursor that the program has seen, counted from the newest. `of` is its source, if it is not the page's own. */
export type CursorRef = { readonly newest: number; readonly of?: number };

export type PageStep = {
  readonly source: number;
  readonly cursor: CursorRef | null;
  readonly end: CursorRef | null;
  readonly options: PageOptions;
};

export type NoteStep =
  | { readonly do: "write" | "read"; readonly operations: readonly NoteOperation[] }
  /** A function that does not await its operations; they may not insert. */
  | { readonly do: "leave"; readonly operations: readonly NoteOperation[]; readonly rejects: boolean }
  | ({ readonly do: "page" } & PageStep)
  | ({ readonly do: "watch"; readonly client: number } & PageStep)
  | { readonly do: "unwatch"; readonly nth: number }
  | { readonly do: "nearest"; readonly search: VectorSearch };

export type NoteProgram = { readonly sources: readonly Source[]; readonly steps: readonly NoteStep[] };

export type Trace = readonly {
  readonly step: NoteStep | "the end";
  readonly outcome: unknown;
  readonly runs: number;
}[];

/** Runs a program on an empty database. Cursors are named by the order of their first appearance. */
export async function execute(backend: NotesBackend, { sources, steps }: NoteProgram): Promise<Trace> {
  const cursors = sources.map((): string[] => []);
  const names = new Map<string, string>();
  const watched: { client: number; watch: number; source: number }[] = [];
  const trace: Trace[number][] = [];

  const nameOf = (cursor: string | null): string | null => {
    if (cursor !== null && !names.has(cursor)) names.set(cursor, `cursor ${names.size}`);
    return cursor === null ? null : names.get(cursor)!;
  };
  const seen = (source: number, answer: PageAnswer): PageAnswer => {
    if ("error" in answer) return answer;
    const { continueCursor, splitCursor } = answer;
    cursors[source]!.push(continueCursor, ...(splitCursor === null ? [] : [splitCursor]));
    return { ...answer, continueCursor: nameOf(continueCursor)!, splitCursor: nameOf(splitCursor) };
  };
  const cursorOf = (ref: CursorRef | null, own: number): string | null => {
    const known = cursors[ref?.of ?? own]!;
    return ref === null ? null : (known.at(-1 - (ref.newest % Math.max(1, known.length))) ?? null);
  };
  const requestOf = ({ source, cursor, end, options }: PageStep): PageRequest => ({
    source: sources[source]!,
    options: { ...options, cursor: cursorOf(cursor, source), endCursor: cursorOf(end, source) },
  });
  const settle = async (): Promise<{ outcome: unknown; runs: number }> => {
    const { sent, runs } = await backend.settle();
    const ordered = [...sent].sort((a, b) => a.watch - b.watch);
    const sourceOf = (watch: number): number => watched.find((each) => each.watch === watch)!.source;
    return {
      outcome: ordered.map((each) => ({ ...each, answer: seen(sourceOf(each.watch), each.answer) })),
      runs,
    };
  };
  const perform = async (step: NoteStep, n: number): Promise<unknown> => {
    switch (step.do) {
      case "write":
        return backend.write(step.operations);
      case "read":
        return backend.read(step.operations);
      case "leave":
        return backend.leave(step.operations, step.rejects);
      case "page":
        return seen(step.source, await backend.page(requestOf(step)));
      case "nearest":
        return backend.nearest(step.search);
      case "watch":
        backend.watch(step.client, n, requestOf(step));
        watched.push({ client: step.client, watch: n, source: step.source });
        return null;
      case "unwatch": {
        const [{ client, watch } = { client: 0, watch: -1 }] = watched.splice(
          step.nth % Math.max(1, watched.length),
          1,
        );
        if (watch !== -1) backend.unwatch(client, watch);
        return null;
      }
    }
  };

  for (const [n, step] of steps.entries()) {
    const outcome = await perform(step, n);
    const settled = await settle();
    trace.push({ step, outcome: [outcome, settled.outcome], runs: settled.runs });
  }
  const all: Source = { kind: "rows", atLeast: null, below: null, order: "asc", topic: null };
  const outcome = await backend.read([{ do: "take", source: all, count: null }]);
  return [...trace, { step: "the end", outcome, runs: 0 }];
}
