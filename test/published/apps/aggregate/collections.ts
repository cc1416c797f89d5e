import { DirectAggregate, TableAggregate } from "@convex-dev/aggregate";
import { v } from "convex/values";
import type { DataModel } from "./_generated/dataModel";
import { mutation, query } from "./_generated/server";
import { components } from "./components";

const photos = new TableAggregate<{
  Namespace: string;
  Key: number;
  DataModel: DataModel;
  TableName: "photos";
}>(components.photos, { namespace: ({ album }) => album, sortKey: ({ _creationTime }) => _creationTime });

const songs = new TableAggregate<{ Key: null; DataModel: DataModel; TableName: "songs" }>(components.songs, {
  sortKey: () => null,
});

const latencies = new DirectAggregate<{ Key: number; Id: string }>(components.latencies);

export const addPhoto = mutation({
  args: { album: v.string(), url: v.string() },
  handler: async (ctx, photo) => {
    const id = await ctx.db.insert("photos", photo);
    await photos.insert(ctx, (await ctx.db.get(id))!);
  },
});

/** A page of an album by its offset. */
export const pageOfPhotos = query({
  args: { album: v.string(), offset: v.number(), numItems: v.number() },
  handler: async (ctx, { album, offset, numItems }) => {
    const { key } = await photos.at(ctx, offset, { namespace: album });
    const found = ctx.db
      .query("photos")
      .withIndex("by_album", (q) => q.eq("album", album).gte("_creationTime", key));
    return (await found.take(numItems)).map(({ url }) => url);
  },
});

export const countPhotos = query({
  args: { albums: v.array(v.string()) },
  handler: (ctx, { albums }) =>
    photos.countBatch(
      ctx,
      albums.map((namespace) => ({ namespace })),
    ),
});

export const addSongs = mutation({
  args: { titles: v.array(v.string()) },
  handler: async (ctx, { titles }) => {
    for (const title of titles) {
      const id = await ctx.db.insert("songs", { title });
      await songs.insert(ctx, (await ctx.db.get(id))!);
    }
  },
});

/** All songs in a random order. */
export const shuffled = mutation({
  args: {},
  handler: async (ctx) => {
    const left = Array.from({ length: await songs.count(ctx) }, (_, index) => index);
    const titles: string[] = [];
    while (left.length > 0) {
      const [index] = left.splice(Math.floor(Math.random() * left.length), 1);
      const { id } = await songs.at(ctx, index!);
      titles.push((await ctx.db.get(id))!.title);
    }
    return titles;
  },
});

/** A number of the app that is in no table. Queued writes do not conflict. */
export const reportLatency = mutation({
  args: { ms: v.number(), id: v.string() },
  handler: (ctx, { ms, id }) => latencies.insert(ctx, { key: ms, id, sumValue: ms }, { async: true }),
});

export const latencyStatistics = query({
  args: {},
  handler: async (ctx) => {
    const count = await latencies.count(ctx, { stale: true });
    if (count === 0) return null;
    const mean = (await latencies.sum(ctx, { stale: true })) / count;
    const median = (await latencies.at(ctx, Math.floor(count / 2), { stale: true })).key;
    const p95 = (await latencies.at(ctx, Math.floor(count * 0.95), { stale: true })).key;
    return { count, mean, median, p95 };
  },
});
