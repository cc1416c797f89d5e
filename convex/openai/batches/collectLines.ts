import type { BatchEndpoint } from "../../../app/batches/limits.ts";
import type { Usage } from "../../../app/jobs/chat.ts";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";
import { anthropicError, messageBody } from "../../anthropic/messageBody.ts";
import { addUsage, charsAtOnce, type EndedJob, type EndedLine } from "../../model/batches/collect.ts";
import type { OpenPart, StoredPart } from "../../model/files/seals.ts";
import type { RefusalCode } from "../../model/refuse.ts";
import type { RequestView } from "../../model/requests/watch.ts";
import { type TextForm, textOf, totalUsage } from "../answerForm.ts";
import { chatForm } from "../chatForm.ts";
import { wholeBody } from "../choices/choices.ts";
import { completionForm } from "../completionForm.ts";
import { allVectors, type Encoding, vectorsBody, vectorsMistake } from "../embeddings/vectorsBody.ts";
import { endOf, errorOf, type PromptField } from "../errors.ts";
import { contentIn } from "../files/readParts.ts";
import { deleteUnlessOk, storeContent } from "../files/storeContent.ts";
import { outcomeOf } from "../outcome.ts";
import { type ApiError, errorBody } from "../respond.ts";
import { endStatus, parseEcho, responseBody, type ResponseHead } from "../responses/responseBody.ts";

/** A Convex action ends after ten minutes. Another one goes on. */
const stepMs = 4 * 60_000;

type Batch = {
  readonly keyId: Id<"apiKeys">;
  readonly batchId: Id<"batches">;
  readonly endpoint: BatchEndpoint;
  readonly isCanceled: boolean;
};

/**
 * Writes the ends of a batch's requests into its files, until there are no more. A step that was cut off has changed nothing, and
 * neither has one that another step overtook. The next one writes the same ends.
 * @param emptyLooks how often its collection has found nothing since it wrote lines
 */
export async function collectLines(
  ctx: ActionCtx,
  batchId: Id<"batches">,
  emptyLooks: number,
): Promise<void> {
  let empty = emptyLooks;
  const until = Date.now() + stepMs;
  while (Date.now() < until) {
    const step = await ctx.runQuery(internal.batches.nextCollection, { batchId });
    if (step === null) return;
    const { lines, tails, ...batch } = step;
    if (lines.length === 0) {
      empty += 1;
      if (await ctx.runMutation(internal.batches.restCollection, { batchId, emptyLooks: empty })) return;
    } else {
      empty = 0;
      await addLines(ctx, { batchId, ...batch }, await withJobs(ctx, lines), tails);
    }
  }
  await ctx.scheduler.runAfter(0, internal.batchSteps.collect, { batchId });
}

/** A request that has ended, with all its jobs, if it has answers. */
type ReadLine = EndedLine & { readonly jobs: readonly EndedJob[] };

/** Reads the jobs of requests that are several. Stops once that is enough for a step, so it may return fewer requests. */
async function withJobs(ctx: ActionCtx, lines: readonly EndedLine[]): Promise<readonly ReadLine[]> {
  const read: ReadLine[] = [];
  let chars = 0;
  for (const line of lines) {
    if (chars > charsAtOnce) break;
    const jobs: EndedJob[] = line.job === null ? [] : [line.job];
    // After a failure they are read, too: the answered ones were paid.
    for (const jobId of line.jobIds ?? []) {
      const part = await ctx.runQuery(internal.batches.partOfLine, { jobId });
      jobs.push(part.job);
      chars += part.chars;
    }
    read.push({ ...line, jobs });
  }
  return read;
}

type Tails = { readonly output: OpenPart | null; readonly error: OpenPart | null };

async function addLines(
  ctx: ActionCtx,
  batch: Batch,
  lines: readonly ReadLine[],
  tails: Tails,
): Promise<void> {
  const ends = lines.map((line) => endOfLine(batch, line));
  const answers = ends.filter((end) => end.isAnswer);
  const errors = ends.filter((end) => !end.isAnswer);
  const stored: StoredPart[] = [];
  const added = await deleteUnlessOk(ctx, stored, async () => {
    const output = await store(ctx, batch, answers, tails.output, stored);
    const error = await store(ctx, batch, errors, tails.error, stored);
    const adding = ctx.runMutation(internal.batches.addLines, {
      batchId: batch.batchId,
      endIds: lines.map(({ endId }) => endId),
      output,
      error,
      completed: answers.length,
      failed: errors.length,
      expired: errors.filter(({ isExpired }) => isExpired).length,
      usage: answers.reduce<Usage>(
        (sum, { usage }) => (usage === null ? sum : addUsage(sum, usage)),
        noUsage,
      ),
      priceMicro: ends.reduce((sum, { priceMicro }) => sum + priceMicro, 0n),
    });
    const outcome = await outcomeOf(adding);
    return outcome.kind === "ok" && !outcome.value ? { kind: "added before" as const } : outcome;
  });
  if (added.kind === "failed") throw added.thrown;
}

const noUsage: Usage = { promptTokens: 0, completionTokens: 0 };

/**
 * Stores lines behind the content of a file's last part, if that has room. Null: there are no lines. Adds to `stored` what it
 * stores, also if it fails.
 */
async function store(
  ctx: ActionCtx,
  { keyId }: Batch,
  ends: readonly LineEnd[],
  tail: OpenPart | null,
  stored: StoredPart[],
) {
  if (ends.length === 0) return null;
  const before: Uint8Array<ArrayBuffer>[] = [];
  const blob = tail === null ? null : await ctx.storage.get(tail.storageId);
  if (tail !== null && blob !== null) {
    for await (const chunk of contentIn(blob, tail, { from: 0, to: tail.bytes })) before.push(chunk);
  }
  const parts: StoredPart[] = [];
  try {
    await storeContent(ctx, keyId, withLines(before, ends), parts);
  } finally {
    stored.push(...parts);
  }
  return { parts, tail: tail?.storageId ?? null, replaces: blob !== null };
}

function* withLines(
  before: readonly Uint8Array<ArrayBuffer>[],
  ends: readonly LineEnd[],
): Generator<Uint8Array<ArrayBuffer>> {
  yield* before;
  const encoder = new TextEncoder();
  for (const { body } of ends) yield encoder.encode(`${JSON.stringify(body)}\n`);
}

type Result = NonNullable<RequestView["result"]>;
/** Those of all jobs of a request, in the order of its answer. */
type Results = readonly [Result, ...Result[]];

type LineForm = {
  readonly promptField: PromptField;
  readonly body: (head: ResponseHead, results: Results, encoding: Encoding) => object;
  /** Why the answer cannot be written. Absent: it always can. */
  readonly mistake?: (results: Results, encoding: Encoding) => ApiError | null;
  /** Absent: OpenAI's error object. */
  readonly error?: (error: ApiError) => object;
};

function textForm(promptField: PromptField, form: TextForm): LineForm {
  return {
    promptField,
    body: (head, results) => wholeBody(form, head, results.map(textOf)),
  };
}

/** The bodies with which a line's own call would have answered. */
const lineForms: Readonly<Record<BatchEndpoint, LineForm>> = {
  "/v1/chat/completions": textForm("messages", chatForm),
  "/v1/completions": textForm("prompt", completionForm),
  "/v1/embeddings": {
    promptField: "input",
    body: ({ model }, results, encoding) => vectorsBody(model, encoding, allVectors(results)),
    mistake: (results, encoding) => {
      const { embeddings } = allVectors(results);
      return vectorsMistake(encoding, embeddings[0] ?? "", embeddings.length);
    },
  },
  "/v1/messages": {
    promptField: "messages",
    body: (head, [result]) => messageBody(head, textOf(result)),
    error: anthropicError,
  },
  "/v1/responses": {
    promptField: "input",
    body: (head, [result]) => {
      const text = textOf(result);
      return responseBody(head, endStatus(text), { result: text });
    },
  },
};

/** A line of a batch's output or error file. */
type LineEnd = {
  readonly body: object;
  readonly isAnswer: boolean;
  /** The time of the batch was over before the request had an answer. */
  readonly isExpired: boolean;
  readonly usage: Usage | null;
  readonly priceMicro: bigint;
};

function endOfLine({ batchId, endpoint, isCanceled }: Batch, ended: ReadLine): LineEnd {
  const { line, customId, jobId, failure, jobs } = ended;
  const form = lineForms[endpoint];
  const requestId = jobId ?? `${batchId}-${String(line)}`;
  const head = { id: `batch_req_${requestId}`, custom_id: customId };
  const response = (status: number, body: object): object => ({
    ...head,
    response: { status_code: status, request_id: requestId, body },
    error: null,
  });
  // An answer that was deleted before its end was collected has cost its price, and so have those of a request that failed.
  const priceMicro = jobs.reduce((sum, { view }) => sum + (view.priceMicro ?? 0n), 0n);
  const results = failure === null ? resultsOf(jobs) : null;
  const encoding = jobs[0]?.base64 === true ? "base64" : "float";
  const mistake = results === null ? null : (form.mistake?.(results, encoding) ?? null);
  const [job] = jobs;
  if (job !== undefined && results !== null && mistake === null) {
    const { createdAt: created, modelId: model, sha256, view, echo } = job;
    const jobHead = {
      jobId: requestId,
      created,
      model,
      sha256,
      priority: view.priority,
      echo: parseEcho(echo),
    };
    const usage = totalUsage(results.map((result) => result.usage));
    const body = response(200, form.body(jobHead, results, encoding));
    return { body, isAnswer: true, isExpired: false, usage, priceMicro };
  }
  const why = whyCutOff(failure, isCanceled);
  const body =
    why === null
      ? withStatus(mistake ?? errorOfLine(failure, jobs, endpoint), endpoint, response)
      : { ...head, response: null, error: { code: why, message: cutOffWords[why] } };
  return { body, isAnswer: false, isExpired: why === "batch_expired", usage: null, priceMicro };
}

/** The results of all jobs of a request; null if it never had a job, or one of them is gone. */
function resultsOf(jobs: readonly EndedJob[]): Results | null {
  const [first, ...others] = jobs.flatMap(({ view }) => (view.result === null ? [] : [view.result]));
  return first === undefined || others.length + 1 < jobs.length ? null : [first, ...others];
}

const cutOffWords = {
  batch_expired: "The batch's time was over before this request had an answer.",
  batch_cancelled: "The batch was canceled before this request had an answer.",
} as const;

/** Why a request ended with its batch. Null: it ended by itself. */
function whyCutOff(failure: EndedLine["failure"], isCanceled: boolean): keyof typeof cutOffWords | null {
  if (failure?.kind === "dropped") return failure.why;
  if (failure?.kind !== "ended") return null;
  if (failure.status === "expired") return "batch_expired";
  // A cancel with a reason has its own error.
  return isCanceled && failure.status === "canceled" && failure.error === null ? "batch_cancelled" : null;
}

function errorOfLine(
  failure: EndedLine["failure"],
  jobs: readonly EndedJob[],
  endpoint: BatchEndpoint,
): ApiError {
  const { promptField } = lineForms[endpoint];
  if (failure?.kind === "error") return failure;
  if (failure?.kind === "refused") {
    const { code, message } = failure;
    return errorOf({ kind: "refused", refusal: { code: code as RefusalCode, message } }, promptField);
  }
  const gone = jobs.find(({ view }) => view.result === null);
  const end = failure?.kind === "ended" ? { ...failure, result: null } : gone?.view;
  const error = end === undefined ? null : endOf(end, promptField);
  if (error === null) throw new Error("a request of a batch has not ended");
  return error;
}

function withStatus(
  error: ApiError,
  endpoint: BatchEndpoint,
  response: (status: number, body: object) => object,
): object {
  const { error: form = errorBody } = lineForms[endpoint];
  return response(error.status, form(error));
}
