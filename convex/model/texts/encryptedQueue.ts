import { type JobInput, Queue, type StreamPosition, type SubmitOptions } from "@gleaner/queue";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { decryptValue, encryptValue, writingKey } from "./storedTexts.ts";

/** The queue with encrypted payloads, results and streamed texts, if the deployment has a key. Scopes are organizations. */
export class EncryptedQueue extends Queue {
  override async submitMany(
    ctx: MutationCtx,
    scope: Id<"organizations">,
    jobs: readonly JobInput[],
    options: SubmitOptions = {},
  ) {
    const key = await writingKey(ctx, scope);
    const stored = jobs.map((job) => ({ ...job, payload: encryptValue(key, job.payload, "payload") }));
    return await super.submitMany(ctx, scope, stored, options);
  }

  override async payload(ctx: QueryCtx, scope: string, jobId: string) {
    const found = await super.payload(ctx, scope, jobId);
    const payload = found === null ? null : await decryptValue(ctx, found.payload, "payload");
    return found === null || payload === null ? null : { ...found, payload };
  }

  override async result(ctx: QueryCtx, scope: string, jobId: string) {
    const found = await super.result(ctx, scope, jobId);
    const result = found === null ? null : await decryptValue(ctx, found.result, "result");
    return found === null || result === null ? null : { ...found, result };
  }

  override async watch(ctx: QueryCtx, scope: string, jobId: string, after?: StreamPosition) {
    const view = await super.watch(ctx, scope, jobId, after);
    const { result, chunks } = view;
    const [read, opened] = await Promise.all([
      result === undefined ? undefined : decryptValue(ctx, result, "result"),
      Promise.all(chunks.map(async (chunk) => await decryptChunk(ctx, chunk))),
    ]);
    return { ...view, chunks: opened, ...(read === undefined ? {} : { result: read }) };
  }
}

type Chunk = Awaited<ReturnType<Queue["watch"]>>["chunks"][number];

/** A chunk whose key was destroyed has no text. */
async function decryptChunk(ctx: QueryCtx, chunk: Chunk): Promise<Chunk> {
  const [stored] = chunk.data ?? [];
  if (!(stored instanceof ArrayBuffer)) return chunk;
  const content = (await decryptValue(ctx, stored, "chunk")) as Pick<Chunk, "text" | "data"> | null;
  return { seq: chunk.seq, ...(content ?? { text: "" }) };
}
