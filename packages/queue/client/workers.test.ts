import { createHash } from "node:crypto";
import { ConvexError } from "convex/values";
import { expect, it, vi } from "vitest";
import { installQueue, scope } from "./installed.fixture.ts";

const hello = { capabilities: { kinds: ["hash"] }, startup: true };
const sha256 = (key: string): string => createHash("sha256").update(key).digest("hex");
/** The hash of an app that had keys before it installed the queue. */
const salted = (key: string): Promise<string> => Promise.resolve(sha256(`pepper ${key}`));

async function refused(call: Promise<unknown>): Promise<string> {
  const thrown: unknown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof ConvexError)) throw new Error("not refused", { cause: thrown });
  const data: unknown = typeof thrown.data === "string" ? JSON.parse(thrown.data) : thrown.data;
  return (data as { readonly code: string }).code;
}

it("registers a worker by the hash of its key, and accepts the key", async () => {
  const { t, queue, work } = installQueue();
  const keyHash = sha256("secret");
  const workerId = await t.mutation((ctx) => queue.workers.register(ctx, scope, { keyHash, name: "laptop" }));
  expect(await t.mutation(work.hello, { key: "secret", ...hello })).toMatchObject({ workerId });
  expect(await t.query((ctx) => queue.workers.byKey(ctx, "secret"))).toMatchObject({ workerId, scope });
  // The stored hash is no key.
  expect(await refused(t.mutation(work.hello, { key: keyHash, ...hello }))).toBe("unauthorized");
});

it("hashes keys with the app's own function", async () => {
  const { t, queue, work } = installQueue({ hashKey: salted });
  const byKey = await t.mutation((ctx) => queue.workers.register(ctx, scope, { key: "one", name: "a" }));
  const keyHash = await salted("two");
  const byHash = await t.mutation((ctx) => queue.workers.register(ctx, scope, { keyHash, name: "b" }));
  expect(await t.mutation(work.hello, { key: "one", ...hello })).toMatchObject({ workerId: byKey });
  expect(await t.mutation(work.hello, { key: "two", ...hello })).toMatchObject({ workerId: byHash });
  expect(await t.query((ctx) => queue.workers.byKey(ctx, "one"))).toMatchObject({ workerId: byKey });

  // A worker that was registered with the default hash is refused.
  const usual = { keyHash: sha256("three"), name: "c" };
  await t.mutation((ctx) => queue.workers.register(ctx, scope, usual));
  expect(await refused(t.mutation(work.hello, { key: "three", ...hello }))).toBe("unauthorized");
});

it("gives jobs to a worker whose key is hashed with the app's own function", async () => {
  const { t, queue, work } = installQueue({ hashKey: salted });
  await t.mutation((ctx) => queue.workers.register(ctx, scope, { key: "one", name: "a" }));
  await t.mutation(work.hello, { key: "one", ...hello });
  const submitted = await t.mutation((ctx) => queue.submit(ctx, scope, { kind: "hash", payload: "a.txt" }));
  if (submitted.kind !== "submitted") throw new Error(submitted.kind);
  const taken = await t.mutation(work.take, { key: "one", demand: { jobs: 1 } });
  if (taken.kind !== "ok") throw new Error(taken.kind);
  expect(taken.jobs).toMatchObject([{ jobId: submitted.jobId, payload: "a.txt" }]);
  expect(await t.query(work.held, { key: "one" })).toHaveLength(1);
  const attemptId = String(taken.jobs[0]?.attemptId);
  await t.mutation(work.complete, { key: "one", attemptId, result: { sha256: "…" }, demand: { jobs: 0 } });
  const result = await t.query((ctx) => queue.result(ctx, scope, submitted.jobId));
  expect(result).toMatchObject({ result: { sha256: "…" } });
});

it("finds a worker by its id and by the app's own, only in its scope", async () => {
  const { t, queue, work } = installQueue();
  const worker = {
    key: "secret",
    name: "laptop",
    externalId: "device 7",
    groups: ["b", "a"],
    dataClasses: ["own"],
  };
  const workerId = await t.mutation((ctx) => queue.workers.register(ctx, scope, worker));
  await t.mutation(work.hello, { key: "secret", version: "1.2.0", ...hello });
  const byId = await t.query((ctx) => queue.workers.get(ctx, scope, workerId));
  expect(byId).toMatchObject({
    workerId,
    name: "laptop",
    externalId: "device 7",
    groups: ["a", "b"],
    dataClasses: ["own"],
    status: "active",
    online: true,
    accepting: false,
    version: "1.2.0",
    capabilities: { kinds: ["hash"] },
  });
  const byExternalId = (of: string, id: string) => t.query((ctx) => queue.workers.byExternalId(ctx, of, id));
  expect(await byExternalId(scope, "device 7")).toEqual(byId);
  expect(await byExternalId(scope, "device 8")).toBeNull();
  expect(await byExternalId("another", "device 7")).toBeNull();
  expect(await t.query((ctx) => queue.workers.get(ctx, "another", workerId))).toBeNull();
  expect(await t.query((ctx) => queue.workers.get(ctx, scope, "no id"))).toBeNull();
});

it("makes a key without one, shows it once, and stores only its hash and prefix", async () => {
  const { t, queue, work } = installQueue();
  const register = (name: string) => t.mutation((ctx) => queue.workers.register(ctx, scope, { name }));
  const [made, other] = [await register("a"), await register("b")];
  expect(made.key).toMatch(/^wk_[0-9a-f]{64}$/);
  expect(made.key.startsWith(made.keyPrefix)).toBe(true);
  expect(other.key).not.toBe(made.key);
  expect(await t.mutation(work.hello, { key: made.key, ...hello })).toMatchObject({
    workerId: made.workerId,
  });
  const seen = await t.query((ctx) => queue.workers.get(ctx, scope, made.workerId));
  expect(seen).toMatchObject({ keyPrefix: made.keyPrefix });
  expect(JSON.stringify(seen)).not.toContain(made.key);
});

it("sets limits at registration and removes them later", async () => {
  const { t, queue, work } = installQueue();
  const limits = { allowedCapabilities: { kinds: ["copy"] }, maxConcurrentJobs: 1 };
  const workerId = await t.mutation((ctx) =>
    queue.workers.register(ctx, scope, { key: "one", name: "a", ...limits }),
  );
  await t.mutation(work.hello, { key: "one", ...hello });
  const view = () => t.query((ctx) => queue.workers.get(ctx, scope, workerId));
  expect(await view()).toMatchObject({ ...limits, capabilities: { kinds: [] } });
  const none = { workerId, allowedCapabilities: null, maxConcurrentJobs: null };
  await t.mutation((ctx) => queue.workers.update(ctx, scope, none));
  expect(await view()).toMatchObject({ maxConcurrentJobs: null, capabilities: { kinds: ["hash"] } });
});

it("lists the workers that changed since a moment, and no others", async () => {
  const { t, queue, work } = installQueue();
  const register = (key: string) =>
    t.mutation((ctx) => queue.workers.register(ctx, scope, { key, name: key }));
  await register("still");
  await register("moved");
  const workerOf = async (key: string) => (await t.query((ctx) => queue.workers.byKey(ctx, key)))!;
  const since = Math.max((await workerOf("still")).lastChangeAt, (await workerOf("moved")).lastChangeAt) + 1;
  const changed = async (of = scope) =>
    await t.query((ctx) =>
      queue.workers.changed(ctx, of, { since, paginationOpts: { numItems: 10, cursor: null } }),
    );
  expect((await changed()).page).toEqual([]);
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(since));
  await t.mutation(work.hello, { key: "moved", version: "1.2.0", ...hello });
  expect(await changed()).toMatchObject({ page: [{ name: "moved", online: true }], isDone: true });
  expect((await changed("another")).page).toEqual([]);
});
