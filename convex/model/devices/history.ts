import { attemptStatus, type AttemptView, tooSlow } from "@gleaner/queue/validators";
import type { PaginationOptions, PaginationResult } from "convex/server";
import { type Infer, v } from "convex/values";
import { parse, validate } from "convex-helpers/validators";
import type { HistoryRow } from "../../../app/contract/snapshot.ts";
import type { JobEnergy } from "../../../app/energy/job-energy.ts";
import { uncapitalize } from "../../../app/format/text.ts";
import type { Usage } from "../../../app/jobs/chat.ts";
import { formatExactCredits, formatPrice, priceOf } from "../../../app/money/credits.ts";
import type { PriceParts } from "../../../app/money/price-list.ts";
import { reasonWords } from "../../../app/policy/reasons.ts";
import { spans } from "../../../app/statistics/spans.ts";
import type { Pay } from "../../../app/trust/case.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { boundedText } from "../refuse.ts";
import { deviceReport, jobEnergy, reply } from "../validators.ts";

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
 * One attempt as its donor sees it, with an explanation of its pay. Never the prompt.
 * @param checked of an answer whose pay was held or taken back.
 */
export function historyRowOf(
  attempt: AttemptView,
  checked: CheckedPay = { pay: "paid", takenMicro: 0n },
): Infer<typeof historyRow> & HistoryRow {
  const paid = attempt.status === "succeeded" ? paidOf(attempt) : null;
  const told = paid?.earnedMicro ?? partOf(attempt);
  const kept = checked.pay === "refused" ? 0n : told - checked.takenMicro;
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
    explanation: paid === null ? explain(attempt) : explainPay(paid, attempt.kind, checked),
  };
}

type Reply = Infer<typeof reply>;
type Paid = Reply & { readonly usage: Usage; readonly energy: JobEnergy | null };

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

const partLimits = {
  half: ", limited to half of the answer’s price",
  rest: ", limited to what the highest price of the request left",
} as const;

/** How the pay for a part of an answer came about. Empty: there is none. */
function explainPart(attempt: AttemptView): string {
  const paid = outrunReply(attempt);
  if (paid === null || (paid.outrunMicro ?? 0n) === 0n) return "";
  const sum = ". Paid for the part that it had written";
  if (paid.outrunUsage === undefined) return `${sum}, at most half of the answer’s price`;
  const limit = paid.outrunLimit === undefined ? "" : partLimits[paid.outrunLimit];
  return `${sum}: ${formulaOf(paid, paid.outrunUsage, attempt.kind)}${limit}`;
}

function explainPay(paid: Paid, kind: string, { pay, takenMicro }: CheckedPay): string {
  const sum = sumOfPay(paid, kind);
  if (pay === "held") return `${sum}. It is held until checks have decided about this device’s answers`;
  if (pay === "refused")
    return `${sum}. It is not paid: checks found an answer of this device, or its tokens, wrong`;
  if (takenMicro === 0n) return sum;
  return `${sum}. ${formatExactCredits(takenMicro)} of it were taken back: checks found this answer, or its tokens, wrong`;
}

function sumOfPay(paid: Paid, kind: string): string {
  const { usage, price, pricePercent: percent = 100, earnedMicro, bonusMicro = 0n, bonusPercent } = paid;
  const { ownJob, unheard } = paid;
  if (unheard === true)
    return "not paid: another device of the same people has answered or checked this already";
  if (ownJob === true) return "your own job: it costs nothing and earns nothing";
  const isWhole = earnedMicro - bonusMicro === priceOf({ ...price, percent }, usage);
  const usual = `${formulaOf(paid, usage, kind)}${isWhole ? "" : ", limited to the highest price of the request"}`;
  if (bonusMicro === 0n) return usual;
  return `${usual}, + ${formatExactCredits(bonusMicro)} bonus (${String(bonusPercent ?? 0)} % in bonus hours, up to the cap of the day)`;
}

/** "10 prompt × 2 + 3 answer × 6 per 1,000 tokens, × 200 % for its priority (price version 3.1)". */
function formulaOf(
  { price, pricePercent = 100, priceParts, priceVersion }: Reply,
  { promptTokens, completionTokens }: Usage,
  kind: string,
): string {
  const read = `${String(promptTokens)} prompt × ${formatPrice(price.promptMicro)}`;
  const both = `${read} + ${String(completionTokens)} answer × ${formatPrice(price.completionMicro)}`;
  const sum = `${kind === "embedding" || kind === "replay" ? read : both} per 1,000 tokens`;
  const version = priceVersion === undefined ? "" : ` (price version ${priceVersion})`;
  return `${sum}${percentWords(pricePercent, priceParts)}${version}`;
}

function percentWords(percent: number, parts: PriceParts | undefined): string {
  if (percent === 100) return "";
  if (parts === undefined) return `, × ${String(percent)} % for its priority, its kind and its hour`;
  const named = [
    [parts.priority, "priority"],
    [parts.kind, "kind"],
    [parts.hour, "hour"],
  ] as const;
  return named.map(([part, name]) => (part === 100 ? "" : `, × ${String(part)} % for its ${name}`)).join("");
}

function explain(attempt: AttemptView): string {
  const { status, releaseReason, error } = attempt;
  switch (status) {
    case "released":
      return releaseReason === null ? "given back" : `given back: ${releaseWords(releaseReason)}`;
    case "stolen":
      return "taken by another device before it started";
    case "failed":
      return error === null ? "failed" : `failed: ${error.message}`;
    case "lost":
      return "the connection was lost";
    case "outrun":
      return `${releaseReason === tooSlow ? "it took too long, and " : ""}another device was faster${explainPart(attempt)}`;
    case "canceled":
      return "canceled by the requester";
    case "expired":
      return "not done in time";
    case "prefetched":
    case "running":
    case "succeeded":
      return "";
  }
}

const otherReasons = new Map([
  ["limits", "its limits changed"],
  ["shutdown", "Gleaner ended"],
  ["goodbye", "Gleaner ended"],
  ["restarted", "Gleaner restarted"],
]);

/** The donor's reasons are codes. Other reasons, such as the queue's "not started", are words already. */
function releaseWords(reason: string): string {
  const words = reasonWords(reason);
  return words === null ? (otherReasons.get(reason) ?? reason) : uncapitalize(words.short);
}
