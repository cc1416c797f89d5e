import { v } from "convex/values";
import { action } from "./builders.ts";

/** Waits for the answer of another server. Each run has a world of its own, so many of them need much memory. */
export const fetched = action({
  args: { url: v.string() },
  handler: async (_, { url }) => (await fetch(url)).text(),
});
