import { isGiven } from "@gleaner/queue";
import type { WorkerView } from "@gleaner/queue/validators";
import { ConvexError, type Infer } from "convex/values";
import type { ChatRequest } from "../../../../app/jobs/chat.ts";
import { parseCacheOwner, parseWork } from "../../../../app/jobs/payload/payload.ts";
import { drawCanary, needsCanary } from "../../../../app/trust/canaries.ts";
import { faded, isUnsure } from "../../../../app/trust/standing.ts";
import { internal } from "../../../_generated/api.js";
import type { Doc, Id } from "../../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../../_generated/server.js";
import { hashSecret } from "../../authenticate.ts";
import { highestMicro } from "../../ledger/reservations.ts";
import { queue } from "../../queue.ts";
import { present } from "../../refuse.ts";
import { checkNew, heldOrder, placeOrder, prepare, refuseOutcome } from "../../requests/submit.ts";
import { stateOf } from "../../texts/dataKeys.ts";
import { holdBudgets } from "../../usage/budgetStops.ts";
import type { chatRequest } from "../../validators.ts";
import { ofOtherSides } from "../checkers.ts";
import { modeOf } from "../mode.ts";
import { usualSpeed } from "../sample.ts";
import { beginCanary, spendOnCanary } from "../spending.ts";
import { standingIn, standingRow, storeStanding } from "../standings.ts";
import { canaryKeyOf, canaryPromptsOf, payForCanary } from "./pool.ts";

/** The time of both answers, as the budget counts it: prompts are short, and answers have at most so many tokens. */
const usualTokens = { prompt: 50, answer: 128 } as const;
const canaryMs = 2_000 * (usualTokens.prompt / usualSpeed.prefill + usualTokens.answer / usualSpeed.generate);
/** A canary comes within this time, so that its time tells a device nothing. */
const withinMs = 5 * 60_000;

/** Has a canary asked soon, if the budget of replays has room for one. */
export async function askCanarySoon(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<void> {
  if ((await modeOf(ctx, organizationId)) === "off") return;
  if (!(await beginCanary(ctx, organizationId, canaryMs, now))) return;
  await ctx.scheduler.runAfter(Math.random() * withinMs, internal.trust.canaries.ask, { organizationId });
}

/** Asks one canary, if a device needs one. If it is refused, as when the queue is full, nothing is written. */
export async function askCanary(ctx: MutationCtx, organizationId: Id<"organizations">): Promise<void> {
  try {
    await ctx.runMutation(internal.trust.canaries.submit, { organizationId });
  } catch (thrown) {
    if (!(thrown instanceof ConvexError)) throw thrown;
  }
}

/** The workers that are read, online ones first. */
const mostWorkers = 200;
/** Bounds of the devices that are looked at, in a random order. */
const mostTested = 20;
const mostModels = 5;
const mostOthers = 30;

/**
 * Submits a request to a device that needs a canary, and to another one of other people. Refuses as a submission.
 * @returns whether there was such a device.
 */
export async function submitCanary(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<boolean> {
  if ((await modeOf(ctx, organizationId)) === "off") return false;
  if (["none", "locked"].includes((await stateOf(ctx, organizationId)).state)) return false;
  const workers = await workersOf(ctx, organizationId);
  const tested = await pairToTest(ctx, organizationId, workers, now);
  if (tested === null) return false;
  const { device, modelId } = tested;
  const other = await otherDevice(ctx, organizationId, { workers, modelId, than: [device] }, now);
  if (other === null) return false;
  const request = drawCanary(await canaryPromptsOf(ctx, organizationId), Math.random);
  const canaryId = await ctx.db.insert("canaries", {
    organizationId,
    modelId,
    deviceIds: [device._id, other._id],
    jobIds: [],
    state: "asked",
  });
  // Devices know the jobs of one key by this name, so each canary seems to be of a key of its own.
  const cacheOwner = (await hashSecret(crypto.randomUUID())).slice(0, 32);
  const jobIds: string[] = [];
  for (const each of [device, other]) {
    const asked = { canaryId, modelId, request, cacheOwner, device: each, workers };
    jobIds.push(await submitTo(ctx, organizationId, asked, now));
  }
  await ctx.db.patch("canaries", canaryId, { jobIds });
  const pair = { organizationId, deviceId: device._id, modelId };
  const row = await standingRow(ctx, pair);
  await storeStanding(ctx, pair, row, faded(standingIn(row, now), now), { canaryAt: now });
  await spendOnCanary(ctx, organizationId, canaryMs, now);
  return true;
}

/**
 * Asks a third device, of other people than the first two. Refuses as a submission.
 * @returns whether there is one.
 */
export async function submitToThird(
  ctx: MutationCtx,
  canary: Doc<"canaries">,
  heard: readonly Doc<"devices">[],
  now: number,
): Promise<boolean> {
  const { _id: canaryId, organizationId, modelId, deviceIds, jobIds } = canary;
  const payload = (await queue.payload(ctx, organizationId, present(jobIds[0] ?? null, "job")))?.payload;
  const work = payload === undefined ? null : parseWork("chat", payload);
  const cacheOwner = payload === undefined ? undefined : parseCacheOwner(payload);
  if (work?.kind !== "chat" || cacheOwner === undefined) return false;
  const workers = await workersOf(ctx, organizationId);
  const device = await otherDevice(ctx, organizationId, { workers, modelId, than: heard }, now);
  if (device === null) return false;
  const asked = { canaryId, modelId, request: work.request, cacheOwner, device, workers };
  const jobId = await submitTo(ctx, organizationId, asked, now);
  await ctx.db.patch("canaries", canaryId, {
    deviceIds: [...deviceIds, device._id],
    jobIds: [...jobIds, jobId],
  });
  return true;
}

async function workersOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<readonly WorkerView[]> {
  const paginationOpts = { numItems: mostWorkers, cursor: null };
  return (await queue.workers.list(ctx, organizationId, { paginationOpts })).page;
}

/** Whether a worker could get a canary of some model now. */
function canAnswer(worker: WorkerView, modelId: string): boolean {
  const { status, online, capabilities } = worker;
  return (
    status === "active" &&
    online &&
    capabilities?.kinds.includes("chat") === true &&
    (capabilities.models ?? []).includes(modelId) &&
    isGiven(worker, { model: modelId })
  );
}

type Tested = { readonly device: Doc<"devices">; readonly modelId: string };

/** The device and model that need a canary and have waited the longest for one. */
async function pairToTest(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  workers: readonly WorkerView[],
  now: number,
): Promise<Tested | null> {
  let found: (Tested & { readonly lastAt: number | null }) | null = null;
  for (const worker of shuffled(workers.filter(({ online }) => online)).slice(0, mostTested)) {
    const device = await deviceOf(ctx, worker);
    if (device === null) continue;
    const models = (worker.capabilities?.models ?? []).filter((modelId) => canAnswer(worker, modelId));
    for (const modelId of shuffled(models).slice(0, mostModels)) {
      const row = await standingRow(ctx, { deviceId: device._id, modelId });
      const lastAt = row?.canaryAt ?? null;
      const standing = faded(standingIn(row, now), now);
      if (!needsCanary(standing, row?.waiting ?? 0, lastAt, now)) continue;
      if (found === null || (lastAt ?? 0) < (found.lastAt ?? 0)) found = { device, modelId, lastAt };
    }
  }
  return found;
}

type Others = {
  readonly workers: readonly WorkerView[];
  readonly modelId: string;
  readonly than: readonly Doc<"devices">[];
};

/** A device of other people, with a good standing if there is one. In a new fleet no device has one yet. */
async function otherDevice(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  { workers, modelId, than }: Others,
  now: number,
): Promise<Doc<"devices"> | null> {
  const able = shuffled(workers.filter((worker) => canAnswer(worker, modelId))).slice(0, mostOthers);
  const devices = await Promise.all(able.map(async (worker) => await deviceOf(ctx, worker)));
  const others = await ofOtherSides(
    ctx,
    organizationId,
    devices.flatMap((each) => each ?? []),
    than,
  );
  for (const device of others) {
    const row = await standingRow(ctx, { deviceId: device._id, modelId });
    if (!isUnsure(faded(standingIn(row, now), now))) return device;
  }
  return others[0] ?? null;
}

async function deviceOf(ctx: QueryCtx, { externalId }: WorkerView): Promise<Doc<"devices"> | null> {
  const deviceId = ctx.db.normalizeId("devices", externalId ?? "");
  return deviceId === null ? null : await ctx.db.get("devices", deviceId);
}

type Asked = {
  readonly canaryId: Id<"canaries">;
  readonly modelId: string;
  readonly request: ChatRequest;
  readonly cacheOwner: string;
  readonly device: Doc<"devices">;
  readonly workers: readonly WorkerView[];
};

/** Submits a job that looks like any other one, and that all devices but one leave. @returns its id. Refuses as a submission. */
async function submitTo(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  { canaryId, modelId, request, cacheOwner, device, workers }: Asked,
  now: number,
): Promise<string> {
  const key = await canaryKeyOf(ctx, organizationId, now);
  const work = { kind: "chat" as const, request: request as Infer<typeof chatRequest> };
  const prepared = await prepare(ctx, key, { model: modelId, work, stream: false }, now);
  const { affinity: _, ...job } = prepared.job;
  const outcome = await queue.submit(ctx, organizationId, {
    ...job,
    payload: { ...work.request, cacheOwner },
    exceptWorkers: workers.map(({ workerId }) => workerId).filter((workerId) => workerId !== device.workerId),
  });
  if (outcome.kind !== "submitted") return refuseOutcome(outcome, false);
  await checkNew(ctx, key, prepared, now);
  const { jobId } = outcome;
  await payForCanary(ctx, key, { jobId, micro: highestMicro(prepared.order), at: now });
  const order = present(await heldOrder(ctx, prepared.order), "credits of a canary");
  const stopped = await holdBudgets(ctx, key, order.reservedMicro, now);
  if (stopped !== null) throw new ConvexError(stopped);
  await placeOrder(ctx, key, { ...order, jobId, canary: canaryId }, now);
  return jobId;
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  const drawn = items.map((item) => ({ item, place: Math.random() }));
  return drawn.sort((one, other) => one.place - other.place).map(({ item }) => item);
}
