import { attemptStatus, type AttemptView, tooSlow } from "@gleaner/queue/validators";
import type { PaginationOptions, PaginationResult } from "convex/server";
import { type Infer, v } from "convex/values";
import { literals, parse, validate } from "convex-helpers/validators";
import { payWords } from "../../../app/contract/sentences/pay-words.ts";
import type { HistoryRow } from "../../../app/contract/snapshot.ts";
import type { JobEnergy } from "../../../app/energy/job-energy.ts";
import type { Usage } from "../../../app/jobs/chat.ts";
import { priceOf } from "../../../app/money/credits.ts";
import { spans } from "../../../app/statistics/spans.ts";
import type { Pay } from "../../../app/trust/case.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { boundedText } from "../refuse.ts";
import { deviceReport, jobEnergy } from "../validators/answers.ts";
import { priceParts, reply } from "../validators/prices.ts";

const payFormula = v.object({
  promptTokens: v.number(),
  completionTokens: v.union(v.number(), v.null()),
  promptMicro: v.string(),
  completionMicro: v.string(),
  percent: v.number(),
  parts: v.optional(priceParts),
  version: v.optional(v.string()),
});

const payCheck = v.union(
  v.object({ kind: literals("held", "refused") }),
  v.object({ kind: v.literal("taken"), micro: v.string() }),
);

const answerReason = v.union(
  v.object({
    kind: v.literal("paid"),
    formula: payFormula,
    limited: v.boolean(),
    bonus: v.optional(v.object({ micro: v.string(), percent: v.number() })),
    check: v.optional(payCheck),
  }),
  v.object({ kind: literals("own-job", "unheard"), check: v.optional(payCheck) }),
);

const payForPart = v.object({
  formula: v.optional(payFormula),
  limit: v.optional(literals("half", "rest")),
});

/** A `PayReason`. */
const payReason = v.union(
  answerReason,
  v.object({
    kind: v.literal("outrun"),
    slow: v.boolean(),
    part: v.optional(payForPart),
  }),
  v.object({ kind: v.literal("released"), reason: v.optional(v.string()) }),
  v.object({
    kind: v.literal("failed"),
    error: v.optional(v.object({ code: v.string(), message: v.string() })),
  }),
  v.object({ kind: literals("stolen", "lost", "canceled", "expired") }),
);

export const historyRow = v.object({
  attemptId: v.string(),
  kind: v.string(),
  modelId: v.string(),
  status: attemptStatus,
  startedAt: v.number(),
  endedAt: v.union(v.number(), v.null()),
  promptTokens: v.number(),
  completionTokens: v.number(),
  earnedMicro: v.string(),
  /** Null: its device did not tell it, or did not answer. */
  energy: v.union(jobEnergy, v.null()),
  /** Absent while it runs, and for members who may not see money. */
  pay: v.optional(payReason),
  /** The same in English, for programs that do not know `pay`. Empty without one. */
  explanation: v.string(),
});

/** The wanted attempts of a history. */
export const historyFilter = v.object({
  /** A part of the model's name. Upper and lower case are equal. */
  model: v.optional(v.string()),
  kind: v.optional(v.string()),
  status: v.optional(attemptStatus),
  /** The attempt ended at or after `from`, and before `to`; ms epoch. An open one counts by its start. */
  from: v.optional(v.number()),
  to: v.optional(v.number()),
});
type HistoryFilter = Infer<typeof historyFilter>;

const maxSearchChars = 200;
/** The pages that one call reads in search of attempts: some thousand rows. */
const mostPages = 10;
/** No attempt takes so long, so an older one cannot have ended in the wanted time. */
const longestAttemptMs = 7 * spans.day;

/**
 * A page of a device's attempts, newest first. It reads on until the page is full, up to some thousand attempts. Refuses:
 * invalid.
 */
export async function historyPage(
  ctx: QueryCtx,
  { organizationId, workerId }: Pick<Doc<"devices">, "organizationId" | "workerId">,
  filter: HistoryFilter,
  paginationOpts: PaginationOptions,
): Promise<PaginationResult<AttemptView>> {
  for (const text of [filter.model, filter.kind]) {
    if (text !== undefined) boundedText(text, "A search text", maxSearchChars);
  }
  const found: AttemptView[] = [];
  const { numItems, endCursor } = paginationOpts;
  // A page with a given end is whole already.
  const most = endCursor == null ? mostPages : 1;
  let { cursor } = paginationOpts;
  for (let pages = 1; ; pages += 1) {
    const page = await queue.workers.history(ctx, organizationId, {
      workerId,
      paginationOpts: { ...paginationOpts, cursor },
    });
    found.push(...page.page.filter((attempt) => isWanted(attempt, filter)));
    const oldest = page.page.at(-1);
    const isPast = oldest !== undefined && oldest.claimedAt < (filter.from ?? 0) - longestAttemptMs;
    const isDone = page.isDone || isPast;
    if (isDone || found.length >= numItems || pages === most) return { ...page, isDone, page: found };
    cursor = page.continueCursor;
  }
}

function isWanted(
  { model, kind, status, claimedAt, endedAt }: AttemptView,
  { from = -Infinity, to = Infinity, ...wanted }: HistoryFilter,
): boolean {
  const at = endedAt ?? claimedAt;
  return (
    (wanted.model === undefined || (model ?? "").toLowerCase().includes(wanted.model.trim().toLowerCase())) &&
    (wanted.kind === undefined || kind === wanted.kind) &&
    (wanted.status === undefined || status === wanted.status) &&
    at >= from &&
    at < to
  );
}

/** The pay of an answer after checks. `takenMicro`: the part that was taken back because the answer was wrong. */
export type CheckedPay = { readonly pay: Pay; readonly takenMicro: bigint };

/**
 * One attempt as its donor sees it, with the reason for its pay. Never the prompt.
 * @param checked of an answer whose pay was held or taken back.
 */
export function historyRowOf(
  attempt: AttemptView,
  checked: CheckedPay = { pay: "paid", takenMicro: 0n },
): Infer<typeof historyRow> & HistoryRow {
  const paid = attempt.status === "succeeded" ? paidOf(attempt) : null;
  const told = paid?.earnedMicro ?? partOf(attempt);
  const kept = checked.pay === "refused" ? 0n : told - checked.takenMicro;
  const pay = paid === null ? endReason(attempt) : withCheck(paidReason(paid, attempt.kind), checked);
  return {
    attemptId: attempt.attemptId,
    kind: attempt.kind,
    modelId: attempt.model ?? "",
    status: attempt.status,
    startedAt: attempt.claimedAt,
    endedAt: attempt.endedAt,
    promptTokens: paid?.usage.promptTokens ?? 0,
    completionTokens: paid?.usage.completionTokens ?? 0,
    earnedMicro: String(kept),
    energy: paid?.energy ?? null,
    ...(pay === null ? { explanation: "" } : { pay, explanation: payWords(pay) ?? "" }),
  };
}

type Reply = Infer<typeof reply>;
type Paid = Reply & { readonly usage: Usage; readonly energy: JobEnergy | null };
type Formula = Infer<typeof payFormula>;
/** Why an answer earned what it earned. */
type AnswerReason = Infer<typeof answerReason>;

function paidOf(attempt: AttemptView): Paid {
  const { usage, energy = null } = parse(deviceReport, attempt.report);
  return { ...parse(reply, attempt.reply), usage, energy };
}

/** What a device earned for its part of an answer that another one finished. */
function partOf(attempt: AttemptView): bigint {
  return outrunReply(attempt)?.outrunMicro ?? 0n;
}

function outrunReply({ status, reply: paid }: AttemptView): Reply | null {
  return status === "outrun" && validate(reply, paid) ? paid : null;
}

function paidReason(paid: Paid, kind: string): AnswerReason {
  const { usage, price, pricePercent: percent = 100, earnedMicro, bonusMicro = 0n, bonusPercent = 0 } = paid;
  if (paid.unheard === true) return { kind: "unheard" };
  if (paid.ownJob === true) return { kind: "own-job" };
  return {
    kind: "paid",
    formula: formulaOf(paid, usage, kind),
    limited: earnedMicro - bonusMicro !== priceOf({ ...price, percent }, usage),
    ...(bonusMicro === 0n ? {} : { bonus: { micro: String(bonusMicro), percent: bonusPercent } }),
  };
}

function withCheck(reason: AnswerReason, { pay, takenMicro }: CheckedPay): AnswerReason {
  if (pay !== "paid") return { ...reason, check: { kind: pay } };
  return takenMicro === 0n ? reason : { ...reason, check: { kind: "taken", micro: String(takenMicro) } };
}

function formulaOf(
  { price, pricePercent: percent = 100, priceParts: parts, priceVersion: version }: Reply,
  { promptTokens, completionTokens }: Usage,
  kind: string,
): Formula {
  return {
    promptTokens,
    completionTokens: kind === "embedding" || kind === "replay" ? null : completionTokens,
    promptMicro: String(price.promptMicro),
    completionMicro: String(price.completionMicro),
    percent,
    ...(parts === undefined ? {} : { parts }),
    ...(version === undefined ? {} : { version }),
  };
}

/** Why an attempt ended without an answer that counts. Null: it has not ended. */
function endReason(attempt: AttemptView): Infer<typeof payReason> | null {
  const { status, releaseReason: reason, error } = attempt;
  switch (status) {
    case "released":
      return reason === null ? { kind: "released" } : { kind: "released", reason };
    case "failed": {
      if (error === null) return { kind: "failed" };
      const { code, message } = error;
      return { kind: "failed", error: { code, message } };
    }
    case "outrun": {
      const part = partReason(attempt);
      return { kind: "outrun", slow: reason === tooSlow, ...(part === null ? {} : { part }) };
    }
    case "stolen":
    case "lost":
    case "canceled":
    case "expired":
      return { kind: status };
    case "prefetched":
    case "running":
    case "succeeded":
      return null;
  }
}

/** The explanation of the pay for a part of an answer. Null: it got no pay. */
function partReason(attempt: AttemptView): Infer<typeof payForPart> | null {
  const paid = outrunReply(attempt);
  if (paid === null || (paid.outrunMicro ?? 0n) === 0n) return null;
  const { outrunUsage, outrunLimit: limit } = paid;
  if (outrunUsage === undefined) return {};
  return {
    formula: formulaOf(paid, outrunUsage, attempt.kind),
    ...(limit === undefined ? {} : { limit }),
  };
}
