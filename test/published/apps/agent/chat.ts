import {
  Agent,
  createThread,
  createTool,
  listUIMessages,
  saveMessage,
  stepCountIs,
  syncStreams,
  vStreamArgs,
} from "@convex-dev/agent";
import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";
import * as z from "zod";
import { internal } from "./_generated/api";
import { action, internalAction, internalQuery, mutation, query } from "./_generated/server";
import { components } from "./components";
import { model } from "./model";

const agent = new Agent(components.agent, {
  name: "Weather agent",
  languageModel: model,
  instructions: "Answer questions about the weather.",
  tools: {
    temperature: createTool({
      description: "The temperature in a city",
      inputSchema: z.object({ city: z.string() }),
      execute: async (ctx, { city }): Promise<string> => {
        const degrees = await ctx.runQuery(internal.chat.degrees, { city });
        return degrees === null ? "unknown" : `${degrees} degrees`;
      },
    }),
  },
  stopWhen: stepCountIs(3),
});

export const degrees = internalQuery({
  args: { city: v.string() },
  handler: async (ctx, { city }) => {
    const found = ctx.db.query("temperatures").withIndex("by_city", (q) => q.eq("city", city));
    return (await found.unique())?.degrees ?? null;
  },
});

export const setDegrees = mutation({
  args: { city: v.string(), degrees: v.number() },
  handler: (ctx, temperature) => ctx.db.insert("temperatures", temperature),
});

export const start = mutation({
  args: { userId: v.string(), title: v.optional(v.string()) },
  handler: (ctx, args): Promise<string> => createThread(ctx, components.agent, args),
});

export const ask = action({
  args: { threadId: v.string(), prompt: v.string() },
  handler: async (ctx, { threadId, prompt }) => {
    const { text, steps } = await agent.generateText(ctx, { threadId }, { prompt });
    return { text, steps: steps.length };
  },
});

/** Saves a message, and lets an action stream its answer. */
export const send = mutation({
  args: { threadId: v.string(), prompt: v.string() },
  handler: async (ctx, { threadId, prompt }) => {
    const { messageId } = await saveMessage(ctx, components.agent, { threadId, prompt });
    await ctx.scheduler.runAfter(0, internal.chat.answer, { threadId, promptMessageId: messageId });
  },
});

export const answer = internalAction({
  args: { threadId: v.string(), promptMessageId: v.string() },
  handler: async (ctx, { threadId, promptMessageId }) => {
    const result = await agent.streamText(
      ctx,
      { threadId },
      { promptMessageId },
      { saveStreamDeltas: { chunking: "word", throttleMs: 50 } },
    );
    await result.consumeStream();
  },
});

export const messages = query({
  args: { threadId: v.string(), paginationOpts: paginationOptsValidator, streamArgs: vStreamArgs },
  handler: async (ctx, args) => {
    const page = await listUIMessages(ctx, components.agent, args);
    return { ...page, streams: await syncStreams(ctx, components.agent, args) };
  },
});

export const remove = action({
  args: { threadId: v.string() },
  handler: (ctx, { threadId }) => agent.deleteThreadSync(ctx, { threadId }),
});
