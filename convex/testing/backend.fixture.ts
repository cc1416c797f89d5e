import rateLimiter from "@convex-dev/rate-limiter/test";
import { convexTest, type TestConvex } from "convex-test";
import { ConvexError } from "convex/values";
import { expect } from "vitest";
import type { ChatRequest, ChatResult } from "../../app/jobs/chat.ts";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/keys/hash.ts";
import type { RefusalCode } from "../model/refuse.ts";
import schema from "../schema.ts";

const modules = import.meta.glob(["../**/*.*s", "!../**/*.test.ts", "!../**/*.fixture.ts"]);

export type Backend = TestConvex<typeof schema>;

/**
 * A backend of its own for one test, with the real functions and the real schema. Without the `limiter`, counting
 * calls fails.
 */
export function startBackend({ limiter = true }: { readonly limiter?: boolean } = {}): Backend {
  const t = convexTest(schema, modules);
  if (limiter) rateLimiter.register(t);
  return t;
}

export const modelId = "demo-1m";
export const price = { promptMicro: 2n, completionMicro: 6n };

/** As the callers make their secrets: 256 random bits in hex. */
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
    enrolmentCodeHash: await hashSecret(code),
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
  const outcome = await t.mutation(api.admin.signIn, { token: signInToken, session });
  expect(outcome.kind).toBe("signed-in");
  return session;
}

export type Device = { readonly deviceKey: string; readonly deviceId: Id<"devices"> };

/** An enrolled device that has said hello and donates. */
export async function addDevice(
  t: Backend,
  { code }: Organization,
  name = "laptop",
  models: string[] = [modelId],
): Promise<Device> {
  const deviceKey = secret("gd_");
  const outcome = await t.mutation(api.devices.enroll, { code, deviceKey, name, platform: "linux-x64" });
  if (outcome.kind !== "enrolled") throw new Error(outcome.reason);
  await t.mutation(api.devices.hello, {
    deviceKey,
    version: "0.1.0",
    capabilities: { threads: 4, memoryMb: 8_192, models },
  });
  await t.mutation(api.devices.report, { deviceKey, activity: { kind: "donating", reason: "idle" } });
  return { deviceKey, deviceId: outcome.deviceId };
}

export function chat(content = "Hi", over: Partial<ChatRequest> = {}) {
  const request = {
    messages: [{ role: "user" as const, content }],
    maxTokens: 64,
    temperature: 0,
    topP: 1,
    seed: 7,
    stop: [],
    ...over,
  };
  return { ...request, messages: [...request.messages], stop: [...request.stop] };
}

export async function submit(
  t: Backend,
  { apiKey }: Organization,
  options: { readonly stream?: boolean; readonly idempotencyKey?: string; readonly content?: string } = {},
): Promise<Id<"jobs">> {
  const { jobId } = await t.mutation(internal.requests.submit, {
    apiKey,
    model: modelId,
    request: chat(options.content),
    stream: options.stream ?? false,
    ...(options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey }),
  });
  return jobId;
}

/** Claims a job, which must work. */
export async function claim(
  t: Backend,
  { deviceKey }: Pick<Device, "deviceKey">,
  jobId: Id<"jobs">,
): Promise<Id<"attempts">> {
  const outcome = await t.mutation(api.work.claim, { deviceKey, jobId });
  if (outcome.kind !== "claimed") throw new Error(`not claimed: ${outcome.kind}`);
  return outcome.attemptId;
}

export function answer(text = "Hello.", usage = { promptTokens: 10, completionTokens: 3 }): ChatResult {
  return { text, finishReason: "stop", usage, timing: { prefillMs: 5, generateMs: 20 } };
}

/** What `answer` costs. */
export const answerMicro = 10n * price.promptMicro + 3n * price.completionMicro;

export async function complete(
  t: Backend,
  { deviceKey }: Pick<Device, "deviceKey">,
  attemptId: Id<"attempts">,
  options: { readonly text?: string; readonly wantsNext?: boolean } = {},
) {
  return await t.mutation(api.work.complete, {
    deviceKey,
    attemptId,
    result: answer(options.text),
    wantsNext: options.wantsNext ?? false,
  });
}

export async function fail(t: Backend, { deviceKey }: Device, attemptId: Id<"attempts">, retryable = true) {
  return await t.mutation(api.work.fail, {
    deviceKey,
    attemptId,
    error: { code: "runner_crashed", message: "The runner crashed.", retryable },
  });
}

export async function statusOf(t: Backend, { apiKey }: Organization, jobId: Id<"jobs">): Promise<string> {
  return (await t.query(api.requests.watch, { apiKey, jobId })).status;
}

/** Every job settled once, nothing made and nothing gone: after any flow. */
export async function expectBooksInOrder(t: Backend): Promise<void> {
  const report = await t.query(internal.setup.ledgerCheck, {});
  expect(report).toMatchObject({
    sum: 0n,
    jobs: { settledTwice: 0, unsettled: 0, settledEarly: 0 },
    complete: true,
  });
}

/** Expects the refusal that a client would read from the ConvexError. */
export async function expectRefusal(call: Promise<unknown>, code: RefusalCode): Promise<void> {
  const thrown: unknown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ConvexError);
  const data: unknown = (thrown as ConvexError<string>).data;
  expect(typeof data === "string" ? JSON.parse(data) : data).toMatchObject({ code });
}
