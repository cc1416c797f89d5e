import { api } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { type Backend, type Device, answer } from "./backend.fixture.ts";

export type Work = {
  readonly jobId: Id<"jobs">;
  readonly attemptId: Id<"attempts">;
  readonly watched: boolean;
  readonly prompt: string;
  readonly append: (seq: number, text: string) => Promise<void>;
  readonly complete: (text: string) => Promise<void>;
};

/** Takes the next ready job, as a device would: waits for one, claims it, hands it to `work`. */
export async function takeJob(t: Backend, device: Device, work: (job: Work) => Promise<void>): Promise<void> {
  const { deviceKey } = device;
  for (;;) {
    const [candidate] = await t.query(api.work.ready, { deviceKey });
    if (candidate === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      continue;
    }
    const claimed = await t.mutation(api.work.claim, { deviceKey, jobId: candidate.jobId });
    if (claimed.kind !== "claimed") continue;
    const { attemptId, jobId, request, watched } = claimed;
    await work({
      jobId,
      attemptId,
      watched,
      prompt: request.messages.map(({ content }) => content).join("\n"),
      append: async (seq, text) => {
        await t.mutation(api.work.append, { deviceKey, attemptId, seq, text });
      },
      complete: async (text) => {
        await t.mutation(api.work.complete, {
          deviceKey,
          attemptId,
          result: answer(text),
          wantsNext: false,
        });
      },
    });
    return;
  }
}
