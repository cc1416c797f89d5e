import { makeFunctionReference } from "convex/server";
import { v } from "convex/values";
import { action, mutation, query } from "./builders.ts";

const file = { id: v.id("_storage") };
const failing = makeFunctionReference<"mutation", { id: string }>("files:removeThenFail");

export const generateUploadUrl = mutation({
  args: {},
  handler: (ctx) => ctx.storage.generateUploadUrl(),
});

export const url = query({ args: file, handler: (ctx, { id }) => ctx.storage.getUrl(id) });

export const document = query({
  args: file,
  handler: (ctx, { id }) => ctx.db.system.get("_storage", id),
});

export const isListed = query({
  args: file,
  handler: async (ctx, { id }) => {
    const newest = await ctx.db.system.query("_storage").order("desc").take(100);
    return newest.some(({ _id }) => _id === id);
  },
});

/** Accepts any string: the storage itself refuses other texts than ids. */
export const urlOf = query({ args: { id: v.string() }, handler: (ctx, { id }) => ctx.storage.getUrl(id) });

export const remove = mutation({
  args: file,
  handler: async (ctx, { id }) => {
    await ctx.storage.delete(id);
    return ctx.storage.getUrl(id);
  },
});

export const removeThenFail = mutation({
  args: file,
  handler: async (ctx, { id }) => {
    await ctx.storage.delete(id);
    throw new Error("changed my mind");
  },
});

export const removeNested = mutation({
  args: file,
  handler: async (ctx, { id }) => {
    await ctx.runMutation(failing, { id }).catch(() => null);
    return (await ctx.storage.getUrl(id)) !== null;
  },
});

export const store = action({
  args: { bytes: v.bytes(), type: v.string(), sha256: v.optional(v.string()) },
  handler: (ctx, { bytes, type, sha256 }) =>
    ctx.storage.store(new Blob([bytes], { type }), sha256 === undefined ? undefined : { sha256 }),
});

export const read = action({
  args: file,
  handler: async (ctx, { id }) => {
    const blob = await ctx.storage.get(id);
    return blob === null ? null : { bytes: await blob.arrayBuffer(), type: blob.type };
  },
});

export const removeInAction = action({
  args: file,
  handler: async (ctx, { id }) => {
    await ctx.storage.delete(id);
    return null;
  },
});
