import { convexToJson, type JSONValue, type Value } from "convex/values";
import { Turns } from "../../../packages/embedded/admission/turns.ts";
import type { FunctionCall } from "../../../packages/embedded/runtime/contract/function-runner.ts";
import type { KnownResult } from "../../../packages/embedded/sync/protocol/known-result.ts";
import { LiveQueries } from "../../../packages/embedded/sync/queries/live-queries.ts";
import { QuerySet } from "../../../packages/embedded/sync/queries/query-set.ts";
import { nextTransition } from "../../../packages/embedded/sync/queries/transition.ts";
import { openRuntime, type Outcome, outcomeOf } from "../backend.ts";
import type { NoteResult, NotesRan } from "../convex/noteProgram.ts";
import type { NotesBackend, PageAnswer, PageRequest, Sent } from "./backend.ts";
import { byScore, type Found } from "./vector-search.ts";

const clients = 2;
const nobody = { kind: "none" } as const;
const version = { querySet: 0, identity: 0, ts: 0n };

/** The embedded backend's engine, runtime and live queries, with the answers of both clients. */
export async function openEmbeddedNotes(): Promise<NotesBackend> {
  const { engine, runner } = await openRuntime();
  const created: string[] = [];
  let runs = 0;
  const live = new LiveQueries({
    engine,
    runner: {
      runQuery: (call) => {
        runs += 1;
        return runner.runQuery(call);
      },
    },
    nextRequestId: () => "request",
  });
  const sessions = Array.from({ length: clients }, () => ({
    known: new Map<number, KnownResult>(),
    queries: new QuerySet({
      live,
      turns: new Turns(),
      maxBytes: () => Infinity,
      onBytes: () => undefined,
      onRefused: () => undefined,
      onInvalidated: () => undefined,
    }),
  }));

  const call = (name: string, args: Record<string, unknown>): FunctionCall => ({
    path: `notes:${name}`,
    args: wire(args),
    identity: nobody,
    requestId: "request",
  });
  const named = (value: Value): Value =>
    namedIn(value, new Map(created.map((id, n) => [id, `document ${n}`])));
  const ran = (outcome: Outcome): readonly NoteResult[] | null => {
    if (outcome.kind === "error") {
      const { created: rolledBack } = (outcome.data ?? {}) as { created?: string[] };
      if (rolledBack === undefined) throw new Error(outcome.message);
      created.push(...rolledBack);
      return null;
    }
    const { results, created: added } = outcome.value as unknown as NotesRan;
    created.push(...added);
    return (named(results) as unknown as NoteResult[]).map(byKind);
  };
  const answer = (outcome: Outcome): PageAnswer =>
    outcome.kind === "error"
      ? { error: kindOf(outcome.message) }
      : (named(outcome.value) as unknown as PageAnswer);

  const changesOf = async (
    { queries, known }: (typeof sessions)[number],
    client: number,
  ): Promise<Sent[]> => {
    const changes = await queries.changesAt(engine.durable());
    const message = nextTransition({ ...changes, from: version, to: version, known, mutationWaits: false });
    for (const watch of changes.removed) known.delete(watch);
    for (const [watch, result] of changes.results) known.set(watch, result);
    queries.sent(changes.results);
    return (message?.modifications ?? []).flatMap((change) =>
      change.type === "QueryRemoved"
        ? []
        : [{ client, watch: change.queryId, answer: answer(outcomeOf(change.result)) }],
    );
  };

  return {
    write: async (operations) =>
      ran(
        outcomeOf(
          await runner.runMutation(call("write", { operations: JSON.stringify(operations), created })),
        ),
      ),
    read: async (operations) =>
      ran(
        outcomeOf(await runner.runQuery(call("read", { operations: JSON.stringify(operations), created }))),
      ),
    leave: async (operations, rejects) => {
      const args = { operations: JSON.stringify(operations), created, rejects };
      const outcome = outcomeOf(await runner.runMutation(call("leave", args)));
      if (outcome.kind === "error" && outcome.data === undefined) throw new Error(outcome.message);
      return outcome.kind !== "error";
    },
    page: async (request) => answer(outcomeOf(await runner.runQuery(call("page", pageArgs(request))))),
    nearest: async (search) => {
      const outcome = outcomeOf(await runner.runAction(call("nearest", { search })));
      if (outcome.kind === "error") return kindOf(outcome.message);
      const found = named(outcome.value) as unknown as { _id: string; _score: number }[];
      return byScore(
        found.map(({ _id, _score }): Found => ({ id: _id, score: _score })),
        search.limit,
      );
    },
    watch: (client, watch, request) => {
      const { path, args } = call("page", pageArgs(request));
      sessions[client]!.queries.modify(
        [{ type: "Add", queryId: watch, udfPath: path, args, journal: null }],
        nobody,
      );
    },
    unwatch: (client, watch) => {
      sessions[client]!.queries.modify([{ type: "Remove", queryId: watch }], nobody);
    },
    settle: async () => {
      runs = 0;
      // Commits are reported to subscribers in a later turn.
      await new Promise((resolve) => setImmediate(resolve));
      const sent = await Promise.all(sessions.map(changesOf));
      return { sent: sent.flat(), runs };
    },
    close: async () => {
      for (const { queries } of sessions) queries.release();
      await engine.close();
    },
  };
}

function pageArgs({ source, options }: PageRequest): Record<string, unknown> {
  return { source, paginationOpts: options };
}

/** As text, like over the network. */
function wire(args: Record<string, unknown>): JSONValue {
  return JSON.parse(JSON.stringify(convexToJson(args as Record<string, Value>))) as JSONValue;
}

/** Replaces ids by names, and leaves out creation times. */
function namedIn(value: Value, names: ReadonlyMap<string, string>): Value {
  if (typeof value === "string") return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => namedIn(each, names));
  if (typeof value !== "object" || value === null || value instanceof ArrayBuffer) return value;
  const entries = Object.entries(value).filter(([field]) => field !== "_creationTime");
  return Object.fromEntries(entries.map(([field, each]) => [field, namedIn(each as Value, names)]));
}

function byKind(result: NoteResult): NoteResult {
  if ("error" in result) return { error: kindOf(result.error) };
  const { value } = result;
  const isNested = Array.isArray(value) && value.every((each) => isResult(each));
  return isNested ? { value: (value as unknown as NoteResult[]).map(byKind) } : result;
}

const isResult = (value: Value): boolean =>
  typeof value === "object" && value !== null && ("error" in value || "value" in value);

const kinds: readonly (readonly [string, RegExp])[] = [
  ["rolled back", /^rolled back$/],
  [
    "no such document",
    /^(Update|Replace|Delete) on nonexistent document ID |: Table for ID "\w+" not found$/,
  ],
  ["wrong id", /Unable to decode ID/],
  [
    "name",
    /^(The value isn't a valid document: )?Field '?(name )?.* (starts with (an underscore|a '\$')|has invalid character)/,
  ],
  ["cursor", /InvalidCursor/],
  ["options", /Must request at least 1|Requested too many items|must be greater than 0/],
  ["limit", /can fetch at most 256 results/],
  ["dimensions", /Expected a vector with dimensions 2/],
];

/** The kind of an error. An unknown message stays, and so differs from the model's. */
function kindOf(message: string): string {
  return kinds.find(([, words]) => words.test(message))?.[0] ?? message;
}
