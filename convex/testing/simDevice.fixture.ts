import type { Infer } from "convex/values";
import { requestParts } from "../../app/jobs/payload/payload-parts.ts";
import { api } from "../_generated/api.js";
import type { streamItem } from "../model/validators/answers.ts";
import type { work as workValidator } from "../model/validators/requests.ts";
import { answer, type Backend, completeWith, type Device, take } from "./backend.fixture.ts";

type StreamItem = Infer<typeof streamItem>;

export type Work = {
  readonly jobId: string;
  readonly attemptId: string;
  readonly watched: boolean;
  readonly request: Infer<typeof workValidator>["request"];
  /** All texts of the request. */
  readonly prompt: string;
  /** Undefined for vectors. */
  readonly maxTokens: number | undefined;
  readonly append: (seq: number, text: string, data?: StreamItem[]) => Promise<void>;
  readonly complete: (text: string) => Promise<void>;
};

/** Waits for a ready job, takes it as a device would, and hands it to `work`. */
export async function takeJob(t: Backend, device: Device, work: (job: Work) => Promise<void>): Promise<void> {
  const { key } = device;
  let [job] = await take(t, device);
  while (job === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    [job] = await take(t, device);
  }
  const { jobId, attemptId, payload, watched } = job;
  const request = payload as Infer<typeof workValidator>["request"];
  await work({
    jobId,
    attemptId,
    watched,
    request,
    prompt: promptOf(request),
    maxTokens: "maxTokens" in request ? request.maxTokens : undefined,
    append: async (seq, text, data) => {
      const more = data === undefined ? {} : { data };
      await t.mutation(api.work.append, { key, attemptId, seq, text, ...more });
    },
    complete: async (text) => {
      await completeWith(t, device, attemptId, answer(text));
    },
  });
}

function promptOf(request: Infer<typeof workValidator>["request"]): string {
  return requestParts(request)
    .map(({ text }) => text)
    .join("\n");
}
