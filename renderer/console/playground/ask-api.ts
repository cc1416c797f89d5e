import { parseJson } from "../../../app/json.ts";
import type { ApiCall } from "./playground-request.ts";
import { type Answer, type ApiFailure, eventBodies, failureOf, noAnswer, withBody } from "./read-answer.ts";

/** A call of the API and its answer, as far as they have come. Times are milliseconds since the call was sent. */
export type Progress = {
  readonly answer: Answer;
  /** The job's id, once the API has told it. */
  readonly jobId: string | null;
  readonly firstTokenMs: number | null;
  readonly end:
    | null
    | { readonly kind: "done" | "stopped"; readonly ms: number }
    | { readonly kind: "failed"; readonly ms: number; readonly failure: ApiFailure };
};

export const nothingYet: Progress = { answer: noAnswer, jobId: null, firstTokenMs: null, end: null };

type Options = {
  readonly apiBase: string;
  readonly apiKey: string;
  readonly call: ApiCall;
  /** Aborts when the person stops the answer. The API then cancels the job. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  readonly get?: typeof fetch;
  /** A clock in milliseconds. */
  readonly clock?: () => number;
};

/** Calls the API as any program does, and tells each step. Never rejects. */
export async function askApi({
  apiBase,
  apiKey,
  call,
  signal,
  onProgress,
  get = fetch,
  clock = () => performance.now(),
}: Options): Promise<Progress> {
  const startedAt = clock();
  const since = (): number => clock() - startedAt;
  let progress = nothingYet;
  const step = (change: Partial<Progress>): void => {
    progress = { ...progress, ...change };
    onProgress(progress);
  };
  const add = (body: unknown): void => {
    const failure = failureOf(body);
    if (failure !== null) throw new FailedCall(failure);
    const answer = withBody(progress.answer, body);
    const isFirst = progress.firstTokenMs === null && (answer.text !== "" || answer.toolCalls.length > 0);
    step(isFirst ? { answer, firstTokenMs: since() } : { answer });
  };
  try {
    const response = await get(`${apiBase}/v1/${call.path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(call.body),
      signal,
    });
    step({ jobId: response.headers.get("x-gleaner-job") });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (response.ok && isStream && response.body !== null) {
      for await (const body of eventBodies(response.body)) add(body);
    } else {
      const body = parseJson(await response.text());
      const { status } = response;
      const unknown = { code: String(status), message: `The server answered ${String(status)}.` };
      const failure = failureOf(body) ?? (response.ok ? null : unknown);
      if (failure !== null) throw new FailedCall(failure);
      step({ answer: withBody(progress.answer, body) });
    }
    step({ end: { kind: "done", ms: since() } });
  } catch (error) {
    if (signal.aborted) step({ end: { kind: "stopped", ms: since() } });
    else step({ end: { kind: "failed", ms: since(), failure: failureFrom(error) } });
  }
  return progress;
}

class FailedCall extends Error {
  readonly failure: ApiFailure;
  constructor(failure: ApiFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

function failureFrom(error: unknown): ApiFailure {
  if (error instanceof FailedCall) return error.failure;
  return { code: "unreachable", message: "The API did not answer. Check your connection and try again." };
}
