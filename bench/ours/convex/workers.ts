import { v } from "convex/values";
import { mutation } from "./builders.ts";
import { queue, scope } from "./queue.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

export const register = mutation({
  args: { keys: v.array(v.string()) },
  handler: async (ctx, { keys }) => {
    for (const key of keys) await queue.workers.register(ctx, scope, { key, name: key });
    return null;
  },
});
