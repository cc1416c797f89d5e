import { makeFunctionReference } from "convex/server";
import { v } from "convex/values";
import { action, internalMutation, internalQuery, mutation, query, type Reader } from "./builders.ts";

const args = { name: v.string() };

function find(db: Reader, name: string) {
  return db
    .query("counters")
    .withIndex("by_name", (q) => q.eq("name", name))
    .unique();
}

async function valueOf(db: Reader, name: string): Promise<number> {
  return (await find(db, name))?.value ?? 0;
}

export const get = query({ args, handler: (ctx, { name }) => valueOf(ctx.db, name) });

export const secretGet = internalQuery({ args, handler: (ctx, { name }) => valueOf(ctx.db, name) });

export const increment = mutation({
  args,
  handler: async (ctx, { name }) => {
    const counter = await find(ctx.db, name);
    if (counter === null) {
      await ctx.db.insert("counters", { name, value: 1 });
      return 1;
    }
    await ctx.db.patch(counter._id, { value: counter.value + 1 });
    return counter.value + 1;
  },
});

export const reset = internalMutation({
  args,
  handler: async (ctx, { name }) => {
    const counter = await find(ctx.db, name);
    if (counter !== null) await ctx.db.delete(counter._id);
    return null;
  },
});

const incrementReference = makeFunctionReference<"mutation", { name: string }, number>("counters:increment");
const secretGetReference = makeFunctionReference<"query", { name: string }, number>("counters:secretGet");

export const incrementTwice = action({
  args,
  handler: async (ctx, { name }): Promise<number> => {
    await ctx.runMutation(incrementReference, { name });
    await ctx.runMutation(incrementReference, { name });
    return ctx.runQuery(secretGetReference, { name });
  },
});
