import { TableAggregate } from "@convex-dev/aggregate";
import { Migrations } from "@convex-dev/migrations";
import { customCtx, customMutation } from "convex-helpers/server/customFunctions";
import { Triggers } from "convex-helpers/server/triggers";
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { DataModel } from "./_generated/dataModel";
import { mutation as rawMutation, query } from "./_generated/server";
import { components } from "./components";

type Scores = { DataModel: DataModel; TableName: "scores" };

const byScore = new TableAggregate<Scores & { Key: number }>(components.byScore, {
  sortKey: ({ score }) => -score,
});
const byPlayer = new TableAggregate<Scores & { Key: [string, number] }>(components.byPlayer, {
  sortKey: ({ player, score }) => [player, score],
  sumValue: ({ score }) => score,
});

const triggers = new Triggers<DataModel>();
triggers.register("scores", byScore.idempotentTrigger());
triggers.register("scores", byPlayer.idempotentTrigger());
const mutation = customMutation(rawMutation, customCtx(triggers.wrapDB));

const scored = { player: v.string(), score: v.number() };

export const add = mutation({ args: scored, handler: (ctx, score) => ctx.db.insert("scores", score) });

/** From before the aggregates were there. */
export const addUncounted = rawMutation({
  args: { scores: v.array(v.object(scored)) },
  handler: async (ctx, { scores }) => {
    for (const score of scores) await ctx.db.insert("scores", score);
  },
});

const migrations = new Migrations<DataModel>(components.migrations);

export const backfill = migrations.define({
  table: "scores",
  migrateOne: async (ctx, score) => {
    await byScore.insertIfDoesNotExist(ctx, score);
    await byPlayer.insertIfDoesNotExist(ctx, score);
  },
});
export const runBackfill = migrations.runner(internal.leaderboard.backfill);

export const change = mutation({
  args: { id: v.id("scores"), score: v.number() },
  handler: (ctx, { id, score }) => ctx.db.patch(id, { score }),
});

export const remove = mutation({ args: { id: v.id("scores") }, handler: (ctx, { id }) => ctx.db.delete(id) });

/** Drops the aggregates, for example because they are wrong. */
export const clear = rawMutation({
  args: {},
  handler: async (ctx) => {
    await byScore.clear(ctx);
    await byPlayer.clear(ctx);
  },
});

export const summary = query({
  args: { player: v.string() },
  handler: async (ctx, { player }) => {
    const bounds = { prefix: [player] as [string] };
    const [games, sum] = [await byPlayer.count(ctx, { bounds }), await byPlayer.sum(ctx, { bounds })];
    const best = await byPlayer.max(ctx, { bounds });
    return { all: await byScore.count(ctx), games, sum, best: best?.key[1] ?? null };
  },
});

/** The place of a score, from 0. */
export const place = query({
  args: { score: v.number() },
  handler: (ctx, { score }) => byScore.indexOf(ctx, -score),
});

/** The scores of a page of the leaderboard. */
export const page = query({
  args: { offset: v.number(), count: v.number() },
  handler: async (ctx, { offset, count }) => {
    const { key } = await byScore.at(ctx, offset);
    const { page } = await byScore.paginate(ctx, {
      bounds: { lower: { key, inclusive: true } },
      pageSize: count,
    });
    return page.map(({ key }) => -key);
  },
});
