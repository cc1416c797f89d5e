import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import {
  addDevice,
  type Backend,
  claim,
  complete,
  expectRefusal,
  greeting,
  type Organization,
  pass,
  secret,
  submit,
  take,
} from "./backend.fixture.ts";
import { listDevices } from "./listDevices.fixture.ts";
import { makeSigningKey, registrationOf } from "./signing.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

type Caller = Pick<Backend, "mutation">;

const enroll = async (code: string, key = secret("gd_"), from: Caller = t) =>
  await from.mutation(api.devices.enroll, {
    code,
    key,
    name: "laptop",
    platform: "linux-x64",
    signingKey: registrationOf(makeSigningKey(), key),
  });

async function enrolled(code: string, from: Caller = t): Promise<{ key: string; deviceId: Id<"devices"> }> {
  const key = secret("gd_");
  const outcome = await enroll(code, key, from);
  if (outcome.kind !== "enrolled") throw new Error(outcome.reason);
  return { key, deviceId: outcome.deviceId };
}

async function newCode(over: { readonly uses?: number; readonly needsApproval?: boolean } = {}) {
  const code = `GLN-${secret("").slice(0, 4).toUpperCase()}-0000-1111`;
  const { codeId } = await t.mutation(api.console.codes.create, {
    session,
    codeHash: await hashSecret(code),
    label: "Lab",
    uses: 1,
    expiresInHours: 1,
    ...over,
  });
  return { code, codeId };
}

const deviceRows = async () => await listDevices(t, session);
const statusOf = async (key: string) => (await t.query(api.devices.me, { key })).status;
const audited = async () => {
  const paginationOpts = { numItems: 100, cursor: null };
  return (await t.query(api.console.audit.list, { session, paginationOpts })).page;
};

describe("the first code of a new organization", () => {
  const setUp = async (): Promise<string> => {
    const code = "GLN-3333-4444-5555";
    await t.mutation(internal.setup.createOrganization, {
      name: "New",
      signInTokenHash: await hashSecret(secret("gs_")),
      apiKeyHash: await hashSecret(secret("sk-gleaner-")),
      apiKeyName: "first key",
      apiKeyPrefix: "sk-gleaner-1",
      enrollmentCodeHash: await hashSecret(code),
      model: {
        modelId: "m",
        sha256: "ab".repeat(32),
        sizeBytes: 1_000,
        contextTokens: 512,
        source: "bundled",
        promptMicro: 1n,
        completionMicro: 1n,
      },
      creditsMicro: 0n,
    });
    return code;
  };

  it("admits one device", async () => {
    const code = await setUp();
    expect(await enroll(code)).toMatchObject({ kind: "enrolled" });
    expect(await enroll(code)).toEqual({ kind: "refused", reason: "used-up" });
  });

  it("expires after a day", async () => {
    const code = await setUp();
    vi.setSystemTime(Date.now() + 24 * 3_600_000);
    expect(await enroll(code)).toEqual({ kind: "refused", reason: "expired" });
  });
});

describe("where a device came from", () => {
  it("is its code, its address and the time, in the console and in the audit trail", async () => {
    const { code, codeId } = await newCode({ uses: 2 });
    const from = t.withRequestMetadata({ ip: "203.0.113.7" });
    const { deviceId } = await enrolled(code, from);
    const at = Date.now();
    expect((await deviceRows()).find((row) => row.deviceId === deviceId)).toMatchObject({
      enrolledAt: at,
      enrolledBy: { codeId, label: "Lab" },
      enrolledFrom: "203.0.113.7",
    });
    expect(await t.query(api.console.codes.devices, { session, codeId })).toMatchObject({
      active: 1,
      pending: 0,
      retired: 0,
      devices: [{ deviceId, name: "laptop", enrolledAt: at, enrolledFrom: "203.0.113.7", status: "active" }],
    });
    const entry = (await audited()).find(({ action }) => action === "device.enrolled");
    expect(entry).toMatchObject({ subject: deviceId, detail: "By the code Lab, from 203.0.113.7" });
  });

  it("is unknown if the backend does not know the address", async () => {
    const { code } = await newCode();
    const { deviceId } = await enrolled(code);
    const row = (await deviceRows()).find((each) => each.deviceId === deviceId);
    expect(row).toMatchObject({ enrolledFrom: null, enrolledBy: { label: "Lab" } });
    const entry = (await audited()).find(({ action }) => action === "device.enrolled");
    expect(entry?.detail).toBe("By the code Lab, from an unknown address");
  });
});

describe("an invitation, before a computer joins", () => {
  const invitation = async (code: string) => await t.mutation(api.devices.invitation, { code });

  it("names the organization and uses nothing up", async () => {
    const { code } = await newCode({ needsApproval: true });
    const open = {
      kind: "open",
      organization: "Acme",
      organizationKey: null,
      needsApproval: true,
      owner: null,
    };
    expect(await invitation(code)).toEqual(open);
    expect(await invitation(code.toLowerCase())).toEqual(open);
    expect(await enroll(code)).toMatchObject({ kind: "enrolled" });
    expect(await invitation(code)).toEqual({ kind: "refused", reason: "used-up" });
  });

  it("tells nothing of an organization by a wrong code", async () => {
    expect(await invitation("GLN-2222-2222-2222")).toEqual({ kind: "refused", reason: "unknown-code" });
  });
});

describe("the address by which devices join", () => {
  const pin = `sha256:${"ab".repeat(32)}`;
  it.each([
    ["https://office:3210", pin, { url: "https://office:3210", pin }],
    ["https://[2001:db8::1]:3210", "", { url: "https://[2001:db8::1]:3210", pin: null }],
    ["", "", { url: null, pin: null }],
    ["https://office:3210; rm -rf ~", `${pin} $(id)`, { url: null, pin: null }],
  ])(
    "is told to admins for the URL %j and the pin %j, unless these are malformed",
    async (url, own, told) => {
      vi.stubEnv("GLEANER_JOIN_URL", url);
      vi.stubEnv("GLEANER_JOIN_PIN", own);
      expect(await t.query(api.console.codes.joinAddress, { session })).toEqual(told);
      vi.unstubAllEnvs();
    },
  );
});

describe("retiring all devices of a code", () => {
  type BulkId = Id<"bulkActs">;
  const act = { kind: "retire" as const, group: "" };
  const show = async (bulkId: BulkId) => await t.query(api.console.bulkDevices.get, { session, bulkId });
  const settle = async (bulkId: BulkId, state: string) => {
    for (let round = 0; round < 20 && (await show(bulkId)).state !== state; round++) await pass(t, 1);
    return await show(bulkId);
  };
  const prepare = async (codeId: Id<"enrolmentCodes">): Promise<BulkId> => {
    const bulkId = await t.mutation(api.console.bulkDevices.prepare, { session, act, chosen: { codeId } });
    await settle(bulkId, "found");
    return bulkId;
  };
  const codeRow = async () => (await t.query(api.console.codes.list, { session }))[0];

  it("retires them in batches, revokes the code, and leaves other devices alone", async () => {
    const { code, codeId } = await newCode({ uses: 60 });
    const other = await addDevice(t, acme);
    const devices = [];
    for (let count = 0; count < 55; count++) devices.push(await enrolled(code));
    const before = await t.query(api.devices.me, { key: other.key });
    const bulkId = await prepare(codeId);
    expect(await show(bulkId)).toMatchObject({ counts: { changes: 55, same: 0, cannot: 0 }, code: "Lab" });
    expect(await codeRow()).toMatchObject({ revokedAt: null });
    await t.mutation(api.console.bulkDevices.run, { session, bulkId });
    expect(await enroll(code)).toEqual({ kind: "refused", reason: "revoked" });
    expect((await settle(bulkId, "done")).done).toBe(55);
    for (const { key } of devices) expect(await statusOf(key)).toBe("retired");
    const after = await t.query(api.devices.me, { key: other.key });
    expect(after.status).toBe("active");
    // The retired devices know the old secret.
    expect(after.sharing?.secret).not.toBe(before.sharing?.secret);
    const entries = (await audited()).map(({ action, detail }) => [action, detail]);
    expect(entries.slice(0, 2)).toEqual([
      ["devices.changed", "55 of 55 devices: 55 in service → retired"],
      ["enrolment-code.revoked", null],
    ]);
  });

  it("also retires devices that wait, and those that join after the preview", async () => {
    const { code, codeId } = await newCode({ uses: 9, needsApproval: true });
    const known = await enrolled(code);
    const bulkId = await prepare(codeId);
    const late = await enrolled(code);
    await t.mutation(api.console.bulkDevices.run, { session, bulkId });
    expect(await settle(bulkId, "done")).toMatchObject({ done: 2, counts: { changes: 2 } });
    for (const { key } of [known, late]) expect(await statusOf(key)).toBe("retired");
  });

  it("is undone: each device is what it was, and the code admits devices again", async () => {
    const { code, codeId } = await newCode({ uses: 9, needsApproval: true });
    const [active, waiting, left] = [await enrolled(code), await enrolled(code), await enrolled(code)];
    for (const { deviceId } of [active, left])
      await t.mutation(api.console.devices.approve, { session, deviceId });
    const bulkId = await prepare(codeId);
    await t.mutation(api.console.bulkDevices.run, { session, bulkId });
    await settle(bulkId, "done");
    await t.mutation(api.devices.leave, { key: left.key });
    await t.mutation(api.console.bulkDevices.undo, { session, bulkId });
    // A device that has left has no key, so it cannot come back.
    expect((await settle(bulkId, "undone")).done).toBe(2);
    expect(await statusOf(active.key)).toBe("active");
    expect(await statusOf(waiting.key)).toBe("pending");
    expect(await enroll(code)).toMatchObject({ kind: "enrolled" });
    expect((await audited()).map(({ action }) => action)).toContain("enrolment-code.reopened");
  });

  it("does not undo a revocation that somebody else made", async () => {
    const { code, codeId } = await newCode({ uses: 9 });
    await enrolled(code);
    await t.mutation(api.console.codes.revoke, { session, codeId });
    vi.advanceTimersByTime(1_000);
    const bulkId = await prepare(codeId);
    await t.mutation(api.console.bulkDevices.run, { session, bulkId });
    await settle(bulkId, "done");
    await t.mutation(api.console.bulkDevices.undo, { session, bulkId });
    await settle(bulkId, "undone");
    expect(await enroll(code)).toEqual({ kind: "refused", reason: "revoked" });
  });
});

describe("a code that needs an admin's approval", () => {
  const pendingDevice = async () => {
    const { code } = await newCode({ needsApproval: true });
    const device = await enrolled(code, t.withRequestMetadata({ ip: "203.0.113.9" }));
    await t.mutation(api.work.hello, { key: device.key, ...greeting() });
    return device;
  };

  it("gives its device no jobs, models, rules and secrets until then", async () => {
    const known = await addDevice(t, acme);
    const rules = { values: { shareModels: true }, locked: ["shareModels"] };
    await t.mutation(api.console.policy.save, { session, group: "", baseVersion: 0, rules });
    const { key } = await pendingDevice();
    expect(await t.query(api.devices.me, { key })).toMatchObject({
      status: "pending",
      organization: { name: "Acme" },
      models: [],
      policy: { values: {}, locked: [] },
      sharing: null,
    });
    const sha256 = "ab".repeat(32);
    await t.run(async (ctx) => {
      const { organizationId } = acme;
      await ctx.db.insert("modelPieces", { organizationId, sha256, pieceBytes: 1, pieceHashes: [sha256] });
    });
    expect(await t.query(api.devices.modelPieces, { key: known.key, sha256 })).not.toBeNull();
    expect(await t.query(api.devices.modelPieces, { key, sha256 })).toBeNull();
    await submit(t, acme);
    const taken = await t.mutation(api.work.take, { key, demand: { jobs: 1 } });
    expect(taken.kind === "ok" ? taken.jobs : []).toEqual([]);
    expect((await t.query(api.work.candidates, { key, subscriptions: [] })).jobs).toEqual([]);
  });

  it("puts it into service once an admin approves it", async () => {
    const { key, deviceId } = await pendingDevice();
    expect(await t.query(api.console.devices.pending, { session })).toMatchObject([
      { deviceId, name: "laptop", enrolledFrom: "203.0.113.9", enrolledBy: { label: "Lab" } },
    ]);
    await t.mutation(api.console.devices.approve, { session, deviceId });
    const me = await t.query(api.devices.me, { key });
    expect(me).toMatchObject({ status: "active", models: [{}] });
    expect(me.sharing).not.toBeNull();
    await submit(t, acme);
    expect(await take(t, { key })).toHaveLength(1);
    expect(await t.query(api.console.devices.pending, { session })).toEqual([]);
    expect((await audited()).map(({ action }) => action)).toContain("device.approved");
    await expectRefusal(t.mutation(api.console.devices.refuse, { session, deviceId }), "conflict");
  });

  it("retires it if an admin refuses it, also for its next attempt", async () => {
    const { key, deviceId } = await pendingDevice();
    await t.mutation(api.console.devices.refuse, { session, deviceId });
    expect(await statusOf(key)).toBe("retired");
    await expectRefusal(enroll("anything", key), "retired");
    expect(await statusOf(key)).toBe("retired");
    expect((await audited()).map(({ action }) => action)).toContain("device.refused");
    await expectRefusal(t.mutation(api.console.devices.approve, { session, deviceId }), "conflict");
  });

  it("says so in the list of codes", async () => {
    await newCode({ needsApproval: true });
    const [newest, ...others] = await t.query(api.console.codes.list, { session });
    expect(newest).toMatchObject({ needsApproval: true });
    expect(others.every(({ needsApproval }) => !needsApproval)).toBe(true);
  });
});

describe("a device whose person takes it out of the organization", () => {
  const leave = async (key: string) => await t.mutation(api.devices.leave, { key });
  const secretOf = async (key: string) => (await t.query(api.devices.me, { key })).sharing;

  it("is retired, and the console and the audit trail say that it left", async () => {
    const { key, deviceId } = await enrolled((await newCode()).code);
    const other = await enrolled((await newCode()).code);
    const shared = await secretOf(other.key);
    expect(await leave(key)).toBeNull();
    expect(await statusOf(key)).toBe("retired");
    expect(await t.query(api.console.devices.get, { session, deviceId })).toMatchObject({
      status: "retired",
      hasLeft: true,
    });
    expect(await secretOf(other.key)).not.toEqual(shared);
    await leave(key);
    const entries = (await audited()).filter(({ action }) => action === "device.left");
    expect(entries).toMatchObject([{ subject: deviceId, actor: "device" }]);
  });

  it("gives its jobs back, and its earnings stay in the books", async () => {
    const device = await addDevice(t, acme);
    const earned = async () =>
      (await t.query(api.console.devices.get, { session, deviceId: device.deviceId })).earnedMicro;
    const done = await submit(t, acme);
    await complete(t, device, await claim(t, device, done));
    const before = await earned();
    expect(before).toBeGreaterThan(0n);
    const running = await submit(t, acme);
    await claim(t, device, running);
    await leave(device.key);
    const other = await addDevice(t, acme);
    expect(await claim(t, other, running)).not.toBe("");
    expect(await earned()).toBe(before);
    expect((await t.query(internal.setup.ledgerCheck, {})).sum).toBe(0n);
  });

  it("is not reinstated, because nobody has its key anymore", async () => {
    const { key, deviceId } = await enrolled((await newCode()).code);
    await t.mutation(api.console.devices.retire, { session, deviceId });
    await leave(key);
    await expectRefusal(t.mutation(api.console.devices.reinstate, { session, deviceId }), "conflict");
    expect(await statusOf(key)).toBe("retired");
  });

  it("may wait for approval, and an unknown key is refused", async () => {
    const { key } = await enrolled((await newCode({ needsApproval: true })).code);
    await leave(key);
    expect(await statusOf(key)).toBe("retired");
    await expectRefusal(leave(secret("gd_")), "unauthorized");
  });
});
