import {
  PersistentTextStreaming,
  type StreamId,
  StreamIdValidator,
} from "@convex-dev/persistent-text-streaming";
import { httpAction, mutation, query } from "./_generated/server";
import { components } from "./components";

const streaming = new PersistentTextStreaming(components.persistentTextStreaming);

export const create = mutation({ args: {}, handler: (ctx) => streaming.createStream(ctx) });

export const body = query({
  args: { streamId: StreamIdValidator },
  handler: (ctx, { streamId }) => streaming.getStreamBody(ctx, streamId as StreamId),
});

export const remove = mutation({
  args: { streamId: StreamIdValidator },
  handler: (ctx, { streamId }) => streaming.deleteStream(ctx, streamId as StreamId),
});

/** Writes the request's parts, one after the other, as a model would. "fail" fails. */
export const stream = httpAction(async (ctx, request) => {
  const { streamId, parts } = (await request.json()) as { streamId: StreamId; parts: string[] };
  const response = await streaming.stream(ctx, request, streamId, async (_ctx, _request, _id, append) => {
    for (const part of parts) {
      if (part === "fail") throw new Error("The model failed");
      await append(part);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  });
  response.headers.set("Access-Control-Allow-Origin", "*");
  response.headers.set("Vary", "Origin");
  return response;
});
