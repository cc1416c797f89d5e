import {
  internalMutationGeneric,
  internalQueryGeneric,
  makeFunctionReference,
  mutationGeneric,
  paginationOptsValidator,
  queryGeneric,
} from "convex/server";
import { ConvexError, v, type Value } from "convex/values";
import { toFilter } from "./filters.ts";
import type { Known, Operand, Operation, QuerySpec, Ran, Ref, Result } from "./program.ts";

/* The interpreter is as untyped as the functions of a project without a schema. */
// oxlint-disable-next-line typescript/no-explicit-any
type Context = any;

const references = {
  query: makeFunctionReference<"query">("interpreter:nestedQuery"),
  mutation: makeFunctionReference<"mutation">("interpreter:nestedMutation"),
  checked: makeFunctionReference<"query">("interpreter:checked"),
  later: makeFunctionReference<"mutation">("interpreter:later"),
};

const args = { operations: v.any(), known: v.any() };
type Args = { operations: Operation[]; known: Known };

export const mutate = mutationGeneric({
  args,
  handler: (ctx, { operations, known }: Args) => run(ctx, operations, known),
});
export const read = queryGeneric({
  args,
  handler: (ctx, { operations, known }: Args) => run(ctx, operations, known),
});
export const nestedMutation = internalMutationGeneric({
  args,
  handler: (ctx, { operations, known }: Args) => run(ctx, operations, known),
});
export const nestedQuery = internalQueryGeneric({
  args,
  handler: (ctx, { operations, known }: Args) => run(ctx, operations, known),
});

export const page = queryGeneric({
  args: { query: v.any(), known: v.any(), paginationOpts: paginationOptsValidator },
  handler: (ctx, { query, known, paginationOpts }) =>
    build(ctx, query as QuerySpec, known as Known).paginate(paginationOpts),
});

export const checked = internalQueryGeneric({
  args: {
    number: v.number(),
    choice: v.optional(v.union(v.literal("a"), v.literal(2), v.boolean())),
    list: v.optional(v.array(v.union(v.string(), v.null()))),
    returned: v.any(),
  },
  returns: v.object({ ok: v.union(v.string(), v.bytes(), v.int64()) }),
  handler: (_, { returned }) => ({ ok: returned as string }),
});

export const later = internalMutationGeneric({ args: v.any(), handler: () => null });

/** Runs operations one after the other. Catches all errors except those that the program asks for. */
async function run(ctx: Context, operations: Operation[], known: Known): Promise<Ran> {
  const state = { created: [...known.created], times: [...known.times], scheduled: [...known.scheduled] };
  const results: Result[] = [];
  for (const operation of operations) {
    try {
      results.push({ value: (await perform(ctx, operation, state)) ?? null });
    } catch (error) {
      if (operation.do === "fail" || (operation.do === "nested" && !operation.caught)) throw error;
      results.push({ error: describe(error) });
    }
  }
  return {
    results,
    created: state.created.slice(known.created.length),
    times: state.times.slice(known.times.length),
    scheduled: state.scheduled.slice(known.scheduled.length),
  };
}

async function perform(ctx: Context, operation: Operation, known: Known): Promise<Value | undefined> {
  const { db, scheduler } = ctx;
  if (refersToNothing(operation, known)) return null;
  const id = (ref: Ref): string => (typeof ref === "string" ? ref : (pick(known.created, ref) as string));
  const table = (name: string | null): string[] => (name === null ? [] : [name]);
  const value = (of: Record<string, Value>) => resolved(of, known) as Record<string, Value>;
  switch (operation.do) {
    case "insert": {
      const created = (await db.insert(operation.table, value(operation.value))) as string;
      known.created.push(created);
      known.times.push((await db.get(created))._creationTime);
      return created;
    }
    case "get":
      return db.get(...table(operation.table), id(operation.ref));
    case "patch": {
      const unset = Object.fromEntries(operation.unset.map((field) => [field, undefined]));
      return db.patch(id(operation.ref), { ...value(operation.value), ...unset });
    }
    case "replace":
      return db.replace(id(operation.ref), value(operation.value));
    case "delete":
      return db.delete(...table(operation.table), id(operation.ref));
    case "query":
      return consumed(build(ctx, operation.query, known), operation.take);
    case "normalizeId":
      return db.normalizeId(operation.table, id(operation.id));
    case "nested":
      return nested(ctx, operation, known);
    case "checked":
      return ctx.runQuery(references.checked, { ...value(operation.args), returned: operation.returned });
    case "schedule": {
      const args = value(operation.args);
      const scheduled = (await (operation.at
        ? scheduler.runAt(Date.now() + operation.delayMs, references.later, args)
        : scheduler.runAfter(operation.delayMs, references.later, args))) as string;
      known.scheduled.push(scheduled);
      return scheduled;
    }
    case "cancel":
      return scheduler.cancel(jobOf(operation.ref, known));
    case "scheduled":
      return scheduledRows(db, operation.ref, known);
    case "echo":
      return resolved(operation.value, known);
    case "fail":
      if ("data" in operation.with) throw new ConvexError(operation.with.data as string);
      throw new Error(`thrown: ${operation.with.message}`);
  }
}

async function nested(
  ctx: Context,
  { kind, operations }: Extract<Operation, { do: "nested" }>,
  known: Known,
): Promise<Value> {
  const args = { operations, known };
  const ran = (await (kind === "query"
    ? ctx.runQuery(references.query, args)
    : ctx.runMutation(references.mutation, args))) as Ran;
  known.created.push(...ran.created);
  known.times.push(...ran.times);
  known.scheduled.push(...ran.scheduled);
  return ran.results;
}

/** Whether a number refers to a document or job that does not exist yet. */
function refersToNothing(operation: Operation, known: Known): boolean {
  if (operation.do === "normalizeId") return typeof operation.id === "number" && known.created.length === 0;
  if (!("ref" in operation) || typeof operation.ref !== "number") return false;
  const isJob = operation.do === "cancel" || operation.do === "scheduled";
  return (isJob ? known.scheduled : known.created).length === 0;
}

const jobOf = (ref: Ref, known: Known): string =>
  typeof ref === "string" ? ref : (pick(known.scheduled, ref) as string);

async function scheduledRows(db: Context, ref: Ref, known: Known): Promise<Value> {
  const shown = ({ _id, args, state, scheduledTime }: Context) => ({
    _id,
    args,
    kind: state.kind,
    hasTime: typeof scheduledTime === "number",
  });
  if (ref === "all") return (await db.system.query("_scheduled_functions").collect()).map(shown);
  const row = await db.system.get(jobOf(ref, known));
  return row === null ? null : shown(row);
}

function build(ctx: Context, spec: QuerySpec, known: Known): Context {
  let query = ctx.db.query(spec.table);
  if (spec.index !== null) {
    query = query.withIndex(spec.index, (range: Context) => {
      let bounded = range;
      for (const { field, is, to } of spec.bounds) bounded = bounded[is](field, operandOf(to, known));
      return bounded;
    });
  }
  if (spec.order !== null) query = query.order(spec.order);
  for (const filter of spec.filters) query = query.filter(toFilter(filter, (of) => operandOf(of, known)));
  return query;
}

async function consumed(query: Context, take: "all" | "first" | "unique" | number): Promise<Value> {
  if (take === "all") return query.collect();
  if (take === "first") return query.first();
  if (take === "unique") return query.unique();
  return query.take(take);
}

function operandOf(operand: Operand, known: Known): Value | undefined {
  if ("creationTimeOf" in operand) return pick(known.times, operand.creationTimeOf as Ref) ?? 0;
  return "v" in operand ? resolved(operand.v as Value, known) : undefined;
}

/** Replaces a string such as "ref:3" by a document's id. */
function resolved(value: Value, known: Known): Value {
  if (typeof value === "string") {
    const ref = /^ref:(\d+)$/.exec(value)?.[1];
    return ref === undefined ? value : (pick(known.created, Number(ref)) ?? value);
  }
  if (Array.isArray(value)) return value.map((each) => resolved(each, known));
  if (typeof value !== "object" || value === null || value instanceof ArrayBuffer) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => [field, resolved(each as Value, known)]),
  );
}

function pick<T>(known: readonly T[], ref: Ref): T | undefined {
  return known[Number(ref) % Math.max(1, known.length)];
}

function describe(error: unknown): { message: string; data?: Value } {
  const { message } = error as Error;
  return error instanceof ConvexError ? { message, data: error.data as Value } : { message };
}
