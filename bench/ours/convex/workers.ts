import { v } from "convex/values";
import { mutation } from "./builders.ts";
import { queue, scope } from "./queue.ts";

export const register = mutation({
  args: { keys: v.array(v.string()) },
  handler: async (ctx, { keys }) => {
    for (const key of keys) await queue.workers.register(ctx, scope, { key, name: key });
    return null;
  },
});
