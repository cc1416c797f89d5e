import type { JobCurve, JobDetail } from "../data/rows.ts";

type Curve = {
  /** ms epoch, ascending. */
  readonly times: readonly number[];
  readonly values: readonly number[];
  readonly unit: "tokens" | "bytes";
  /** How the numbers were found. */
  readonly method: string;
};

type Attempts = Pick<JobDetail, "attempts">;

/**
 * How an answer grew. From the stored stream while there is one; afterwards from the device's report, which has no more than its
 * times. Null if nothing is known.
 */
export function tokenCurve({ attempts }: Attempts, stream: JobCurve | null): Curve | null {
  return (stream === null ? null : ofStream(attempts, stream)) ?? ofReport(attempts);
}

function ofStream(attempts: JobDetail["attempts"], { attempt: number, points }: JobCurve): Curve | null {
  const attempt = attempts.find((each) => each.number === number);
  const last = points.at(-1);
  if (attempt === undefined || last === undefined) return null;
  const tokens = attempt.work?.usage.completionTokens ?? null;
  const times = [attempt.startedAt, ...points.map(({ at }) => at)];
  const bytes = [0, ...points.map((point) => point.bytes)];
  if (tokens === null) {
    return { times, values: bytes, unit: "bytes", method: "The text that the device has streamed so far." };
  }
  return {
    times,
    values: bytes.map((each) => Math.round((tokens * each) / last.bytes)),
    unit: "tokens",
    method: "From the text as the device streamed it: the answer’s tokens, by its bytes.",
  };
}

function ofReport(attempts: JobDetail["attempts"]): Curve | null {
  const attempt = attempts.find(({ work }) => work !== null);
  const { work = null, endedAt = null } = attempt ?? {};
  if (work === null || endedAt === null || work.usage.completionTokens === 0) return null;
  const { prefillMs, generateMs } = work.timing;
  const firstToken = endedAt - generateMs;
  return {
    times: [firstToken - prefillMs, firstToken, endedAt],
    values: [0, 0, work.usage.completionTokens],
    unit: "tokens",
    method: "From the device’s report, at an even speed: no stream of this answer is stored.",
  };
}
