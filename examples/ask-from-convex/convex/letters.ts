import { Gleaner } from "@gleaner/client";
import {
  actionGeneric,
  internalMutationGeneric,
  makeFunctionReference,
  mutationGeneric,
  queryGeneric,
} from "convex/server";
import { type GenericId, v } from "convex/values";

type LetterId = GenericId<"letters">;

const toJudge = makeFunctionReference<"action", { letterId: LetterId; text: string }>("letters:judge");
const toStore = makeFunctionReference<"mutation", { letterId: LetterId; mood: string }>("letters:store");

/** Convex sets the variables of the deployment. */
declare const process: { readonly env: Readonly<Record<string, string | undefined>> };

/** Stores a letter. Its mood follows when a laptop has read it. */
export const add = mutationGeneric({
  args: { text: v.string() },
  handler: async (ctx, { text }): Promise<string> => {
    const letterId = await ctx.db.insert("letters", { text, mood: null });
    await ctx.scheduler.runAfter(0, toJudge, { letterId, text });
    return letterId;
  },
});

/** Asks a model. An action may wait for ten minutes. */
export const judge = actionGeneric({
  args: { letterId: v.id("letters"), text: v.string() },
  handler: async (ctx, { letterId, text }) => {
    const { GLEANER_URL: url = "", GLEANER_API_KEY: apiKey = "", GLEANER_MODEL: model = "" } = process.env;
    const gleaner = new Gleaner({ url, apiKey });
    const completion = await gleaner.ask(
      "chat/completions",
      {
        model,
        messages: [{ role: "user", content: `Classify the sentiment:\n\n${text}` }],
        temperature: 0,
        max_completion_tokens: 8,
      },
      // If Convex runs the action again, it finds the same job.
      { idempotencyKey: letterId },
    );
    const mood = completion.choices[0]?.message.content ?? "";
    await ctx.runMutation(toStore, { letterId, mood });
  },
});

export const store = internalMutationGeneric({
  args: { letterId: v.id("letters"), mood: v.string() },
  handler: async (ctx, { letterId, mood }) => {
    await ctx.db.patch("letters", letterId, { mood });
  },
});

export const moods = queryGeneric({
  args: {},
  handler: async (ctx): Promise<(string | null)[]> => {
    const letters = await ctx.db.query("letters").take(100);
    return letters.map(({ mood }) => mood as string | null);
  },
});
