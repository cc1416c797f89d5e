import { isGiven } from "@gleaner/queue";
import type { WorkerView } from "@gleaner/queue/validators";
import { ConvexError, type Infer } from "convex/values";
import type { ChatRequest } from "../../../../app/jobs/chat.ts";
import { parseCacheOwner, parseWork } from "../../../../app/jobs/payload/payload.ts";
import { drawCanary, mostGreedyTokens, neededCanary } from "../../../../app/trust/canaries.ts";
import { faded, isUnsure } from "../../../../app/trust/standing.ts";
import { internal } from "../../../_generated/api.js";
import type { Doc, Id } from "../../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../../_generated/server.js";
import { hashSecret } from "../../authenticate.ts";
import { deviceStateOf } from "../../fleet/state.ts";
import { highestMicro } from "../../ledger/reservations.ts";
import { findModel } from "../../models/catalog.ts";
import { queue } from "../../queue.ts";
import { present } from "../../refuse.ts";
import { checkNew, heldOrder, placeOrder, prepare, refuseOutcome } from "../../requests/submit.ts";
import { stateOf } from "../../texts/dataKeys.ts";
import { holdBudgets } from "../../usage/budgetStops.ts";
import type { chatRequest } from "../../validators/requests.ts";
import { ofOtherSides } from "../checkers.ts";
import { modeOf } from "../mode.ts";
import { usualSpeed } from "../sample.ts";
import { beginCanary, spendOnCanary } from "../spending.ts";
import { standingIn, standingRow, storeStanding } from "../standings.ts";
import { canaryKeyOf, canaryPromptsOf, payForCanary } from "./pool.ts";
import { drawUsualChat } from "./shape.ts";

/** Prompts of canaries are short. */
const promptTokens = 50;

/** The most time of both answers, as the budget counts it. */
function canaryMs({ maxTokens }: Pick<ChatRequest, "maxTokens">): number {
  return 2_000 * (promptTokens / usualSpeed.prefill + maxTokens / usualSpeed.generate);
}

/** A canary comes within this time, so that its time tells a device nothing. */
const withinMs = 5 * 60_000;

/** Has a canary asked soon, if the budget of replays has room for one. */
export async function askCanarySoon(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<void> {
  if ((await modeOf(ctx, organizationId)) !== "act") return;
  const mostMs = await beginCanary(ctx, organizationId, canaryMs({ maxTokens: mostGreedyTokens }), now);
  if (mostMs === null) return;
  const args = { organizationId, mostMs };
  await ctx.scheduler.runAfter(Math.random() * withinMs, internal.trust.canaries.ask, args);
}

/**
 * Asks one canary, if a device needs one and there is another to compare with. If the queue refuses it, the device waits as long for the
 * next one as if it had got it, so that others have their turn.
 * @param mostMs the time that both answers may take. A device whose canary would take longer keeps its turn.
 * @returns whether a canary was asked.
 */
export async function askCanary(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  mostMs: number,
  now: number,
): Promise<boolean> {
  if ((await modeOf(ctx, organizationId)) !== "act") return false;
  if (["none", "locked"].includes((await stateOf(ctx, organizationId)).state)) return false;
  const workers = await workersOf(ctx, organizationId);
  const prompts = await canaryPromptsOf(ctx, organizationId);
  for (const { device, modelId, inFormat } of await pairsToTest(ctx, organizationId, workers, now)) {
    const other = await otherDevice(ctx, organizationId, { workers, modelId, than: [device] }, now);
    if (other === null) continue;
    const devices = [device, other];
    const usual = await drawUsualChat(ctx, organizationId, { modelId, devices }, now);
    const request = drawCanary(prompts, inFormat, usual?.shape ?? null, Math.random);
    const takesMs = canaryMs(request);
    if (takesMs > mostMs) continue;
    // Devices know the jobs of one key by this name. A new one would be rare where few keys are in use.
    const cacheOwner = usual?.cacheOwner ?? (await hashSecret(crypto.randomUUID())).slice(0, 32);
    const asked = { request: request as NewCanary["request"], cacheOwner };
    const deviceIds = devices.map(({ _id }) => _id);
    const isAsked = await tryToSubmit(ctx, { organizationId, modelId, deviceIds, ...asked });
    const pair = { organizationId, deviceId: device._id, modelId };
    const row = await standingRow(ctx, pair);
    await storeStanding(ctx, pair, row, faded(standingIn(row, now), now), { canaryAt: now });
    if (isAsked) await spendOnCanary(ctx, organizationId, takesMs, now);
    return isAsked;
  }
  return false;
}

async function tryToSubmit(ctx: MutationCtx, canary: NewCanary): Promise<boolean> {
  try {
    await ctx.runMutation(internal.trust.canaries.submit, canary);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof ConvexError)) throw thrown;
    return false;
  }
}

/** The workers that are read, online ones first. */
const mostWorkers = 200;
/** Bounds of the devices that are looked at, in a random order. */
const mostTested = 20;
const mostModels = 5;
const mostOthers = 30;
/** For each of so many devices and models another device is looked for. */
const mostCandidates = 10;

/** `deviceIds`: the tested device, and one to compare with. `cacheOwner`: the name of the key for them. */
type NewCanary = Pick<Doc<"canaries">, "organizationId" | "modelId" | "deviceIds"> & {
  readonly request: Infer<typeof chatRequest>;
  readonly cacheOwner: string;
};

/** Submits the same request to both devices. Refuses as a submission. */
export async function submitCanary(
  ctx: MutationCtx,
  { organizationId, modelId, deviceIds, request, cacheOwner }: NewCanary,
  now: number,
): Promise<void> {
  const workers = await workersOf(ctx, organizationId);
  const canaryId = await ctx.db.insert("canaries", {
    organizationId,
    modelId,
    deviceIds,
    jobIds: [],
    state: "asked",
  });
  const jobIds: string[] = [];
  for (const deviceId of deviceIds) {
    const device = present(await ctx.db.get("devices", deviceId), "device of a canary");
    const asked = { canaryId, modelId, request, cacheOwner, device, workers };
    jobIds.push(await submitTo(ctx, organizationId, asked, now));
  }
  await ctx.db.patch("canaries", canaryId, { jobIds });
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

type Tested = { readonly device: Doc<"devices">; readonly modelId: string; readonly inFormat: boolean };

/** Devices and models that need a canary, those first that have waited the longest for one. */
async function pairsToTest(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  workers: readonly WorkerView[],
  now: number,
): Promise<readonly Tested[]> {
  const found: (Tested & { readonly lastAt: number | null })[] = [];
  for (const worker of shuffled(workers.filter(({ online }) => online)).slice(0, mostTested)) {
    const device = await donatingDevice(ctx, worker);
    if (device === null) continue;
    const models = (worker.capabilities?.models ?? []).filter((modelId) => canAnswer(worker, modelId));
    for (const modelId of shuffled(models).slice(0, mostModels)) {
      const row = await standingRow(ctx, { deviceId: device._id, modelId });
      // Replays test all others.
      if (row === null) continue;
      const { waiting, unchecked = false, oddFormat = false, canaryAt: lastAt = null } = row;
      const need = { standing: faded(row.standing, now), waiting, unchecked, oddFormat, lastAt };
      const needed = neededCanary(need, now);
      if (needed === null) continue;
      if ((await findModel(ctx, organizationId, modelId))?.enabled !== true) continue;
      found.push({ device, modelId, inFormat: needed === "format", lastAt });
    }
  }
  found.sort((one, other) => (one.lastAt ?? 0) - (other.lastAt ?? 0));
  return found.slice(0, mostCandidates);
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
  const devices = await Promise.all(able.map(async (worker) => await donatingDevice(ctx, worker)));
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

/** The device of a worker; null if it donates nothing now, as one that somebody uses. Such a device is online, too. */
async function donatingDevice(
  ctx: QueryCtx,
  { externalId, online }: WorkerView,
): Promise<Doc<"devices"> | null> {
  const deviceId = ctx.db.normalizeId("devices", externalId ?? "");
  const device = deviceId === null ? null : await ctx.db.get("devices", deviceId);
  return device !== null && deviceStateOf(device, online) === "donating" ? device : null;
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
