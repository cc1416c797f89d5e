import { type Infer, v } from "convex/values";
import { type JobSpec, jobSpec, schedule } from "../shared/validators.ts";
import { type Doc, mutation, type MutationCtx, query } from "./model/builders.ts";
import {
  allRecurring,
  findRecurring,
  removeRecurring,
  setPaused as pause,
  setRecurring,
} from "./model/recurring/set.ts";
import { refuse } from "./model/refuse.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const named = { scope: v.string(), name: v.string() };

const recurringView = v.object({
  name: v.string(),
  schedule,
  paused: v.boolean(),
  kind: v.string(),
  runs: v.number(),
  lastJobId: v.union(v.string(), v.null()),
  /** ms epoch; null while paused. */
  nextRunAt: v.union(v.number(), v.null()),
});

/** Creates or changes a recurring job. If `paused` is left out, it stays as it is. */
export const set = mutation({
  args: { ...named, schedule, job: jobSpec, paused: v.optional(v.boolean()), actor: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, args) => {
    await setRecurring(ctx, args, Date.now());
    return null;
  },
});

export const setPaused = mutation({
  args: { ...named, paused: v.boolean(), actor: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { paused, actor, ...which }) => {
    await pause(ctx, await load(ctx, which), { paused, actor }, Date.now());
    return null;
  },
});

/** Removes a recurring job. Jobs that it has submitted stay. */
export const remove = mutation({
  args: { ...named, actor: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { actor, ...which }) => {
    await removeRecurring(ctx, await load(ctx, which), actor, Date.now());
    return null;
  },
});

export const list = query({
  args: { scope: v.string() },
  returns: v.array(recurringView),
  handler: async (ctx, { scope }) => (await allRecurring(ctx, scope)).map(viewOf),
});

async function load(ctx: MutationCtx, { scope, name }: { scope: string; name: string }) {
  return (
    (await findRecurring(ctx, scope, name)) ??
    refuse("not_found", `There is no recurring job named "${name}".`)
  );
}

function viewOf({
  name,
  paused,
  runs,
  job,
  lastJobId,
  nextRunAt,
  ...row
}: Doc<"recurring">): Infer<typeof recurringView> {
  return {
    name,
    schedule: row.schedule,
    paused,
    kind: (job as JobSpec).kind,
    runs,
    lastJobId: lastJobId ?? null,
    nextRunAt: nextRunAt ?? null,
  };
}
