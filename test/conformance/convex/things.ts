import { paginationOptsValidator } from "convex/server";
import { v, type Value } from "convex/values";
import { mutation, query, type Reader } from "./builders.ts";

const owner = v.string();
const order = v.optional(v.union(v.literal("asc"), v.literal("desc")));

/** An absent value is stored as an absent field. */
export const insertMany = mutation({
  args: { owner, values: v.array(v.object({ value: v.optional(v.any()) })) },
  handler: async (ctx, args) => {
    const ids = [];
    for (const { value } of args.values) {
      ids.push(await ctx.db.insert("things", { owner: args.owner, value: value as Value }));
    }
    return ids;
  },
});

export const get = query({ args: { id: v.id("things") }, handler: (ctx, { id }) => ctx.db.get(id) });

const bound = v.object({
  is: v.union(v.literal("eq"), v.literal("gt"), v.literal("gte"), v.literal("lt"), v.literal("lte")),
  value: v.optional(v.any()),
});

/** Returns a range of the index as `{value}`, or `{}` for an absent field. */
export const range = query({
  args: { owner, order, bounds: v.array(bound) },
  handler: async (ctx, args) => {
    const things = await ranged(ctx.db, args)
      .order(args.order ?? "asc")
      .collect();
    return things.map(({ value }) => (value === undefined ? {} : { value: value as Value }));
  },
});

type Ranged = { owner: string; bounds: { is: "eq" | "gt" | "gte" | "lt" | "lte"; value?: unknown }[] };

function ranged(db: Reader, { owner, bounds }: Ranged) {
  return db.query("things").withIndex("by_value", (q) => {
    // The builder's types allow one chain at a time.
    let built = q.eq("owner", owner) as unknown as Record<string, (field: string, value: unknown) => never>;
    for (const { is, value } of bounds) built = built[is]!("value", value);
    return built as never;
  });
}

/** The same comparison as a filter. */
export const filtered = query({
  args: { owner, is: bound.fields.is, value: v.optional(v.any()) },
  handler: async (ctx, args) => {
    const things = await ranged(ctx.db, { owner: args.owner, bounds: [] })
      .filter((q) => (q[args.is] as typeof q.eq)(q.field("value"), args.value as Value))
      .collect();
    return things.map(({ value }) => (value === undefined ? {} : { value: value as Value }));
  },
});

/** Returns the number of documents for each way of taking them. */
export const taken = query({
  args: { owner, count: v.number() },
  handler: async (ctx, { owner, count }) => {
    const all = () => ranged(ctx.db, { owner, bounds: [] });
    const looped: Value[] = [];
    for await (const { value } of all()) looped.push((value as Value | undefined) ?? null);
    return {
      first: ((await all().first())?.value ?? null) as Value,
      taken: (await all().take(count)).map(({ value }) => value as Value),
      looped,
      unique: await all()
        .unique()
        .then(
          () => "one or none",
          (error: Error) => error.message,
        ),
    };
  },
});

export const page = query({
  args: { owner, order, paginationOpts: paginationOptsValidator },
  handler: async (ctx, { owner, order, paginationOpts }) =>
    ranged(ctx.db, { owner, bounds: [] })
      .order(order ?? "asc")
      .filter((q) => q.neq(q.field("value"), "hidden"))
      .paginate(paginationOpts),
});

/** Returns a document after a patch and after a replacement. */
export const changed = mutation({
  args: { owner },
  handler: async (ctx, { owner }) => {
    const id = await ctx.db.insert("things", { owner, value: 1 });
    const before = await ctx.db.get(id);
    await ctx.db.patch(id, { value: undefined });
    const unset = await ctx.db.get(id);
    await ctx.db.patch(id, { value: { a: 1, b: 2 } });
    await ctx.db.patch(id, { value: { c: 3 } });
    const patched = await ctx.db.get(id);
    await ctx.db.replace(id, { owner });
    const replaced = await ctx.db.get(id);
    await ctx.db.delete(id);
    return { before, unset, patched, replaced, deleted: await ctx.db.get(id) };
  },
});

/** Returns the errors for invalid ids, ids of another table, and ids of removed documents. */
export const wrongIds = mutation({
  args: { owner },
  handler: async (ctx, { owner }) => {
    const gone = await ctx.db.insert("things", { owner });
    await ctx.db.delete(gone);
    const said = (act: () => Promise<unknown>) =>
      act().then(
        () => "nothing",
        (error: Error) => error.message,
      );
    return {
      gone,
      patchGone: await said(() => ctx.db.patch(gone, {})),
      replaceGone: await said(() => ctx.db.replace(gone, { owner })),
      deleteGone: await said(() => ctx.db.delete(gone)),
      getNonsense: await said(() => ctx.db.get("nonsense" as typeof gone)),
      normalized: [
        ctx.db.normalizeId("things", gone),
        ctx.db.normalizeId("messages", gone),
        ctx.db.normalizeId("things", "nonsense"),
      ],
    };
  },
});

export const insertTyped = mutation({
  args: { document: v.any() },
  handler: async (ctx, { document }) => {
    await ctx.db.insert("typed", document as { name: string });
    return null;
  },
});
