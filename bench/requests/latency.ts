import { repetitions } from "../support/repetitions.ts";
import { median } from "../support/statistics.ts";
import type { Requester } from "./requester.ts";
import { type StandIn, tasks } from "./stand-in.ts";

export type Latencies = {
  /** From the call to the first token, without the queue's time until the device begins. */
  readonly ttftOverheadP50: number;
  /** From the call to the whole answer, without the queue's time from the submission to the job's end. */
  readonly overheadP50: number;
  /** The part of it after the job's end. */
  readonly afterEndP50: number;
  readonly ttftP50: number;
  readonly wholeP50: number;
  readonly samples: number;
};

/** A slow machine takes fewer samples. */
const withinMs = 15_000;
const warmUps = 5;

/** Streamed and whole calls by turns, one at a time, each answered by an idle device at once. */
export async function measureLatencies(
  requester: Requester,
  standIn: StandIn,
  samples: number,
): Promise<Latencies> {
  for (let each = 0; each < warmUps; each += 1) await sample(requester, standIn);
  const taken: Sample[] = [];
  for (const _ of repetitions(samples, withinMs)) taken.push(await sample(requester, standIn));
  const p50 = (of: (each: Sample) => number): number => median(taken.map(of));
  return {
    ttftOverheadP50: p50(({ ttft, dispatch }) => ttft - dispatch),
    overheadP50: p50(({ whole, queue }) => whole - queue),
    afterEndP50: p50(({ afterEnd }) => afterEnd),
    ttftP50: p50(({ ttft }) => ttft),
    wholeP50: p50(({ whole }) => whole),
    samples: taken.length,
  };
}

/** Milliseconds. */
type Sample = {
  readonly ttft: number;
  /** Of the same job: from the submission until the device begins. */
  readonly dispatch: number;
  readonly whole: number;
  /** Of the same job: from the submission to the end. */
  readonly queue: number;
  readonly afterEnd: number;
};

async function sample(requester: Requester, standIn: StandIn): Promise<Sample> {
  const streamed = await timeToFirstToken(requester);
  const { submittedAt } = await requester.timesOf(streamed.jobId);
  const startedAt = performance.now();
  const response = await requester.chat(tasks.atOnce);
  await response.text();
  const whole = performance.now() - startedAt;
  const answeredAt = Date.now();
  const times = await requester.timesOf(jobIdOf(response));
  return {
    ttft: streamed.ms,
    dispatch: (standIn.startOf(streamed.jobId) ?? submittedAt) - submittedAt,
    whole,
    queue: times.finishedAt - times.submittedAt,
    afterEnd: answeredAt - times.finishedAt,
  };
}

/** Reads the whole stream, so that the next call finds an idle device. */
async function timeToFirstToken(
  requester: Requester,
): Promise<{ readonly ms: number; readonly jobId: string }> {
  const startedAt = performance.now();
  const response = await requester.chat(tasks.atOnce, { stream: true });
  let ms = NaN;
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (Number.isNaN(ms) && text.includes("word")) ms = performance.now() - startedAt;
  }
  if (Number.isNaN(ms)) throw new Error(`The stream had no token: ${text}`);
  return { ms, jobId: jobIdOf(response) };
}

export function jobIdOf(response: Response): string {
  return response.headers.get("x-gleaner-job") ?? "";
}
