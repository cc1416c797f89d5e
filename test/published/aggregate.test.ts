import { expect, test } from "vitest";
import { PublishedApp } from "./published-app.ts";

const app = new PublishedApp("aggregate");
const summary = (player: string) => app.query("leaderboard:summary", { player });

test("aggregates of an existing table are filled by a migration, while triggers keep them up to date", async () => {
  const scores = Array.from({ length: 120 }, (_, score) => ({ player: score % 2 ? "Ann" : "Bob", score }));
  await app.mutation("leaderboard:addUncounted", { scores });
  const id = await app.mutation("leaderboard:add", { player: "Ann", score: 500 });
  expect(await summary("Ann")).toEqual({ all: 1, games: 1, sum: 500, best: 500 });
  await app.convex("run", "leaderboard:runBackfill");
  await app.until("leaderboard:summary", { player: "Ann" }, { all: 121, games: 61, sum: 4_100, best: 500 });
  await app.mutation("leaderboard:change", { id, score: 50 });
  expect(await summary("Ann")).toEqual({ all: 121, games: 61, sum: 3_650, best: 119 });
  await app.mutation("leaderboard:remove", { id });
  expect(await summary("Ann")).toEqual({ all: 120, games: 60, sum: 3_600, best: 119 });
});

test("a leaderboard tells a score's place, and jumps to any page", async () => {
  expect(await app.query("leaderboard:place", { score: 117 })).toBe(2);
  expect(await app.query("leaderboard:page", { offset: 10, count: 3 })).toEqual([109, 108, 107]);
});

test("a watched aggregate changes with its own range only", async () => {
  const seen = app.watch("leaderboard:summary", { player: "Cleo" });
  await expect.poll(() => seen).toHaveLength(1);
  await app.mutation("leaderboard:add", { player: "Cleo", score: 7 });
  await expect.poll(() => seen.at(-1)).toMatchObject({ games: 1, sum: 7, best: 7 });
});

test("cleared aggregates are filled again", async () => {
  await app.mutation("leaderboard:clear");
  expect(await summary("Ann")).toEqual({ all: 0, games: 0, sum: 0, best: null });
  await app.convex("run", "leaderboard:runBackfill", JSON.stringify({ reset: true }));
  await expect.poll(() => summary("Ann")).toMatchObject({ games: 60, sum: 3_600, best: 119 });
});

test("albums are separate namespaces, paged by offset", async () => {
  for (let n = 0; n < 12; n += 1) {
    await app.mutation("collections:addPhoto", { album: n % 3 === 0 ? "cats" : "dogs", url: `photo ${n}` });
  }
  expect(await app.query("collections:countPhotos", { albums: ["cats", "dogs", "birds"] })).toEqual([
    4, 8, 0,
  ]);
  const page = { album: "dogs", offset: 5, numItems: 2 };
  expect(await app.query("collections:pageOfPhotos", page)).toEqual(["photo 8", "photo 10"]);
});

test("a table is shuffled: each song once, in changing orders", async () => {
  const titles = Array.from({ length: 20 }, (_, n) => `song ${String(n).padStart(2, "0")}`);
  await app.mutation("collections:addSongs", { titles });
  const orders = [await app.mutation("collections:shuffled"), await app.mutation("collections:shuffled")];
  for (const order of orders) expect([...(order as string[])].sort()).toEqual(titles);
  expect(orders[0]).not.toEqual(orders[1]);
});

test("numbers that are in no table have a mean, a median and percentiles; many writers do not conflict", async () => {
  const reports = Array.from({ length: 40 }, (_, n) =>
    app.mutation("collections:reportLatency", { ms: n + 1, id: `call ${n}` }),
  );
  await Promise.all(reports);
  await app.until("collections:latencyStatistics", {}, { count: 40, mean: 20.5, median: 21, p95: 39 });
});
