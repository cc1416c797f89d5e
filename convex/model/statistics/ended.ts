import type { JobHistory } from "@gleaner/queue/validators";
import { type Earning, type EndedJob, groupLabel } from "../../../app/statistics/fold.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import type { KeyJob } from "../credits/keyStatement.ts";
import type { AnsweredJob } from "../ledger/likely.ts";
import { reservingKey } from "../ledger/reservations.ts";
import { deviceOfPay } from "../ledger/transfer.ts";
import { orderOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";

/** The ledger's entry that closed the reservation of a job's round, and the round. */
export type Closing = {
  readonly entry: Doc<"ledgerEntries">;
  readonly jobId: string;
  readonly round: number;
};

/** `answered`: what its reservation had of its bounds, for the reservations of later jobs. Null without an answer, and in old orders. */
type CountedJob = EndedJob & { readonly answered: AnsweredJob | null; readonly ofKey: KeyJob };

const perCall = 100;

/** The jobs behind some closings of one organization, in their order. Jobs without an order are left out. */
export async function endedJobs(ctx: QueryCtx, closings: readonly Closing[]): Promise<CountedJob[]> {
  const histories = new Map<string, JobHistory>();
  for (let at = 0; at < closings.length; at += perCall) {
    const some = closings.slice(at, at + perCall);
    const scope = some[0]?.entry.organizationId ?? "";
    for (const history of await queue.histories(
      ctx,
      scope,
      some.map(({ jobId }) => jobId),
    ))
      histories.set(history.jobId, history);
  }
  const jobs = await Promise.all(
    closings.map(async (closing) => await endedJob(ctx, closing, histories.get(closing.jobId))),
  );
  return jobs.flat();
}

async function endedJob(
  ctx: QueryCtx,
  { entry, jobId, round }: Closing,
  history: JobHistory | undefined,
): Promise<CountedJob[]> {
  const order = await orderOf(ctx, jobId);
  if (order === null) return [];
  const settled = entry.kind === "settle";
  const outcome = settled ? "succeeded" : outcomeOf(history, round);
  const attempts = history === undefined ? [] : await attemptsIn(ctx, order, history, round);
  return [
    {
      model: order.modelId,
      key: order.apiKeyId,
      owner: await ownerOf(ctx, order.apiKeyId),
      lane: history?.lane ?? null,
      outcome,
      submittedAt: order._creationTime,
      waitMs: round > 0 ? null : waitOf(history, entry.at),
      usage: settled ? (order.usage ?? null) : null,
      micro: settled ? (order.priceMicro ?? 0n) : 0n,
      energy: settled ? (order.energy ?? null) : null,
      attempts: await Promise.all(
        attempts.map(async ({ worker, ...rest }) => ({
          ...rest,
          device: worker,
          group: await groupOf(ctx, worker),
        })),
      ),
      earnings: settled ? await earningsOf(ctx, entry) : [],
      answered: settled ? answeredOf(order) : null,
      ofKey: keyJobOf(order, outcome, entry.at),
    },
  ];
}

/** A job for the statement of its key. A device that was outrun is paid for an own job, too. */
function keyJobOf(order: Doc<"orders">, outcome: EndedJob["outcome"], at: number): KeyJob {
  const { apiKeyId, modelId, price, pricePercent: percent = 100, priceVersion = "0.0", usage } = order;
  const { priceMicro: micro = 0n, coveredMicro = 0n, ownJob = false } = order;
  if (outcome !== "succeeded") return { apiKeyId, at, charge: null, free: outcome };
  const { promptTokens, completionTokens } = usage ?? { promptTokens: 0, completionTokens: 0 };
  const amounts = { jobs: 1, promptTokens, completionTokens, micro, coveredMicro };
  const charge = { modelId, priceVersion, ...price, percent, ...amounts };
  const isFree = ownJob && micro === 0n;
  return { apiKeyId, at, charge: isFree ? null : charge, free: isFree ? "own" : null };
}

function answeredOf({
  apiKeyId,
  modelId,
  usage,
  most,
  reservedPromptTokens,
}: Doc<"orders">): AnsweredJob | null {
  if (usage === undefined || reservedPromptTokens === undefined) return null;
  const { completionTokens } = most;
  return { apiKeyId, modelId, usage, most: { promptTokens: reservedPromptTokens, completionTokens } };
}

/** To whom the job's key belongs now. */
async function ownerOf(ctx: QueryCtx, keyId: Id<"apiKeys">): Promise<EndedJob["owner"]> {
  const owner = (await ctx.db.get("apiKeys", keyId))?.owner;
  if (owner === undefined) return null;
  return { kind: ctx.db.normalizeId("members", owner) === null ? "team" : "member", id: owner };
}

async function groupOf(ctx: QueryCtx, device: string | null): Promise<string> {
  const id = device === null ? null : ctx.db.normalizeId("devices", device);
  return groupLabel((id === null ? null : await ctx.db.get("devices", id))?.groups ?? []);
}

/** A settlement has an entry of escrow, one of the key, one for a bonus, one of cover, and at most two of devices. */
const mostEntries = 6;

/** The pay of devices in the transfer that closed a reservation. */
async function earningsOf(ctx: QueryCtx, { transferKey }: Doc<"ledgerEntries">): Promise<readonly Earning[]> {
  const entries = await ctx.db
    .query("ledgerEntries")
    .withIndex("by_transfer", (q) => q.eq("transferKey", transferKey))
    .take(mostEntries);
  const paid = entries.flatMap(({ account, micro }) => {
    const device = deviceOfPay(account);
    return device === null ? [] : [{ device, micro }];
  });
  return await Promise.all(
    paid.map(async ({ device, micro }) => ({ device, micro, group: await groupOf(ctx, device) })),
  );
}

/** How a job ended without an answer. Only failed and expired jobs are retried, and failures are the rule. */
function outcomeOf(history: JobHistory | undefined, round: number): "failed" | "canceled" | "expired" {
  if (history?.round !== round) return "failed";
  return history.status === "canceled" || history.status === "expired" ? history.status : "failed";
}

function waitOf(history: JobHistory | undefined, endedAt: number): number | null {
  const startedAt = history?.startedAt ?? null;
  // A job that never started in its first round may have started in a later one.
  if (history === undefined || startedAt === null || startedAt > endedAt) return null;
  return startedAt - history.submittedAt;
}

/** The attempts of one round. Almost all jobs have one round only. */
export async function attemptsIn(
  ctx: QueryCtx,
  order: Doc<"orders">,
  { attempts }: JobHistory,
  round: number,
): Promise<JobHistory["attempts"]> {
  if (order.round === 0) return attempts;
  const [from, to] = await Promise.all([
    round === 0 ? -Infinity : reservedAt(ctx, order.jobId, round),
    round === order.round ? Infinity : reservedAt(ctx, order.jobId, round + 1),
  ]);
  return attempts.filter(({ claimedAt }) => claimedAt >= from && claimedAt < to);
}

async function reservedAt(ctx: QueryCtx, jobId: string, round: number): Promise<number> {
  const entry = await ctx.db
    .query("ledgerEntries")
    .withIndex("by_transfer", (q) => q.eq("transferKey", reservingKey({ jobId, round })))
    .first();
  return entry?.at ?? Infinity;
}
