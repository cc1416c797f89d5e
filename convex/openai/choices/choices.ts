import type { ActionCtx } from "../../_generated/server.js";
import {
  type AnswerHead,
  headOf,
  type TextForm,
  textOf,
  type TextResult,
  totalUsage,
  usageBody,
} from "../answerForm.ts";
import { chunkEvents, type Total } from "../chunkEvents.ts";
import { endOfJobs } from "../follow.ts";
import { idsOf, type RequestedJob } from "../requestedJob.ts";
import { answerHeaders, jobErrorResponse, json, totalCost } from "../respond.ts";
import { streamTexts } from "../stream.ts";
import { choiceForm, choicesOf } from "./choiceForm.ts";

type Answer = {
  readonly form: TextForm;
  /** The beginning of the call: milliseconds since the epoch. */
  readonly created: number;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** Aborts when the client has left or the server stops. */
  readonly signal: AbortSignal | undefined;
};

/**
 * Answers a call that wants several choices, each of which is a job. The choices are in the order of the jobs, and the answer has
 * the id of the first.
 */
export async function answerChoices(
  ctx: ActionCtx,
  jobs: readonly [RequestedJob, ...RequestedJob[]],
  answer: Answer,
): Promise<Response> {
  const head = headOf(jobs[0], answer.created);
  return await (answer.stream ? streamChoices : wholeChoices)(ctx, jobs, head, answer);
}

async function streamChoices(
  ctx: ActionCtx,
  jobs: readonly [RequestedJob, ...RequestedJob[]],
  head: AnswerHead,
  { form, includeUsage, signal }: Answer,
): Promise<Response> {
  const ended: Total[] = [];
  const totalOf = (total: Total): Total | null => {
    ended.push(total);
    if (ended.length < jobs.length) return null;
    const costs = ended.map(({ cost }) => cost);
    return {
      usage: totalUsage(ended.map(({ usage }) => usage)),
      cost: totalCost(costs, jobs[0].pricePercent),
    };
  };
  return await streamTexts(ctx, jobs, signal, (index) =>
    chunkEvents(choiceForm(form, index), head, includeUsage, { totalOf }),
  );
}

async function wholeChoices(
  ctx: ActionCtx,
  jobs: readonly [RequestedJob, ...RequestedJob[]],
  head: AnswerHead,
  { form, signal }: Answer,
): Promise<Response> {
  const end = await endOfJobs(ctx, jobs, signal);
  if (end.kind === "failed") return jobErrorResponse(end.error, end.jobId);
  const { ends: answered } = end;
  const cost = totalCost(
    answered.map(({ view }) => view),
    jobs[0].pricePercent,
  );
  const headers = answerHeaders({ ...jobs[0], jobId: idsOf(jobs) }, cost);
  const results = answered.map(({ result }) => textOf(result));
  return json(200, wholeBody(form, head, results), headers);
}

/** The body of an answer with several choices. Its usage is that of all of them. */
export function wholeBody(form: TextForm, head: AnswerHead, results: readonly TextResult[]): object {
  const bodies = results.map((result, index) => choiceForm(form, index).whole(head, result));
  const choices = bodies.flatMap((body) => choicesOf(body));
  const usage = usageBody(totalUsage(results.map((result) => result.usage)));
  return { ...bodies[0], choices, usage };
}
