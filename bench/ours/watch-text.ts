import type { StreamPosition } from "@gleaner/queue";
import type { ConvexClient } from "convex/browser";
import { api } from "./api.ts";

/** Follows a job's text from position to position until it is complete. */
export function watchText(client: ConvexClient, jobId: string, onText: (text: string) => void): () => void {
  let text = "";
  let unsubscribe: () => void = () => undefined;
  const follow = (after?: StreamPosition): void => {
    const asked = { jobId, ...(after === undefined ? {} : { after }) };
    unsubscribe = client.onUpdate(api.jobs.watch, asked, ({ status, attemptId, chunks, result }) => {
      const last = chunks.at(-1);
      if (attemptId !== null && last !== undefined) {
        text = (attemptId === after?.attemptId ? text : "") + chunks.map((chunk) => chunk.text).join("");
        unsubscribe();
        follow({ attemptId, seq: last.seq });
      }
      if (status === "succeeded" && typeof result === "string") text = result;
      onText(text);
    });
  };
  follow();
  return () => unsubscribe();
}
