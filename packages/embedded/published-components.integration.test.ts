import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConvexHttpClient } from "convex/browser";
import { anyApi, type FunctionReference, getFunctionName } from "convex/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Backend } from "./compose/backend-options.ts";
import { eventually } from "./scheduler/scheduling.fixture.ts";
import { startBackend } from "./server.ts";

// Convex's own components, unmodified from their packages, driven by their published clients.
const fixtureFolder = fileURLToPath(new URL("./fixtures/published-components/convex", import.meta.url));
const patienceMs = 60_000;

let folder: string;
let backend: Backend;
let client: ConvexHttpClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "components-"));
  backend = await startBackend({
    convexDir: fixtureFolder,
    dataFile: join(folder, "data.sqlite"),
    port: 0,
    sitePort: 0,
    adminKey: "test-admin-key",
  });
  client = new ConvexHttpClient(backend.url, { logger: false });
}, patienceMs);

afterAll(async () => {
  await backend.close();
  await rm(folder, { recursive: true });
});

type Args = Record<string, unknown>;
const api = anyApi as unknown as Record<
  string,
  Record<string, FunctionReference<"query" | "mutation" | "action">>
>;

function reference(path: string): FunctionReference<never> {
  const [module, name] = path.split(":") as [string, string];
  const found = api[module]?.[name];
  if (found === undefined || getFunctionName(found) !== path) throw new Error(`No function ${path}`);
  return found as FunctionReference<never>;
}

const query = (path: string, args: Args = {}) => client.query(reference(path), args) as Promise<unknown>;
const mutate = (path: string, args: Args = {}) => client.mutation(reference(path), args) as Promise<unknown>;
const act = (path: string, args: Args = {}) => client.action(reference(path), args) as Promise<unknown>;

const until = (assertion: () => Promise<void>) => eventually(assertion, patienceMs);
const notes = () => query("notes:all") as Promise<string[]>;

describe("@convex-dev/rate-limiter", () => {
  test("a rate limiter's token bucket admits its capacity, then says when to retry; keys are separate", async () => {
    const take = (key: string) => mutate("limits:take", { limit: "slow", key }) as Promise<{ ok: boolean }>;
    expect(await take("a")).toMatchObject({ ok: true });
    expect(await take("a")).toMatchObject({ ok: true });
    const refused = (await take("a")) as { ok: boolean; retryAfter: number };
    expect(refused.ok).toBe(false);
    expect(refused.retryAfter).toBeGreaterThan(3_000_000);
    expect(await query("limits:check", { limit: "slow", key: "a" })).toMatchObject({ ok: false });
    expect(await take("b")).toMatchObject({ ok: true });
    await mutate("limits:reset", { limit: "slow", key: "a" });
    expect(await take("a")).toMatchObject({ ok: true });
  });

  test("a request refused by the rate limiter is admitted after its wait", async () => {
    const take = () => mutate("limits:take", { limit: "quick", key: "a" }) as Promise<{ ok: boolean }>;
    expect(await take()).toMatchObject({ ok: true });
    expect(await take()).toMatchObject({ ok: false });
    await until(async () => expect(await take()).toMatchObject({ ok: true }));
  });

  test("a rate limit that throws gives a ConvexError with its data", async () => {
    const take = () => mutate("limits:takeOrThrow", { limit: "windowed", key: "a" });
    for (let count = 0; count < 3; count += 1) await take();
    await expect(take()).rejects.toMatchObject({ data: { kind: "RateLimited", name: "windowed" } });
  });

  test("the rate limiter's batch worker applies deferred updates", async () => {
    for (let count = 0; count < 5; count += 1) {
      expect(await mutate("limits:take", { limit: "relaxed", key: "a", count: 10 })).toMatchObject({
        ok: true,
      });
    }
    await until(async () => {
      expect(await query("limits:value", { limit: "relaxed", key: "a" })).toBeLessThan(51);
    });
  });
});

test("many callers of one rate limit do not conflict when updates are deferred", async () => {
  const crowd = Array.from({ length: 60 }, () => mutate("limits:take", { limit: "relaxed", key: "crowd" }));
  for (const taken of await Promise.all(crowd)) expect(taken).toMatchObject({ ok: true });
});

describe("@convex-dev/workpool", () => {
  test(
    "a workpool retries a failing action until it succeeds, and reports its completion",
    async () => {
      const id = await mutate("pool:enqueueAction", { name: "shaky", failures: 2 });
      await until(async () => {
        expect(await query("pool:status", { id })).toBe("finished");
        expect(await notes()).toContain("shaky: shaky after 3");
      });
    },
    patienceMs,
  );

  test(
    "a workpool reports an action that always fails as failed",
    async () => {
      await mutate("pool:enqueueAction", { name: "broken", failures: 100 });
      await until(async () => expect(await notes()).toContain("broken: failed"));
      expect((await notes()).filter((text) => text === "try broken")).toHaveLength(3);
    },
    patienceMs,
  );

  test(
    "a workpool without parallelism runs its mutations one by one, each once",
    async () => {
      const texts = ["one", "two", "three", "four", "five"];
      await mutate("pool:enqueueMutations", { texts });
      await until(async () => {
        const all = await notes();
        expect(all.filter((text) => texts.includes(text)).sort()).toEqual([...texts].sort());
        expect(all.filter((text) => text.startsWith("mutation: "))).toHaveLength(texts.length);
      });
    },
    patienceMs,
  );

  test(
    "a workpool reports canceled work as canceled and never runs it",
    async () => {
      const id = await mutate("pool:enqueueLate", { text: "never" });
      await mutate("pool:cancel", { id });
      await until(async () => expect(await notes()).toContain("late: canceled"));
      expect(await notes()).not.toContain("never");
    },
    patienceMs,
  );
});

describe("@convex-dev/aggregate", () => {
  test("an aggregate counts, sums, ranks and pages through a table's documents", async () => {
    const ids: unknown[] = [];
    for (const score of [30, 10, 50, 20, 40]) {
      ids.push(await mutate("scores:add", { player: "p", score }));
    }
    expect(await query("scores:summary")).toEqual({ count: 5, sum: 150, min: 10, max: 50 });
    expect(await query("scores:at", { offset: 1 })).toBe(20);
    expect(await query("scores:at", { offset: -1 })).toBe(50);
    expect(await query("scores:rank", { score: 40 })).toBe(3);
    expect(await query("scores:atLeast", { score: 30 })).toBe(3);
    expect(await query("scores:pages", { pageSize: 2 })).toEqual([10, 20, 30, 40, 50]);
    await mutate("scores:remove", { id: ids[0] });
    expect(await query("scores:summary")).toEqual({ count: 4, sum: 120, min: 10, max: 50 });
    expect(await mutate("scores:staleCount")).toBe(4);
  });

  test("an aggregate splits its tree as it grows, per namespace", async () => {
    for (let count = 1; count <= 60; count += 1) {
      expect(await mutate("scores:addDirect", { key: `key ${String(count).padStart(3, "0")}` })).toBe(count);
    }
    expect(await query("scores:summary")).toMatchObject({ count: 4 });
  });

  test(
    "an aggregate's batch worker makes deferred inserts",
    async () => {
      await mutate("scores:add", { player: "p", score: 5, later: true });
      await until(async () =>
        expect(await query("scores:summary")).toMatchObject({ count: 5, sum: 125, min: 5 }),
      );
    },
    patienceMs,
  );
});

describe("@convex-dev/sharded-counter", () => {
  test("a sharded counter adds up many concurrent writes from mutations and actions", async () => {
    await Promise.all(Array.from({ length: 20 }, () => mutate("counter:add", { name: "hits", count: 2 })));
    await act("counter:addByAction", { name: "hits", count: -5 });
    expect(await query("counter:count", { name: "hits" })).toBe(35);
    expect(await query("counter:count", { name: "other" })).toBe(0);
    await mutate("counter:rebalance", { name: "hits" });
    expect(await query("counter:estimate", { name: "hits" })).toBe(35);
    await mutate("counter:reset", { name: "hits" });
    expect(await query("counter:count", { name: "hits" })).toBe(0);
  });
});

describe("@convex-dev/crons", () => {
  test(
    "dynamic crons are registered, fire repeatedly, and stop",
    async () => {
      await mutate("timers:every", { ms: 1_000, text: "by interval" });
      await mutate("timers:everySecond", { text: "by cron" });
      await expect(mutate("timers:every", { ms: 1_000, text: "by cron" })).rejects.toThrow();
      expect(await query("timers:list")).toEqual([
        { name: "by interval", kind: "interval" },
        { name: "by cron", kind: "cron" },
      ]);
      const fired = async (name: string) => (await notes()).filter((text) => text === name).length;
      await until(async () => {
        expect(await fired("by interval")).toBeGreaterThanOrEqual(2);
        expect(await fired("by cron")).toBeGreaterThanOrEqual(2);
      });
      await mutate("timers:stop", { name: "by interval" });
      await mutate("timers:stop", { name: "by cron" });
      expect(await query("timers:list")).toEqual([]);
    },
    patienceMs,
  );
});
