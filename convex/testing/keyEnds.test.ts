import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import { expectError } from "./apiError.fixture.ts";
import {
  addDevice,
  type Backend,
  claim,
  expectBooksInOrder,
  expectRefusal,
  jobOf,
  listKeys,
  modelId,
  type Organization,
  pass,
  secret,
  statusOf,
  submit,
} from "./backend.fixture.ts";
import { lines, runDue, uploadFile } from "./batchFile.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let keyId: Id<"apiKeys">;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  keyId = (await listKeys(t, session))[0]!.keyId;
});

afterEach(closeWorld);

const hour = 3_600_000;
const models = async (apiKey: string): Promise<Response> =>
  await t.fetch("/v1/models", { headers: { authorization: `Bearer ${apiKey}` } });
const statusWith = async (apiKey: string): Promise<number> => (await models(apiKey)).status;

/** The work of the cron, each minute. */
async function endDue(): Promise<void> {
  await t.mutation(internal.maintenance.endDueKeys, {});
  await runDue(t);
}

async function startBatch(): Promise<void> {
  const input_file_id = await uploadFile(t, acme.apiKey, lines(3));
  const body = { input_file_id, endpoint: "/v1/chat/completions", completion_window: "24h" };
  const headers = { authorization: `Bearer ${acme.apiKey}` };
  await t.fetch("/v1/batches", { method: "POST", body: JSON.stringify(body), headers });
  await pass(t, 1);
  await runDue(t);
}

describe("a key with an end", () => {
  const expire = async (expiresAt: number | null): Promise<void> => {
    await t.mutation(api.console.keys.setAccess, { session, keyId, expiresAt });
  };

  it("is refused from then on, with the reason", async () => {
    await expire(Date.now() + hour);
    await pass(t, hour - 1);
    expect(await statusWith(acme.apiKey)).toBe(200);
    await pass(t, 1);
    const message =
      "This API key expired at 2027-01-15 09:00 UTC. An owner or administrator can set a later end, or make a new key.";
    await expectError(await models(acme.apiKey), 401, { code: "invalid_api_key", message });
  });

  it("ends its jobs and batches within a minute, also what devices run, and keeps its files", async () => {
    const device = await addDevice(t, acme);
    const [running, waiting] = [await submit(t, acme), await submit(t, acme)];
    await startBatch();
    await claim(t, device, running);
    await expire(Date.now() + hour);
    await pass(t, hour);
    await endDue();
    for (const jobId of [running, waiting]) {
      const { status, error } = await jobOf(t, acme, jobId);
      expect({ status, code: error?.code }).toEqual({ status: "canceled", code: "key_expired" });
    }
    const [batch] = await t.run(async (ctx) => await ctx.db.query("batches").collect());
    expect(batch?.status).toBe("cancelling");
    await t.mutation(internal.files.sweep, {});
    expect(await t.run(async (ctx) => await ctx.db.query("files").collect())).not.toEqual([]);
    await expectBooksInOrder(t);
    const { page } = await t.query(api.console.audit.list, {
      session,
      paginationOpts: { numItems: 20, cursor: null },
    });
    expect(page.filter(({ action }) => action === "api-key.expired")).toHaveLength(1);
  });

  it("works again with a later end, and then ends again", async () => {
    await expire(Date.now() + hour);
    await pass(t, hour);
    await endDue();
    await expire(Date.now() + hour);
    const jobId = await submit(t, acme);
    await endDue();
    expect(await statusOf(t, acme, jobId)).toBe("ready");
    await pass(t, hour);
    await endDue();
    expect(await statusOf(t, acme, jobId)).toBe("canceled");
  });

  it("can only be in the future", async () => {
    await expectRefusal(expire(Date.now()), "invalid");
    await expectRefusal(expire(Date.now() + 11 * 366 * 24 * hour), "invalid");
  });
});

describe("a rotated key", () => {
  const rotate = async (overlapMs: number): Promise<string> => {
    const apiKey = secret("sk-gleaner-");
    const made = { keyHash: await hashSecret(apiKey), prefix: apiKey.slice(0, 15) };
    await t.mutation(api.console.keys.rotate, { session, keyId, ...made, overlapMs });
    return apiKey;
  };
  const rowNow = async () => (await listKeys(t, session))[0]!;

  it("keeps its jobs and credits, and both secrets work until the end of the overlap", async () => {
    const jobId = await submit(t, acme);
    const { balanceMicro } = await rowNow();
    const apiKey = await rotate(hour);
    expect([await statusWith(acme.apiKey), await statusWith(apiKey)]).toEqual([200, 200]);
    expect((await t.query(api.requests.watch, { apiKey, jobId })).status).toBe("queued");
    expect(await rowNow()).toMatchObject({
      keyId,
      balanceMicro,
      prefix: apiKey.slice(0, 15),
      former: { prefix: acme.apiKey.slice(0, 14), until: Date.now() + hour },
    });
    await pass(t, hour);
    const message = expect.stringContaining("was replaced") as string;
    await expectError(await models(acme.apiKey), 401, { code: "invalid_api_key", message });
    expect(await statusWith(apiKey)).toBe(200);
    expect((await rowNow()).former).toBe(null);
    await endDue();
    expect(await statusWith(acme.apiKey)).toBe(401);
    expect(await t.run(async (ctx) => await ctx.db.get("apiKeys", keyId))).not.toHaveProperty("former");
  });

  it("has only the new secret without an overlap", async () => {
    const apiKey = await rotate(0);
    expect([await statusWith(acme.apiKey), await statusWith(apiKey)]).toEqual([401, 200]);
  });

  it("has its former secret ended at once, and only then gets another one", async () => {
    const second = await rotate(24 * hour);
    await expectRefusal(rotate(hour), "conflict");
    await t.mutation(api.console.keys.endFormer, { session, keyId });
    expect([await statusWith(acme.apiKey), await statusWith(second)]).toEqual([401, 200]);
    const third = await rotate(hour);
    expect([await statusWith(second), await statusWith(third)]).toEqual([200, 200]);
  });

  it("cannot get a secret that is known, nor one after its end", async () => {
    await rotate(24 * hour);
    await t.mutation(api.console.keys.endFormer, { session, keyId });
    const known = { keyHash: await hashSecret(acme.apiKey), prefix: "sk-gleaner-" };
    const { prefix } = await rowNow();
    const again = { session, keyId, prefix, overlapMs: 0 };
    const { keyHash } = (await t.run(async (ctx) => await ctx.db.get("apiKeys", keyId)))!;
    await expectRefusal(t.mutation(api.console.keys.rotate, { ...again, keyHash }), "conflict");
    await expectRefusal(t.mutation(api.console.keys.rotate, { ...again, keyHash: "short" }), "invalid");
    await expectRefusal(
      t.mutation(api.console.keys.rotate, { ...again, ...known, overlapMs: 31 * 24 * hour }),
      "invalid",
    );
    await t.mutation(api.console.keys.revoke, { session, keyId });
    await expectRefusal(t.mutation(api.console.keys.rotate, { ...again, ...known }), "revoked");
  });

  it("loses both secrets when it is revoked", async () => {
    const apiKey = await rotate(24 * hour);
    await t.mutation(api.console.keys.revoke, { session, keyId });
    expect([await statusWith(acme.apiKey), await statusWith(apiKey)]).toEqual([401, 401]);
  });

  it("does not get its replaced secret back by a restore", async () => {
    const before = await t.run(async (ctx) => await ctx.db.get("apiKeys", keyId));
    const apiKey = await rotate(0);
    const replaced = await t.run(async (ctx) => await ctx.db.get("apiKeys", keyId));
    await t.run(async (ctx) => await ctx.db.replace("apiKeys", keyId, before!));
    expect(await statusWith(acme.apiKey)).toBe(200);
    await t.mutation(internal.afterRestore.apply, {
      table: "apiKeys",
      documents: [replaced],
      isKnown: true,
    });
    expect([await statusWith(acme.apiKey), await statusWith(apiKey)]).toEqual([401, 200]);
    // The undo of the restore is about an older state.
    await t.mutation(internal.afterRestore.apply, { table: "apiKeys", documents: [before], isKnown: true });
    expect([await statusWith(acme.apiKey), await statusWith(apiKey)]).toEqual([401, 200]);
  });

  it("shows in the audit trail what became of the former secret, and no hash", async () => {
    await rotate(24 * hour);
    await t.mutation(api.console.keys.endFormer, { session, keyId });
    const { page } = await t.query(api.console.audit.list, {
      session,
      paginationOpts: { numItems: 2, cursor: null },
    });
    expect(page).toMatchObject([
      { action: "api-key.former-secret-ended" },
      { action: "api-key.rotated", detail: "the former secret works until 2027-01-16T08:00:00.000Z" },
    ]);
    expect(JSON.stringify(page)).not.toContain(await hashSecret(acme.apiKey));
  });
});

it("a revoked key ends its batch and the jobs that devices run", async () => {
  const device = await addDevice(t, acme);
  const running = await submit(t, acme);
  await claim(t, device, running);
  await startBatch();
  await t.mutation(api.console.keys.revoke, { session, keyId });
  for (let times = 0; times < 4; times += 1) await runDue(t);
  expect((await jobOf(t, acme, running)).error?.code).toBe("key_revoked");
  expect(await t.query(api.work.held, { key: device.key })).toEqual([]);
  const [batch] = await t.run(async (ctx) => await ctx.db.query("batches").collect());
  expect(["cancelling", "cancelled"]).toContain(batch?.status);
  const headers = { authorization: `Bearer ${acme.apiKey}` };
  const body = JSON.stringify({ model: modelId, messages: [{ role: "user", content: "Hi" }] });
  const refused = await t.fetch("/v1/chat/completions", { method: "POST", headers, body });
  await expectError(refused, 401, { message: "This API key was revoked." });
});
