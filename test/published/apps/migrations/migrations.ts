import { Migrations, type MigrationStatus, runToCompletion } from "@convex-dev/migrations";
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalAction, mutation, query } from "./_generated/server";
import { components } from "./components";
import schema from "./schema";

const migrations = new Migrations(components.migrations, { schema, migrationsLocationPrefix: "migrations:" });

export const setPriority = migrations.define({
  table: "tasks",
  batchSize: 10,
  migrateOne: async (ctx, { _id, priority }) => {
    if (priority === undefined) await ctx.db.patch(_id, { priority: 1 });
  },
});

export const setDone = migrations.define({
  table: "tasks",
  batchSize: 10,
  migrateOne: () => ({ done: false }),
});

export const finishUrgent = migrations.define({
  table: "tasks",
  parallelize: true,
  customRange: (tasks) => tasks.withIndex("by_priority", (q) => q.gte("priority", 5)),
  migrateOne: () => ({ done: true }),
});

/** Fails in its second batch. */
export const broken = migrations.define({
  table: "tasks",
  batchSize: 10,
  migrateOne: (_ctx, { text }) => {
    if (text === "task 15") throw new Error("broken at task 15");
    return { text: `${text}!` };
  },
});

export const run = migrations.runner();
export const runAll = migrations.runner([internal.migrations.setPriority, internal.migrations.setDone]);

export const runNow = internalAction({
  args: {},
  handler: async (ctx) => {
    await runToCompletion(ctx, components.migrations, internal.migrations.finishUrgent);
  },
});

export const status = query({
  args: { names: v.array(v.string()) },
  handler: async (ctx, { names }) => {
    const all: MigrationStatus[] = await migrations.getStatus(ctx, { migrations: names });
    return all.map(({ name, state, processed, isDone }) => ({ name, state, processed, isDone }));
  },
});

export const addTasks = mutation({
  args: { count: v.number() },
  handler: async (ctx, { count }) => {
    for (let n = 0; n < count; n += 1) await ctx.db.insert("tasks", { text: `task ${n}` });
  },
});

export const addTask = mutation({
  args: { text: v.string(), priority: v.number() },
  handler: (ctx, task) => ctx.db.insert("tasks", task),
});

export const tasks = query({
  args: {},
  handler: async (ctx) =>
    (await ctx.db.query("tasks").collect()).map(({ text, priority, done }) => [
      text,
      priority ?? null,
      done ?? null,
    ]),
});
