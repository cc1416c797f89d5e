import { customCtx, customMutation, customQuery } from "convex-helpers/server/customFunctions";
import { Triggers } from "convex-helpers/server/triggers";
import { ConvexError, v } from "convex/values";
import type { DataModel } from "./_generated/dataModel";
import { mutation as rawMutation, query as rawQuery } from "./_generated/server";

const triggers = new Triggers<DataModel>();

// A team's points are the sum of its players' points.
triggers.register("players", async (ctx, { oldDoc, newDoc }) => {
  for (const [player, sign] of [
    [oldDoc, -1],
    [newDoc, 1],
  ] as const) {
    const team = player === null ? null : await ctx.db.get(player.team);
    if (player === null || team === null) continue;
    await ctx.db.patch(team._id, { points: team.points + sign * player.points });
  }
});

triggers.register("players", async (_ctx, { newDoc }) => {
  if (newDoc !== null && newDoc.points < 0) throw new ConvexError("No negative points");
});

triggers.register("players", async (ctx, { operation, oldDoc, newDoc }) => {
  const points = (player: { points: number } | null) => player?.points ?? null;
  // `innerDb` fires no triggers.
  await ctx.innerDb.insert("changes", { text: `${operation} ${points(oldDoc)} ${points(newDoc)}` });
});

// Deleting a team deletes its players, whose triggers then fire.
triggers.register("teams", async (ctx, { id, operation }) => {
  if (operation !== "delete") return;
  const players = ctx.db.query("players").withIndex("by_team", (q) => q.eq("team", id));
  for await (const { _id } of players) await ctx.db.delete(_id);
});

export const mutation = customMutation(rawMutation, customCtx(triggers.wrapDB));

/** A query whose callers prove who they are with an argument that the handler does not see. */
export const guardedQuery = customQuery(rawQuery, {
  args: { password: v.string() },
  input: async (_ctx, { password }) => {
    if (password !== "open sesame") throw new ConvexError("Wrong password");
    return { ctx: { guest: "Ali" }, args: {} };
  },
});
