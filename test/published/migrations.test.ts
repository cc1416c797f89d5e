import { beforeAll, expect, test } from "vitest";
import { PublishedApp } from "./published-app.ts";

const app = new PublishedApp("migrations");
const count = 25;
const run = (name: string, args: object = {}) =>
  app.convex("run", `migrations:${name}`, JSON.stringify(args));
const tasks = () => app.query("migrations:tasks") as Promise<[string, number | null, boolean | null][]>;
const status = async (...names: string[]) => {
  const all = (await app.query("migrations:status", { names })) as { state: string; processed: number }[];
  return all.map(({ state, processed }) => `${state} ${processed}`);
};

beforeAll(() => app.mutation("migrations:addTasks", { count }));

test("a dry run changes nothing", async () => {
  expect(await run("setPriority", { dryRun: true })).toContain("DRY RUN");
  expect((await tasks()).every(([, priority]) => priority === null)).toBe(true);
});

test("migrations run one after the other, batch by batch, and only once", async () => {
  await run("runAll");
  await expect.poll(() => status("setPriority", "setDone")).toEqual([`success ${count}`, `success ${count}`]);
  expect((await tasks()).every(([, priority, done]) => priority === 1 && done === false)).toBe(true);
  await app.mutation("migrations:addTask", { text: "urgent", priority: 5 });
  await run("runAll");
  expect((await tasks()).at(-1)).toEqual(["urgent", 5, null]);
  await run("run", { fn: "setDone", reset: true });
  await expect.poll(async () => (await tasks()).at(-1)).toEqual(["urgent", 5, false]);
});

test("a migration of an index range runs to its end within an action", async () => {
  await run("runNow");
  const done = (await tasks()).filter(([, , done]) => done);
  expect(done).toEqual([["urgent", 5, true]]);
});

test("a migration that fails keeps its finished batches and undoes the failed one", async () => {
  await run("broken");
  await expect.poll(() => status("broken")).toEqual(["failed 10"]);
  const changed = (await tasks()).filter(([text]) => text.endsWith("!")).map(([text]) => text);
  expect(changed).toEqual(Array.from({ length: 10 }, (_, n) => `task ${n}!`));
});
