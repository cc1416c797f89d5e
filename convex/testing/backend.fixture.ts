import rateLimiter from "@convex-dev/rate-limiter/test";
import { register as registerQueue } from "@gleaner/queue/test";
import type { ClaimedJob, JobView, Priority } from "@gleaner/queue/validators";
import {
  componentsGeneric,
  type FunctionArgs,
  type FunctionReference,
  type PaginationOptions,
  type PaginationResult,
} from "convex/server";
import { ConvexError, type Infer, type Value } from "convex/values";
import { convexTest, type TestConvex } from "convex-test";
import { expect, vi } from "vitest";
import type { Usage } from "../../app/jobs/chat.ts";
import { workKinds } from "../../app/jobs/work.ts";
import { refusedAct } from "../../app/people/refused-act.ts";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import { type AccountKind, kindOf } from "../model/ledger/transfer.ts";
import { queue } from "../model/queue.ts";
import type { RefusalCode } from "../model/refuse.ts";
import { payloadForDevice } from "../model/texts/storedTexts.ts";
import type { chatRequest, work as workValidator } from "../model/validators/requests.ts";
import schema from "../schema.ts";
import { makeSigningKey, registrationOf, signedAnswer, type SigningKey } from "./signing.fixture.ts";

const modules = import.meta.glob(["../**/*.*s", "!../**/*.test.ts", "!../**/*.fixture.ts"]);
export type Backend = TestConvex<typeof schema>;

export type BackendOptions = {
  /** Without it, counting calls fails. */
  readonly limiter?: boolean;
  /** The most documents that one call may read; the number that Convex allows by default. */
  readonly documentsRead?: number;
};

/** A backend for one test, with the real functions, schema and queue. */
export function startBackend({ limiter = true, documentsRead }: BackendOptions = {}): Backend {
  const limits = documentsRead === undefined ? {} : { transactionLimits: { documentsRead } };
  const t = convexTest({ schema, modules, ...limits });
  if (limiter) rateLimiter.register(t);
  registerQueue(t);
  return t;
}

/** The first page of the API keys that a member sees. */
export async function listKeys(t: Backend, session: string) {
  const paginationOpts = { numItems: 50, cursor: null };
  return (await t.query(api.console.keys.list, { session, paginationOpts })).page;
}

/** Lets time pass, and runs the functions that become due. Needs fake timers. */
export async function pass(t: Backend, ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await t.finishInProgressScheduledFunctions();
}

export const modelId = "demo-1m";
export const price = { promptMicro: 2n, completionMicro: 6n };

/** A secret as callers make it: 256 random bits in hex. */
export function secret(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return prefix + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export type Organization = {
  readonly organizationId: Id<"organizations">;
  readonly apiKey: string;
  readonly code: string;
  readonly signInToken: string;
};

export async function addOrganization(
  t: Backend,
  options: { readonly name?: string; readonly creditsMicro?: bigint; readonly contextTokens?: number } = {},
): Promise<Organization> {
  const apiKey = secret("sk-gleaner-");
  const signInToken = secret("gs_");
  const code = `GLN-${secret("").slice(0, 4).toUpperCase()}-2345-6789`;
  const { organizationId } = await t.mutation(internal.setup.createOrganization, {
    name: options.name ?? "Acme",
    signInTokenHash: await hashSecret(signInToken),
    apiKeyHash: await hashSecret(apiKey),
    apiKeyName: "first key",
    apiKeyPrefix: apiKey.slice(0, 14),
    enrollmentCodeHash: await hashSecret(code),
    enrollmentCodeUses: 1_000,
    model: {
      modelId,
      sha256: "ab".repeat(32),
      sizeBytes: 1_060_000,
      contextTokens: options.contextTokens ?? 1_024,
      source: "bundled",
      ...price,
    },
    creditsMicro: options.creditsMicro ?? 1_000_000_000n,
  });
  return { organizationId, apiKey, code, signInToken };
}

export async function signIn(t: Backend, { signInToken }: Organization): Promise<string> {
  const session = secret("gs_");
  const outcome = await t.mutation(api.console.account.signIn, { token: signInToken, session });
  expect(outcome.kind).toBe("signed-in");
  return session;
}

/** A session of the owner by a new link. A session ends when nobody uses it for long. */
export async function signInAgain(t: Backend, acme: Organization): Promise<string> {
  const signInToken = secret("gs_");
  const tokenHash = await hashSecret(signInToken);
  await t.mutation(internal.setup.signInLink, { organizationId: acme.organizationId, tokenHash });
  return await signIn(t, { ...acme, signInToken });
}

export type Device = {
  readonly key: string;
  readonly deviceId: Id<"devices">;
  readonly signingKey: SigningKey;
};

/** Arguments of a device's `hello`. It may hold as many jobs as the queue allows. */
export function greeting(models: string[] = [modelId], startup = false) {
  const able = {
    kinds: [...workKinds],
    models,
    memoryMb: 8_192,
    contextTokens: 131_072,
    concurrency: 16,
  };
  return { version: "0.1.0", capabilities: able, startup };
}

/** An enrolled device that has said hello and donates. It takes no jobs yet. */
export async function addDevice(
  t: Backend,
  { code }: Organization,
  name = "laptop",
  models: string[] = [modelId],
): Promise<Device> {
  const key = secret("gd_");
  const signingKey = makeSigningKey();
  const outcome = await t.mutation(api.devices.enroll, {
    code,
    key,
    name,
    platform: "linux-x64",
    signingKey: registrationOf(signingKey, key),
  });
  if (outcome.kind !== "enrolled") throw new Error(outcome.reason);
  await t.mutation(api.work.hello, { key, ...greeting(models) });
  await t.mutation(api.devices.report, { key, activity: { kind: "donating", reason: "idle" } });
  return { key, deviceId: outcome.deviceId, signingKey };
}

/** Takes up to `jobs` ready jobs. Without any, the device waits for some. */
export async function take(
  t: Backend,
  { key }: Pick<Device, "key">,
  jobs = 1,
): Promise<readonly ClaimedJob[]> {
  const outcome = await t.mutation(api.work.take, { key, demand: { jobs } });
  if (outcome.kind !== "ok") throw new Error(`nothing taken: ${outcome.reason}`);
  return outcome.jobs;
}

/** Enrolls a device that waits for jobs. */
export async function addWaiting(t: Backend, acme: Organization, name = "honest"): Promise<Device> {
  const device = await addDevice(t, acme, name);
  await take(t, device);
  await pass(t, 10);
  return device;
}

/** Tries to claim a job. */
export async function tryClaim(t: Backend, { key }: Pick<Device, "key">, jobId: string) {
  return await t.mutation(api.work.claim, { key, jobId, late: false, demand: { jobs: 1 } });
}

/** Releases an attempt, as a device does when its user returns. It keeps taking jobs. */
export async function release(
  t: Backend,
  { key }: Pick<Device, "key">,
  attemptId: string,
  reason = "in-use",
): Promise<{ fenced: string[] }> {
  return await t.mutation(api.work.release, {
    key,
    attemptIds: [attemptId],
    reason,
    leave: false,
  });
}

export function chat(
  content = "Hi",
  over: Partial<Infer<typeof chatRequest>> = {},
): Infer<typeof chatRequest> {
  const request = {
    messages: [{ role: "user" as const, content }],
    maxTokens: 64,
    temperature: 0,
    topP: 1,
    seed: 7,
    stop: [],
    ...over,
  };
  return request;
}

export async function submit(
  t: Backend,
  { apiKey }: Pick<Organization, "apiKey">,
  options: {
    readonly stream?: boolean;
    readonly idempotencyKey?: string;
    readonly content?: string;
    readonly priority?: Priority;
    readonly handOver?: boolean;
    readonly endsWithCall?: boolean;
  } = {},
): Promise<string> {
  const { content, ...rest } = options;
  return await submitWork(t, apiKey, { kind: "chat", request: chat(content) }, rest);
}

/** Submits work of any kind, as the HTTP API does for an admitted key. Returns the job's id. */
export async function submitWork(
  t: Backend,
  apiKey: string,
  work: Infer<typeof workValidator>,
  options: Partial<FunctionArgs<typeof internal.requests.submit>> = {},
): Promise<string> {
  const { keyId } = await t.query(internal.requests.identify, { apiKey });
  const args = { keyId, model: modelId, work, stream: false, ...options };
  return (await t.mutation(internal.requests.submit, args)).jobId;
}

/** Claims a job. Throws if it cannot. */
export async function claim(t: Backend, device: Pick<Device, "key">, jobId: string): Promise<string> {
  const outcome = await tryClaim(t, device, jobId);
  if (outcome.kind !== "claimed") throw new Error(`not claimed: ${outcome.kind}`);
  return outcome.job.attemptId;
}

/** A result and its report. */
export function answer(text = "Hello.", usage: Usage = { promptTokens: 10, completionTokens: 3 }) {
  return {
    result: { text, finishReason: "stop" as const },
    report: { usage: { ...usage }, timing: { prefillMs: 5, generateMs: 20 } },
  };
}

/** The price of `answer`, in micro-credits. */
export const answerMicro = 10n * price.promptMicro + 3n * price.completionMicro;

export async function complete(
  t: Backend,
  device: Device,
  attemptId: string,
  options: { readonly text?: string; readonly usage?: Usage; readonly wanted?: number } = {},
) {
  return await completeWith(t, device, attemptId, answer(options.text, options.usage), options.wanted);
}

type Answered = Pick<FunctionArgs<typeof api.work.complete>, "result" | "report">;

/** Completes an attempt with any answer, which the device signs. */
export async function completeWith(
  t: Backend,
  device: Device,
  attemptId: string,
  answered: Answered,
  wanted = 0,
) {
  const { key } = device;
  const args = {
    key,
    attemptId,
    ...(await signed(t, device, attemptId, answered)),
    demand: { jobs: wanted },
  };
  return await t.mutation(api.work.complete, args);
}

/** The answer with the device's signature for this attempt. */
export async function signed(
  t: Backend,
  { key, deviceId, signingKey }: Device,
  attemptId: string,
  answered: Answered,
) {
  const held = await t.query(api.work.held, { key });
  const jobId = held.find((attempt) => attempt.attemptId === attemptId)?.jobId ?? "lost";
  const { result, report } = answered as { readonly result: Value; readonly report: object };
  const payload = await payloadOf(t, key, attemptId);
  return signedAnswer(signingKey, { deviceId, attemptId, jobId, payload }, { result, report });
}

/** The payload of a job that the device holds; null if it does not hold it. */
export async function payloadOf(t: Backend, key: string, attemptId: string): Promise<unknown> {
  const keyHash = await queue.hashKey(key);
  const { attempt } = queue.component.workers;
  return await t.run(async (ctx) => {
    const stored = (await ctx.runQuery(attempt, { keyHash, attemptId }))?.payload ?? null;
    return await payloadForDevice(ctx, stored);
  });
}

export async function fail(
  t: Backend,
  { key }: Pick<Device, "key">,
  attemptId: string,
  error: { code?: string; message?: string; retryable?: boolean; unfit?: boolean; byJob?: boolean } = {},
) {
  // A template could make any chat too long for the context of these tests' model, so a device may say so.
  const code = error.retryable === false ? "context_length_exceeded" : "runner_crashed";
  return await t.mutation(api.work.fail, {
    key,
    attemptId,
    error: { code, message: "The runner crashed.", retryable: true, ...error },
    demand: { jobs: 0 },
  });
}

/** The queue's view of a job. */
export async function jobOf(t: Backend, { organizationId }: Organization, jobId: string): Promise<JobView> {
  const job = await t.run(async (ctx) => await queue.status(ctx, organizationId, jobId));
  if (job === null) throw new Error(`no job ${jobId}`);
  return job;
}

export async function statusOf(t: Backend, acme: Organization, jobId: string): Promise<JobView["status"]> {
  return (await jobOf(t, acme, jobId)).status;
}

/** The functions that the queue's own crons call. */
const { maintenance, counts } = componentsGeneric()["queue"] as unknown as {
  readonly maintenance: { readonly purge: FunctionReference<"mutation", "internal", Record<string, never>> };
  readonly counts: { readonly count: FunctionReference<"action", "public", Record<string, never>> };
};

/** Counts the queue's jobs, as its cron does each minute. */
export async function countQueue(t: Backend): Promise<void> {
  await t.action(counts.count, {});
}

/** Deletes the queue's old data, as its cron does each hour. */
export async function purgeQueue(t: Backend): Promise<void> {
  await t.run(async (ctx) => {
    await ctx.runMutation(maintenance.purge, {});
  });
}

/** All jobs of an organization, newest first. */
export async function allJobs(t: Backend, { organizationId }: Organization): Promise<readonly JobView[]> {
  const jobs: JobView[] = [];
  for (let cursor: string | null = null; ;) {
    const paginationOpts: PaginationOptions = { numItems: 100, cursor };
    const list: PaginationResult<JobView> = await t.run(
      async (ctx) => await queue.list(ctx, organizationId, { paginationOpts }),
    );
    jobs.push(...list.page);
    if (list.isDone) return jobs;
    cursor = list.continueCursor;
  }
}

/** Their balances fall below zero, since they create credits. */
const creatingKinds: ReadonlySet<AccountKind> = new Set(["issuance", "bonus", "check", "cover"]);

/** The sum of some amounts of each account, without those that are 0. */
function foldByAccount(amounts: readonly { readonly account: string; readonly micro: bigint }[]) {
  const fold = new Map<string, bigint>();
  for (const { account, micro } of amounts) fold.set(account, (fold.get(account) ?? 0n) + micro);
  return new Map([...fold].filter(([, micro]) => micro !== 0n).toSorted());
}

/**
 * Expects that each balance is the sum of its account's entries, and that none is below zero. The balance is that of the projection and
 * of what it has not added yet. Entries in an archive are in its opening balances.
 */
async function expectBalances(t: Backend): Promise<void> {
  const { accounts, ...rows } = await t.run(async ({ db }) => ({
    accounts: await db.query("accounts").collect(),
    pending: await db.query("ledgerPending").collect(),
    entries: await db.query("ledgerEntries").collect(),
    openings: await db.query("ledgerOpenings").collect(),
  }));
  const projected = accounts.map(({ account, balanceMicro }) => ({ account, micro: balanceMicro }));
  const balances = foldByAccount([...projected, ...rows.pending]);
  expect(balances).toEqual(foldByAccount([...rows.entries, ...rows.openings]));
  const overdrawn = [...projected.map(({ account, micro }) => [account, micro] as const), ...balances].filter(
    ([account, micro]) => micro < 0n && !creatingKinds.has(kindOf(account)),
  );
  expect(overdrawn).toEqual([]);
}

/** Expects that every job is settled once, that no credits appeared or vanished, and that all balances are right. */
export async function expectBooksInOrder(t: Backend): Promise<void> {
  const report = await t.query(internal.setup.ledgerCheck, {});
  expect(report).toMatchObject({
    sum: 0n,
    jobs: { settledTwice: 0, unsettled: 0, settledEarly: 0 },
    complete: true,
  });
  await expectBalances(t);
}

/** The error in an answer; null without one. */
function refusedActOf(answer: unknown): unknown {
  const refused = refusedAct(answer);
  return refused === null ? null : new ConvexError(refused);
}

/** Expects a refusal, as a client reads it from the ConvexError, or from the answer of a member's refused act. */
export async function expectRefusal(call: Promise<unknown>, code: RefusalCode): Promise<void> {
  const thrown: unknown = await call.then(refusedActOf, (error: unknown) => error);
  expect(thrown).toBeInstanceOf(ConvexError);
  const data: unknown = (thrown as ConvexError<string>).data;
  expect(typeof data === "string" ? JSON.parse(data) : data).toMatchObject({ code });
}
