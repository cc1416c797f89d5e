import { createFunctionHandle, makeFunctionReference } from "convex/server";
import { v } from "convex/values";
import { action, internalMutation, mutation, query } from "./builders.ts";
import { components } from "./components.ts";

const { letters } = components.mailbox;
const letter = { box: v.string(), text: v.string() };
const delivery = { channel: v.string(), body: v.string() };
const deliverReference = makeFunctionReference<"mutation", { channel: string; body: string }>("mail:deliver");

export const put = mutation({ args: letter, handler: (ctx, args) => ctx.runMutation(letters.put, args) });

export const list = query({
  args: { box: v.string() },
  handler: (ctx, args): Promise<string[]> => ctx.runQuery(letters.list, args),
});

export const listOther = query({
  args: { box: v.string() },
  handler: (ctx, args): Promise<string[]> => ctx.runQuery(components.otherMailbox.letters.list, args),
});

/** Reads a component's table by the app's own `ctx.db`. */
export const reachInto = query({
  args: {},
  handler: async (ctx) => (await ctx.db.query("letters" as "messages").collect()).length,
});

export const callHidden = mutation({
  args: {},
  handler: (ctx) => ctx.runMutation(letters.hidden as unknown as typeof letters.put, { box: "", text: "" }),
});

/** The component's failure rolls back only the component's writes. */
export const survive = mutation({
  args: { ...letter, channel: v.string() },
  handler: async (ctx, { channel, ...args }): Promise<{ failed: boolean; seen: string[] }> => {
    await ctx.runMutation(letters.put, args);
    const failed = await ctx.runMutation(letters.putAndFail, { ...args, text: "never" }).then(
      () => false,
      () => true,
    );
    await ctx.db.insert("messages", { channel, body: "kept", n: 0 });
    return { failed, seen: await ctx.runQuery(letters.list, { box: args.box }) };
  },
});

/** The app's failure also rolls back its component's writes. */
export const putAndFail = mutation({
  args: letter,
  handler: async (ctx, args) => {
    await ctx.runMutation(letters.put, args);
    throw new Error("the app failed");
  },
});

export const users = action({
  args: {},
  handler: async (ctx): Promise<{ app: string | null; query: unknown; action: unknown }> => ({
    app: (await ctx.auth.getUserIdentity())?.subject ?? null,
    query: await ctx.runQuery(letters.user, {}),
    action: await ctx.runAction(letters.userByAction, {}),
  }),
});

/** The component gets a handle to this function, which writes before it fails. */
export const deliver = internalMutation({
  args: delivery,
  handler: async (ctx, { channel, body }) => {
    await ctx.db.insert("messages", { channel, body, n: 0 });
    if (body === "refused") throw new Error("refused");
  },
});

export const callBack = mutation({
  args: { ...delivery, box: v.string() },
  handler: async (ctx, args) => {
    const handle = await createFunctionHandle(deliverReference);
    await ctx.runMutation(letters.callBack, { ...args, handle });
  },
});

export const callBackLater = mutation({
  args: delivery,
  handler: async (ctx, args) => {
    const handle = await createFunctionHandle(deliverReference);
    await ctx.runMutation(letters.callBackLater, { ...args, handle });
  },
});

export const putLater = mutation({
  args: letter,
  handler: (ctx, args) => ctx.runMutation(letters.putLater, args),
});

type Job = { name: string; args: unknown[]; state: string };

/** Returns the functions that the app and the component have scheduled for a box. */
export const scheduled = query({
  args: { box: v.string() },
  handler: async (ctx, { box }): Promise<{ app: number; component: string[] }> => {
    const own = await ctx.db.system.query("_scheduled_functions").order("desc").take(100);
    const theirs: Job[] = await ctx.runQuery(letters.scheduled, {});
    const isOfBox = (args: unknown[]): boolean => (args[0] as { box?: string } | undefined)?.box === box;
    return {
      app: own.filter(({ args }) => isOfBox(args)).length,
      component: theirs.filter(({ args }) => isOfBox(args)).map(({ name }) => name),
    };
  },
});
