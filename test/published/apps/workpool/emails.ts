import { NonRetryableError, vOnCompleteArgs, vWorkId, type WorkId, Workpool } from "@convex-dev/workpool";
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalAction, internalMutation, mutation, query } from "./_generated/server";
import { components } from "./components";

const maxParallelism = 3;
const pool = new Workpool(components.emails, {
  maxParallelism,
  retryActionsByDefault: true,
  defaultRetryBehavior: { maxAttempts: 3, initialBackoffMs: 50, base: 2 },
});

/** Sends mails of a signup, for example. `flaky` addresses fail once, and those without "@" forever. */
export const send = internalAction({
  args: { email: v.string(), body: v.optional(v.string()) },
  handler: async (ctx, { email, body }): Promise<string> => {
    const attempt: { id: string; count: number } = await ctx.runMutation(internal.emails.attempt, { email });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await ctx.runMutation(internal.emails.endAttempt, { email });
    if (!email.includes("@")) throw new NonRetryableError(`${email} is no address`);
    if (email.startsWith("flaky") && attempt.count === 1) throw new Error("The mail server is busy");
    return body === undefined ? `sent at attempt ${attempt.count}` : body;
  },
});

export const attempt = internalMutation({
  args: { email: v.string() },
  handler: async (ctx, { email }) => {
    const id = await ctx.db.insert("attempts", { email, started: Date.now() });
    const attempts = ctx.db.query("attempts").withIndex("by_email", (q) => q.eq("email", email));
    return { id, count: (await attempts.collect()).length };
  },
});

export const endAttempt = internalMutation({
  args: { email: v.string() },
  handler: async (ctx, { email }) => {
    const attempts = ctx.db.query("attempts").withIndex("by_email", (q) => q.eq("email", email));
    const last = await attempts.order("desc").first();
    if (last !== null) await ctx.db.patch(last._id, { ended: Date.now() });
  },
});

export const sendAll = mutation({
  args: { batch: v.string(), emails: v.array(v.string()), body: v.optional(v.string()) },
  handler: (ctx, { batch, emails, body }): Promise<WorkId[]> =>
    Promise.all(
      emails.map((email) =>
        pool.enqueueAction(ctx, internal.emails.send, body === undefined ? { email } : { email, body }, {
          onComplete: internal.emails.sent,
          context: { batch, email },
        }),
      ),
    ),
});

export const sent = internalMutation({
  args: vOnCompleteArgs(v.object({ batch: v.string(), email: v.string() })),
  handler: async (ctx, { context, result }) => {
    const outcome = result.kind === "success" ? String(result.returnValue).slice(0, 50) : `${result.kind}`;
    await ctx.db.insert("emailLog", { ...context, outcome });
  },
});

export const cancelAll = mutation({ args: {}, handler: (ctx) => pool.cancelAll(ctx) });

export const states = query({
  args: { ids: v.array(vWorkId) },
  handler: async (ctx, { ids }) => (await pool.statusBatch(ctx, ids)).map(({ state }) => state),
});

export const log = query({
  args: { batch: v.string() },
  handler: async (ctx, { batch }) =>
    (
      await ctx.db
        .query("emailLog")
        .withIndex("by_batch", (q) => q.eq("batch", batch))
        .collect()
    )
      .map(({ email, outcome }) => `${email}: ${outcome}`)
      .sort(),
});

/** The most attempts that ran at the same time. */
export const mostAtOnce = query({
  args: {},
  handler: async (ctx) => {
    const attempts = await ctx.db.query("attempts").collect();
    const atOnce = (time: number) =>
      attempts.filter(({ started, ended }) => started <= time && time < (ended ?? 0)).length;
    return Math.max(0, ...attempts.map(({ started }) => atOnce(started)));
  },
});

const serial = new Workpool(components.serial, { maxParallelism: 1 });

/** Without a pool, so many writes of one document would conflict. */
export const countAll = mutation({
  args: { count: v.number() },
  handler: async (ctx, { count }) => {
    await serial.enqueueMutationBatch(
      ctx,
      internal.emails.count,
      Array.from({ length: count }, () => ({})),
    );
  },
});

export const count = internalMutation({
  args: {},
  handler: async (ctx) => {
    const counter = await ctx.db.query("counters").first();
    if (counter === null) await ctx.db.insert("counters", { value: 1 });
    else await ctx.db.patch(counter._id, { value: counter.value + 1 });
  },
});

export const counted = query({
  args: {},
  handler: async (ctx) => (await ctx.db.query("counters").first())?.value ?? 0,
});
