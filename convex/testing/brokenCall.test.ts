import { type FunctionReference, getFunctionName } from "convex/server";
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import type { ActionCtx } from "../_generated/server.js";
import { logBug } from "../openai/outcome.ts";
import { chatCompletions } from "../openai/textCalls.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  type Backend,
  claim,
  expectBooksInOrder,
  modelId,
  type Organization,
  signIn,
  startBackend,
} from "./backend.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";

let t: Backend;
let acme: Organization;
let logged: MockInstance<typeof console.error>;

beforeEach(async () => {
  t = startBackend();
  acme = await addOrganization(t);
  logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
});

afterEach(() => {
  logged.mockRestore();
});

/** The real backend behind a connection that breaks: after the first `working` queries, all fail. */
function brokenCtx(working: number): ActionCtx {
  let queries = 0;
  const ctx = {
    runQuery: async (query: FunctionReference<"query">, args: Record<string, unknown>): Promise<unknown> => {
      queries += 1;
      if (queries > working) throw new Error('ArgumentValidationError: Object: {content: "a secret"}');
      return await t.query(query, args);
    },
    runMutation: async (
      mutation: FunctionReference<"mutation">,
      args: Record<string, unknown>,
    ): Promise<unknown> => await t.mutation(mutation, args),
  };
  return ctx as unknown as ActionCtx;
}

function request(stream: boolean, headers: Readonly<Record<string, string>> = {}): Request {
  return new Request("https://test/v1/chat/completions", {
    method: "POST",
    headers: { authorization: `Bearer ${acme.apiKey}`, ...headers },
    body: JSON.stringify({ model: modelId, messages: [{ role: "user", content: "a secret" }], stream }),
  });
}

/** Answers a chat call as its endpoint does, once the caller is admitted. */
async function answer(ctx: ActionCtx, asked: Request): Promise<Response> {
  const caller = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
  return await chatCompletions(ctx, asked, caller);
}

const onlyJob = async () => (await allJobs(t, acme))[0];
const statusNow = async () => (await onlyJob())?.status;

describe("a job whose HTTP call fails because of us", () => {
  it.each([
    [true, 0],
    [true, 1],
  ])("cancels the job of a failed call (stream: %s, after %i queries)", async (stream, working) => {
    await addDevice(t, acme);
    await expect(answer(brokenCtx(working), request(stream))).rejects.toThrow();
    expect(await statusNow()).toBe("canceled");
    await expectBooksInOrder(t);
  });

  it.each([0, 2])(
    "leaves the job of a failed call to an equal one, for a while (after %i queries)",
    async (working) => {
      const device = await addDevice(t, acme);
      await expect(answer(brokenCtx(working), request(false))).rejects.toThrow();
      expect(await statusNow()).toBe("ready");
      const again = answer(brokenCtx(Infinity), request(false));
      await takeJob(t, device, async ({ complete }) => await complete("Blue."));
      expect(await (await again).json()).toMatchObject({ choices: [{ message: { content: "Blue." } }] });
      expect(await allJobs(t, acme)).toHaveLength(1);
      await expectBooksInOrder(t);
    },
  );

  it("cancels the job of a stream that breaks in the middle", async () => {
    const device = await addDevice(t, acme);
    const answering = answer(brokenCtx(19), request(true));
    await expect.poll(statusNow).toBe("ready");
    const job = await onlyJob();
    if (job === undefined) throw new Error("no job");
    const attemptId = await claim(t, device, job.jobId);
    await t.mutation(api.work.append, { key: device.key, attemptId, seq: 0, text: "Blue" });
    const text = await (await answering).text();
    expect(text).toContain('"content":"Blue"');
    expect(text).toContain('"code":"internal_error"');
    expect(await statusNow()).toBe("canceled");
    expect(JSON.stringify(logged.mock.calls)).toContain("ArgumentValidationError");
    expect(JSON.stringify(logged.mock.calls)).not.toContain("secret");
    await expectBooksInOrder(t);
  });

  const ends = {
    revoked: async (session: string, keyId: Id<"apiKeys">) =>
      await t.mutation(api.console.keys.revoke, { session, keyId }),
    expired: async (_session: string, keyId: Id<"apiKeys">) =>
      await t.run(async (ctx) => await ctx.db.patch("apiKeys", keyId, { expiresAt: Date.now() })),
  };

  it.each(Object.keys(ends) as (keyof typeof ends)[])(
    "ends a stream with a refusal when the key is %s",
    async (how) => {
      const device = await addDevice(t, acme);
      const answering = answer(brokenCtx(Infinity), request(true));
      await expect.poll(statusNow).toBe("ready");
      const job = await onlyJob();
      if (job === undefined) throw new Error("no job");
      const attemptId = await claim(t, device, job.jobId);
      await t.mutation(api.work.append, { key: device.key, attemptId, seq: 0, text: "Blue" });
      const response = await answering;
      await ends[how](await signIn(t, acme), job.key as Id<"apiKeys">);
      const text = await response.text();
      expect(text).toContain('"code":"invalid_api_key"');
      expect(text).toContain(`This API key ${how === "revoked" ? "was revoked" : "expired at"}`);
      expect(logged.mock.calls).toEqual([]);
    },
  );

  it("keeps the job of a failed call if an idempotency key can find it again", async () => {
    await addDevice(t, acme);
    const asked = answer(brokenCtx(0), request(false, { "idempotency-key": "order-1" }));
    await expect(asked).rejects.toThrow();
    expect(await statusNow()).toBe("ready");
  });
});

it.each([false, true])(
  "submits one job when the handover fails (committed all the same: %s)",
  async (committed) => {
    const handovers: unknown[] = [];
    const ctx = {
      runQuery: async (query: FunctionReference<"query">, args: Record<string, unknown>): Promise<unknown> =>
        await t.query(query, args),
      runMutation: async (
        mutation: FunctionReference<"mutation">,
        args: Record<string, unknown>,
      ): Promise<unknown> => {
        if (getFunctionName(mutation) === "requests:submit") handovers.push(args["handOver"]);
        if (args["handOver"] === true) {
          if (committed) await t.mutation(mutation, args);
          throw new Error(
            'Documents read from or written to the "rings" table changed while this mutation was being run',
          );
        }
        return await t.mutation(mutation, args);
      },
    };
    const device = await addDevice(t, acme);
    const answering = answer(ctx as unknown as ActionCtx, request(false));
    await takeJob(t, device, async (job) => await job.complete("Blue."));
    expect((await answering).status).toBe(200);
    expect(handovers).toEqual([true, undefined]);
    expect(await allJobs(t, acme)).toHaveLength(1);
  },
);

it.each([
  [new Error('ArgumentValidationError: Value: "a secret"'), "ArgumentValidationError"],
  [new Error('Uncaught TypeError: "a secret"'), "TypeError"],
  [new RangeError("a secret"), "RangeError"],
  ["a secret", "string"],
])("logs the name of %o, and nothing of its message", (thrown, name) => {
  logBug("it failed", thrown);
  const [line] = logged.mock.calls[0] ?? [];
  expect(line).toMatch(new RegExp(`^it failed: ${name}( at |$)`));
  expect(line).not.toContain("secret");
});

it("logs where an error and its cause happened", () => {
  function overflowing(): never {
    throw new RangeError("a secret\n    at secret (secret.ts:1:1)");
  }
  function asking(): never {
    try {
      return overflowing();
    } catch (cause) {
      throw new Error("a secret", { cause });
    }
  }
  expect(asking).toThrow();
  try {
    asking();
  } catch (thrown) {
    logBug("it failed", thrown);
  }
  const [line] = logged.mock.calls[0] ?? [];
  expect(line).toMatch(/^it failed: Error at asking \(\S*brokenCall\.test\.ts:\d+:\d+\) at /);
  expect(line).toMatch(/, caused by RangeError at overflowing \(\S*brokenCall\.test\.ts:\d+:\d+\) at /);
  expect(line).not.toContain("secret");
});

it("logs where an error of a nested function happened, which is at the end of its message", () => {
  const frames =
    "    at claim (../../convex/model/jobs.ts:3:5)\n    at async handler (../convex/requests.ts:7:1)";
  logBug("it failed", new Error(`Uncaught TypeError: secret\n    at secret (/etc/secret:1:1)\n${frames}`));
  const [line] = logged.mock.calls[0] ?? [];
  expect(line).toMatch(
    /^it failed: TypeError at \.\.\/\.\.\/convex\/model\/jobs\.ts:3:5 at \.\.\/convex\/requests\.ts:7:1 at /,
  );
  expect(line).not.toContain("secret");
});
