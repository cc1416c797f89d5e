import {
  actionGeneric,
  internalMutationGeneric,
  internalQueryGeneric,
  makeFunctionReference,
  mutationGeneric,
  paginationOptsValidator,
  queryGeneric,
} from "convex/server";
import { ConvexError, v, type Value } from "convex/values";
import type { NoteOperation, NoteRef, NoteResult, NotesRan, Source, VectorSearch } from "./noteProgram.ts";

// oxlint-disable-next-line typescript/no-explicit-any
type Context = any;

const references = {
  query: makeFunctionReference<"query">("notes:nestedRead"),
  mutation: makeFunctionReference<"mutation">("notes:nestedWrite"),
};

// As JSON, because arguments may not have all the names that programs try to store.
const args = { operations: v.string(), created: v.array(v.string()) };
const nestedArgs = { ...args, fails: v.boolean() };

export const write = mutationGeneric({
  args,
  handler: (ctx, { operations, created }) => run(ctx, operations, created, false),
});
export const read = queryGeneric({
  args,
  handler: (ctx, { operations, created }) => run(ctx, operations, created, false),
});
export const nestedWrite = internalMutationGeneric({
  args: nestedArgs,
  handler: (ctx, { operations, created, fails }) => run(ctx, operations, created, fails),
});
export const nestedRead = internalQueryGeneric({
  args: nestedArgs,
  handler: (ctx, { operations, created, fails }) => run(ctx, operations, created, fails),
});

/** Returns at once. What it has started may still reject. */
export const leave = mutationGeneric({
  args: { ...args, rejects: v.boolean() },
  handler: (ctx, { operations, created, rejects }) => {
    void run(ctx, operations, created, rejects);
    return null;
  },
});

export const page = queryGeneric({
  args: { source: v.any(), paginationOpts: paginationOptsValidator },
  handler: (ctx, { source, paginationOpts }) => queryOf(ctx, source as Source).paginate(paginationOpts),
});

export const nearest = actionGeneric({
  args: { search: v.any() },
  handler: async (ctx, { search }) => {
    const { vector, limit, any } = search as VectorSearch;
    const options: Context = { vector };
    if (limit !== null) options.limit = limit;
    if (any !== null) options.filter = (q: Context) => q.or(...any.map(({ value }) => q.eq("topic", value)));
    return (ctx as Context).vectorSearch("notes", "by_vector", options) as Promise<Value>;
  },
});

/** Runs operations one after the other. Only a failing nested function may end it. */
async function run(ctx: Context, operations: string, known: string[], fails: boolean): Promise<NotesRan> {
  const created = [...known];
  const results: NoteResult[] = [];
  const failure = () => new ConvexError({ created: created.slice(known.length) });
  for (const operation of JSON.parse(operations) as NoteOperation[]) {
    try {
      results.push({ value: (await perform(ctx, operation, created)) ?? null });
    } catch (error) {
      const rolledBack = error instanceof ConvexError ? (error.data as { created: string[] }).created : null;
      created.push(...(rolledBack ?? []));
      if (rolledBack !== null && operation.do === "nested" && !operation.caught) throw failure();
      results.push({ error: rolledBack === null ? (error as Error).message : "rolled back" });
    }
  }
  if (fails) throw failure();
  return { results, created: created.slice(known.length) };
}

async function perform(
  ctx: Context,
  operation: NoteOperation,
  created: string[],
): Promise<Value | undefined> {
  const { db } = ctx;
  if ("ref" in operation && "created" in operation.ref && created.length === 0) return null;
  switch (operation.do) {
    case "insert": {
      const id = (await db.insert("notes", operation.value)) as string;
      created.push(id);
      return id;
    }
    case "patch": {
      const unset = Object.fromEntries(operation.unset.map((field) => [field, undefined]));
      return db.patch(idOf(operation.ref, created), { ...operation.value, ...unset });
    }
    case "replace":
      return db.replace(idOf(operation.ref, created), operation.value);
    case "delete":
      return db.delete(idOf(operation.ref, created));
    case "get":
      return db.get(idOf(operation.ref, created));
    case "normalizeId":
      return db.normalizeId("notes", idOf(operation.ref, created));
    case "take": {
      const { source, count } = operation;
      return count === null ? queryOf(ctx, source).collect() : queryOf(ctx, source).take(count);
    }
    case "nested": {
      const { kind, operations, fails } = operation;
      const args = { operations: JSON.stringify(operations), created, fails };
      const ran = (await (kind === "query"
        ? ctx.runQuery(references.query, args)
        : ctx.runMutation(references.mutation, args))) as NotesRan;
      created.push(...ran.created);
      return ran.results;
    }
  }
}

function idOf(ref: NoteRef, created: string[]): string {
  if ("stray" in ref) return ref.stray;
  return "nonsense" in ref ? ref.nonsense : created[ref.created % created.length]!;
}

function queryOf({ db }: Context, source: Source): Context {
  const notes = db.query("notes");
  if (source.kind === "search") {
    return notes.withSearchIndex("search_body", (q: Context) => {
      const searched = q.search("body", source.text);
      return source.topic === null ? searched : searched.eq("topic", source.topic.value);
    });
  }
  const { atLeast, below, order, topic } = source;
  const rows = notes
    .withIndex("by_key", (q: Context) => {
      const bounded = atLeast === null ? q : q.gte("key", atLeast);
      return below === null ? bounded : bounded.lt("key", below);
    })
    .order(order);
  return topic === null ? rows : rows.filter((q: Context) => q.eq(q.field("topic"), topic.value));
}
