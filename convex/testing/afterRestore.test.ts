import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { oldestVersion } from "../../app/versions.ts";
import { api, internal } from "../_generated/api.js";
import type { Doc } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import {
  addDevice,
  addOrganization,
  type Backend,
  type Device,
  expectRefusal,
  type Organization,
  pass,
  secret,
} from "./backend.fixture.ts";
import { addWebhook } from "./webhook.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(() => {
  vi.unstubAllEnvs();
  closeWorld();
});

const tables = [
  "apiKeys",
  "enrolmentCodes",
  "signInLinks",
  "devices",
  "organizations",
  "metricsTokens",
  "webhooks",
  "removedWebhooks",
  "dataKeys",
] as const;
const documentsOf = async (table: (typeof tables)[number]) =>
  await t.run(async (ctx) => await ctx.db.query(table).take(10));
const apply = async (table: string | null, documents: readonly object[], isKnown = true) =>
  await t.mutation(internal.afterRestore.apply, { table, documents: [...documents], isKnown });

it("asks for the tables with documents that a restore must not make less strict", async () => {
  expect(await t.query(internal.afterRestore.tables, {})).toEqual([...tables]);
});

it("keeps the bounds that a key got after the backup", async () => {
  const [key] = await documentsOf("apiKeys");
  const bounds = {
    scopes: ["jobs"],
    models: ["a"],
    addresses: ["10.0.0.0/8"],
    quotas: { day: { requests: 5 } },
  };
  await apply("apiKeys", [{ ...key, ...bounds }]);
  expect(await documentsOf("apiKeys")).toMatchObject([bounds]);
  await apply("apiKeys", [{ ...key, scopes: ["usage"] }]);
  expect(await documentsOf("apiKeys")).toMatchObject([bounds]);
});

describe("a webhook", () => {
  const old = "https://old.example/hook";
  const list = async () => await t.query(api.console.webhooks.endpoints.list, { session });
  const add = async () => (await addWebhook(t, session, old, ["job.completed"])).webhookId;

  it("that was removed after the backup stays so, also in a later restore", async () => {
    const webhookId = await add();
    const [backup] = await documentsOf("webhooks");
    await t.mutation(api.console.webhooks.endpoints.remove, { session, webhookId });
    const removed = await documentsOf("removedWebhooks");
    const restore = async (replaced: readonly object[]) => {
      await t.run(async (ctx) => {
        for (const { _id } of await ctx.db.query("removedWebhooks").collect())
          await ctx.db.delete("removedWebhooks", _id);
        // A restore keeps ids. Here the row gets a new one.
        const { _id: _, _creationTime: __, ...webhook } = backup as Doc<"webhooks">;
        await ctx.db.insert("webhooks", webhook);
      });
      const [{ _id: restored }] = (await documentsOf("webhooks")) as [Doc<"webhooks">];
      await apply(
        "removedWebhooks",
        replaced.map((row) => ({ ...row, webhookId: restored })),
      );
    };
    await restore(removed);
    expect(await list()).toEqual([]);
    const carried = await documentsOf("removedWebhooks");
    expect(carried).toHaveLength(1);
    await restore(carried);
    expect(await list()).toEqual([]);
  });

  it("that was changed after the backup keeps its new settings", async () => {
    const webhookId = await add();
    const { _id: apiKeyId } = (await t.run(async (ctx) => await ctx.db.query("apiKeys").first()))!;
    const [backup] = (await documentsOf("webhooks")) as [Doc<"webhooks">];
    vi.advanceTimersByTime(1_000);
    const settings = { name: "New", url: "https://new.example/hook", apiKeyId };
    const change = { session, webhookId, ...settings, events: ["job.failed" as const] };
    await t.mutation(api.console.webhooks.endpoints.change, change);
    await t.action(api.console.webhooks.endpoints.replaceSecret, { session, webhookId });
    await t.mutation(api.console.webhooks.endpoints.setEnabled, { session, webhookId, enabled: false });
    const replaced = await documentsOf("webhooks");
    await t.run(async (ctx) => await ctx.db.replace("webhooks", webhookId, backup));
    await apply("webhooks", replaced);
    expect(await documentsOf("webhooks")).toEqual(replaced);
    // The undo of the restore brings the newer settings back, whatever the replaced state has.
    await apply("webhooks", [backup]);
    expect(await documentsOf("webhooks")).toEqual(replaced);
  });
});

it("only makes the restored documents stricter", async () => {
  const { key, deviceId } = await addDevice(t, acme);
  const tokenHash = await hashSecret(secret("gm_"));
  await t.mutation(api.console.statistics.setMetricsToken, { session, tokenHash });
  const replaced = await Promise.all(tables.map(documentsOf));
  const keyId = await t.run(async (ctx) => (await ctx.db.query("apiKeys").first())!._id);
  const codeId = await t.run(async (ctx) => (await ctx.db.query("enrolmentCodes").first())!._id);
  await t.mutation(api.console.keys.revoke, { session, keyId });
  await t.mutation(api.console.codes.revoke, { session, codeId });
  await t.mutation(api.console.devices.retire, { session, deviceId });
  await t.mutation(api.console.statistics.removeMetricsToken, { session });
  const before = await Promise.all(tables.map(documentsOf));
  // The replaced state is older and less strict here, as after the undo of a restore.
  for (const [at, table] of tables.entries()) await apply(table, replaced[at] ?? []);
  expect(await Promise.all(tables.map(documentsOf))).toEqual(before);
  expect((await t.query(api.devices.me, { key })).status).toBe("retired");
});

it("keeps a token for metrics revoked", async () => {
  const token = secret("gm_");
  await t.mutation(api.console.statistics.setMetricsToken, { session, tokenHash: await hashSecret(token) });
  const [restored] = await documentsOf("metricsTokens");
  await apply("metricsTokens", [{ ...restored, revokedAt: Date.now() }]);
  expect(await t.query(internal.metrics.read, { token })).toBeNull();
});

it("records that the restore retired a device, not an admin", async () => {
  const { deviceId } = await addDevice(t, acme);
  const [restored] = await documentsOf("devices");
  await apply("devices", [{ ...restored, status: "retired" }]);
  expect(await t.run(async (ctx) => await ctx.db.query("audit").order("desc").first())).toMatchObject({
    action: "device.retired",
    actor: "setup",
    subject: deviceId,
  });
});

it("records that a device stays paused", async () => {
  const { key, deviceId } = await addDevice(t, acme);
  const [restored] = await documentsOf("devices");
  const pause = { at: 1_799_999_000_000, failed: 9, of: 10, cause: "answers" };
  await apply("devices", [{ ...restored, pause }]);
  expect((await t.query(api.devices.me, { key })).status).toBe("paused");
  expect(await t.run(async (ctx) => await ctx.db.query("audit").order("desc").first())).toMatchObject({
    action: "device.paused",
    actor: "setup",
    subject: deviceId,
    detail: expect.stringMatching(
      /^Paused before the restore, and it stays so: 9 of its last 10 jobs failed/,
    ),
  });
});

it("replaces the sharing secret of every organization, since a device that was retired knows it", async () => {
  const rival = await addOrganization(t, { name: "Rival" });
  const members = [await addDevice(t, acme), await addDevice(t, rival)];
  const secrets = async () =>
    await Promise.all(members.map(async ({ key }) => (await t.query(api.devices.me, { key })).sharing));
  const before = await secrets();
  await apply(null, []);
  const after = await secrets();
  for (const [at, sharing] of after.entries()) {
    expect(sharing).toEqual({ secret: expect.stringMatching(/^[0-9a-f]{64}$/), previous: null });
    expect(sharing?.secret).not.toBe(before[at]?.secret);
  }
});

describe("the oldest version whose devices get jobs", () => {
  const oldest = async () => await t.query(api.console.devices.oldestVersion, { session });
  const restore = async (restored: string | undefined, replaced: string | undefined) => {
    const [organization] = await documentsOf("organizations");
    await t.run(async (ctx) => {
      await ctx.db.patch("organizations", acme.organizationId, { oldestVersion: restored });
    });
    await apply("organizations", [{ ...organization, oldestVersion: replaced }]);
    await pass(t, 10);
  };

  it("stays as strict as before the restore, and the audit trail says so", async () => {
    const { key } = await addDevice(t, acme);
    await restore(undefined, "0.2.0");
    expect(await oldest()).toBe("0.2.0");
    expect((await t.query(api.devices.me, { key })).status).toBe("outdated");
    expect(await t.run(async (ctx) => await ctx.db.query("audit").order("desc").first())).toMatchObject({
      action: "version.required",
      actor: "setup",
      subject: acme.organizationId,
      detail: `oldest version: ${oldestVersion} → 0.2.0; as before the restore`,
    });
  });

  it.each([undefined, "0.1.0", "0.3.0", "0.4.0\u202e"])(
    "is the backup's if that is stricter than %j",
    async (replaced) => {
      await restore("0.3.0", replaced);
      expect(await oldest()).toBe("0.3.0");
    },
  );
});

it("is refused before anything changes if a signing key is malformed", async () => {
  for (const name of ["GLEANER_SIGNING_KEY", "GLEANER_SIGNING_KEY_PREVIOUS"]) {
    vi.stubEnv(name, "too short");
    await expect(t.query(internal.afterRestore.tables, {})).rejects.toThrow(
      `${name} must be 32 random bytes`,
    );
    vi.stubEnv(name, "");
  }
});

describe("revoking all that a backup brings back", () => {
  /** Revokes page by page, as the embedded backend does, and returns the sums. */
  async function revokeAll(): Promise<Record<string, number>> {
    const sums: Record<string, number> = {};
    let next: string | null = "";
    while (next !== null) {
      const page: { counts: Record<string, number>; next: string | null } = await t.mutation(
        internal.afterRestore.revokeAll,
        { next },
      );
      for (const [name, count] of Object.entries(page.counts)) sums[name] = (sums[name] ?? 0) + count;
      ({ next } = page);
    }
    return sums;
  }

  it("revokes keys, devices, codes, links and tokens, counts them, and leaves nothing for a second time", async () => {
    const devices = await Promise.all(Array.from({ length: 60 }, async () => await addDevice(t, acme)));
    const token = secret("gs_");
    await t.mutation(internal.setup.signInLink, { tokenHash: await hashSecret(token) });
    const metricsToken = secret("gm_");
    const tokenHash = await hashSecret(metricsToken);
    await t.mutation(api.console.statistics.setMetricsToken, { session, tokenHash });
    const some = { apiKeys: 1, devices: 60, enrollmentCodes: 1, signInLinks: 1, metricsTokens: 1 };
    expect(await revokeAll()).toEqual(some);
    expect(await t.query(internal.metrics.read, { token: metricsToken })).toBeNull();

    const { key } = devices[59]!;
    expect((await t.query(api.devices.me, { key })).status).toBe("retired");
    await expectRefusal(t.mutation(internal.requests.admit, { apiKey: acme.apiKey }), "revoked");
    const later = secret("gs_");
    expect(await t.mutation(api.console.account.signIn, { token, session: later })).toMatchObject({
      reason: "used",
    });
    const enroll = { code: acme.code, key: secret("gd_"), name: "new", platform: "linux-x64" };
    expect(await t.mutation(api.devices.enroll, enroll)).toMatchObject({ reason: "revoked" });
    const none = { apiKeys: 0, devices: 0, enrollmentCodes: 0, signInLinks: 0, metricsTokens: 0 };
    expect(await revokeAll()).toEqual(none);
    const actions = await t.run(async (ctx) =>
      (await ctx.db.query("audit").collect())
        .filter(({ actor }) => actor === "setup")
        .map(({ action }) => action),
    );
    expect(actions.filter((action) => action === "device.retired")).toHaveLength(60);
    expect(actions).toEqual(expect.arrayContaining(["api-key.revoked", "enrolment-code.revoked"]));
  });

  it("is said in the audit trail", async () => {
    await t.mutation(internal.afterRestore.apply, {
      table: null,
      documents: [],
      isKnown: false,
      isRevoked: true,
    });
    expect(await t.run(async (ctx) => await ctx.db.query("audit").order("desc").first())).toMatchObject({
      action: "backup.restored",
      detail: expect.stringMatching(
        /^All API keys, devices, enrollment codes, sign-in links and tokens .* revoked$/,
      ),
    });
  });
});

it("ignores secrets that the backup does not have, and fields that it does not know", async () => {
  for (const table of tables) {
    const hash = "ef".repeat(32);
    const strict = {
      keyHash: hash,
      codeHash: hash,
      tokenHash: hash,
      revokedAt: 1,
      usedAt: 1,
      status: "retired",
    };
    await apply(table, [strict, { other: 1 }]);
  }
  expect(await documentsOf("apiKeys")).toMatchObject([{ name: "first key" }]);
});

it("ends all sessions at the end, and says in the audit trail if nothing was known", async () => {
  await apply(null, [], false);
  expect(await t.query(api.console.account.me, { session })).toBeNull();
  const entries = await t.run(async (ctx) => await ctx.db.query("audit").order("desc").take(1));
  expect(entries).toMatchObject([
    { action: "backup.restored", detail: expect.stringContaining("could not be read") },
  ]);
});

describe("the catalog of a backup", () => {
  let device: Device;

  beforeEach(async () => {
    device = await addDevice(t, acme);
  });

  const setKey = (secret: string): void => {
    vi.stubEnv("GLEANER_SIGNING_KEY", secret.repeat(43));
  };
  const catalog = async () => (await t.query(api.devices.me, { key: device.key })).catalog;
  const sign = async () => {
    setKey("A");
    await t.mutation(internal.setup.signCatalogs, {});
    return await catalog();
  };
  /** Ends a restore one second later, and returns the detail of its entry in the audit trail. */
  const restore = async (): Promise<string | undefined> => {
    vi.advanceTimersByTime(1_000);
    await apply(null, []);
    return (await t.run(async (ctx) => await ctx.db.query("audit").order("desc").first()))?.detail;
  };

  it("is signed again as the newest, so that devices accept it", async () => {
    const before = await sign();
    const detail = await restore();
    const after = await catalog();
    expect(after?.publicKey).toBe(before?.publicKey);
    expect(after?.version).toBe((before?.version ?? 0) + 1_000);
    expect(await t.mutation(internal.setup.signCatalogs, {})).toMatchObject([{ outcome: "unchanged" }]);
    expect(detail).not.toContain("models");
  });

  it("is not signed if somebody changed it, and the audit trail says so", async () => {
    const before = await sign();
    await t.run(async (ctx) => {
      const model = await ctx.db.query("models").first();
      await ctx.db.patch("models", model!._id, { sha256: "ee".repeat(32) });
    });
    expect(await restore()).toContain("models of the backup are not those that were signed");
    expect(await catalog()).toEqual(before);
  });

  it.each(["", "B"])("stays as it is if its key is not there, and the audit trail says so", async (other) => {
    const before = await sign();
    setKey(other);
    expect(await restore()).toContain("key that this backend does not have");
    expect(await catalog()).toEqual(before);
  });

  it("stays unsigned without a signing key", async () => {
    setKey("");
    expect(await restore()).not.toContain("models");
    expect(await catalog()).toBeNull();
  });
});
