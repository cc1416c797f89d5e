import { shownId, unixSeconds } from "../../../app/batches/openai-objects.ts";
import { callPaths } from "../../../app/jobs/call-forms.ts";
import { needsText } from "../../../app/keys/parse-needs.ts";
import type { RequesterJob } from "../../model/requests/requesterJob.ts";
import { serviceTiers, usageBody } from "../answerForm.ts";
import { correctionBody, energyBody, waitBody } from "../respond.ts";
import { queueBody } from "../wait/waiting.ts";

/** The path of a job is this and its id. */
export const jobsPath = "/v1/jobs/";

/** The usual calls for jobs of these kinds. */
const endpoints = {
  chat: "/v1/chat/completions",
  completion: "/v1/completions",
  embedding: "/v1/embeddings",
  tokens: "/v1/tokenize",
} as const satisfies Readonly<Record<RequesterJob["kind"], string>>;

/** The fields of a call of several jobs that a job does not have. */
type Several = { readonly id: string; readonly jobIds: readonly string[]; readonly isRanking: boolean };

/** A job over HTTP, or a call of several jobs. Times are seconds since the epoch, as in OpenAI's objects. */
export function jobBody(job: RequesterJob, several: Several | null = null): object {
  const {
    jobId,
    kind,
    callForm,
    status,
    waitsFor,
    outlook,
    usage,
    energy,
    priceMicro,
    error,
    foundWrong,
    corrects,
  } = job;
  const id = several?.id ?? jobId;
  const usual = several?.isRanking === true ? "/v1/rerank" : endpoints[kind];
  return {
    id,
    object: "job",
    endpoint: callForm === null ? usual : callPaths[callForm],
    status,
    waits_for: waitBody(waitsFor),
    model: job.modelId,
    requirements: needsText(job.requires) || null,
    queue: queueBody(outlook),
    service_tier: serviceTiers[job.priority],
    created_at: unixSeconds(job.submittedAt),
    started_at: job.startedAt === null ? null : unixSeconds(job.startedAt),
    ended_at: job.finishedAt === null ? null : unixSeconds(job.finishedAt),
    attempts: job.attempts,
    usage: usage === null ? null : usageBody(usage),
    energy: energyBody(energy),
    price: several === null ? priceBody(job) : null,
    price_percent: job.pricePercent,
    price_micro: priceMicro === null ? null : String(priceMicro),
    error,
    result_url: status === "succeeded" ? `${jobsPath}${id}/result` : null,
    receipt_url: status === "succeeded" && several === null ? `${jobsPath}${id}/receipt` : null,
    found_wrong:
      foundWrong === null
        ? null
        : {
            at: unixSeconds(foundWrong.at),
            ...correctionBody(foundWrong),
          },
    corrects,
    jobs: several === null ? null : several.jobIds,
    call: several === null && job.call !== null ? shownId("call", job.call) : null,
  };
}

/** How a price comes about: micro-credits per token, the percent of them, and the version. */
export function priceBody({
  price,
  pricePercent,
  priceVersion,
}: Pick<RequesterJob, "price" | "pricePercent" | "priceVersion">): object {
  return {
    version: priceVersion,
    prompt_micro: String(price.promptMicro),
    completion_micro: String(price.completionMicro),
    percent: pricePercent,
  };
}
