import { v } from "convex/values";
import { query } from "./_generated/server";
import { guardedQuery, mutation } from "./functions";

export const create = mutation({
  args: { name: v.string() },
  handler: (ctx, { name }) => ctx.db.insert("teams", { name, points: 0 }),
});

export const addPlayer = mutation({
  args: { team: v.id("teams"), name: v.string(), points: v.number() },
  handler: (ctx, player) => ctx.db.insert("players", player),
});

export const setPoints = mutation({
  args: { id: v.id("players"), points: v.number() },
  handler: (ctx, { id, points }) => ctx.db.patch(id, { points }),
});

/** Writes all players at the same time: the triggers' lock must put them in order. */
export const addPlayers = mutation({
  args: { team: v.id("teams"), points: v.array(v.number()) },
  handler: async (ctx, { team, points }) => {
    const players = points.map((each) => ({ team, name: `player ${each}`, points: each }));
    await Promise.all(players.map((player) => ctx.db.insert("players", player)));
  },
});

export const remove = mutation({
  args: { id: v.id("teams") },
  handler: (ctx, { id }) => ctx.db.delete(id),
});

export const points = query({
  args: { id: v.id("teams") },
  handler: async (ctx, { id }) => (await ctx.db.get(id))?.points ?? null,
});

export const players = query({
  args: { id: v.id("teams") },
  handler: async (ctx, { id }) =>
    (
      await ctx.db
        .query("players")
        .withIndex("by_team", (q) => q.eq("team", id))
        .collect()
    ).length,
});

export const changes = query({
  args: {},
  handler: async (ctx) => (await ctx.db.query("changes").collect()).map(({ text }) => text),
});

export const greet = guardedQuery({
  args: { greeting: v.string() },
  handler: async ({ guest }, args) => ({ text: `${args.greeting}, ${guest}`, args: Object.keys(args) }),
});
