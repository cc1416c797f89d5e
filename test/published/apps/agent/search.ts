import { Agent, searchThreadTitles } from "@convex-dev/agent";
import { v } from "convex/values";
import { action, query } from "./_generated/server";
import { components } from "./components";
import { embeddingModel, model } from "./model";

const agent = new Agent(components.agent, { name: "Librarian", languageModel: model, embeddingModel });

/** Saves messages with their embeddings. */
export const save = action({
  args: { threadId: v.string(), userId: v.string(), texts: v.array(v.string()) },
  handler: async (ctx, { texts, ...thread }) => {
    const messages = texts.map((content) => ({ role: "user" as const, content }));
    await agent.saveMessages(ctx, { ...thread, messages });
  },
});

/** The texts of earlier messages that a search finds, of one thread or of all threads of its user. */
export const find = action({
  args: {
    by: v.union(v.literal("text"), v.literal("vector"), v.literal("both")),
    searchText: v.string(),
    userId: v.string(),
    threadId: v.optional(v.string()),
    limit: v.optional(v.number()),
  },
  handler: async (ctx, { by, searchText, userId, threadId, limit }): Promise<(string | undefined)[]> => {
    const found = await agent.fetchContextMessages(ctx, {
      userId,
      threadId,
      searchText,
      contextOptions: {
        recentMessages: 0,
        searchOtherThreads: threadId === undefined,
        searchOptions: {
          limit: limit ?? 2,
          textSearch: by !== "vector",
          vectorSearch: by !== "text",
          messageRange: { before: 0, after: 0 },
        },
      },
    });
    return found.map(({ text }) => text);
  },
});

export const titles = query({
  args: { userId: v.string(), words: v.string() },
  handler: async (ctx, { userId, words }) =>
    (await searchThreadTitles(ctx, components.agent, { userId, query: words })).map(({ title }) => title),
});
