import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api } from "../_generated/api.js";
import { hashSecret } from "../model/authenticate.ts";
import { queue } from "../model/queue.ts";
import {
  addDevice,
  type Backend,
  expectRefusal,
  greeting,
  modelId,
  type Organization,
  secret,
} from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

const enroll = async (code: string, key = secret("gd_")) =>
  await t.mutation(api.devices.enroll, { code, key, name: "laptop", platform: "linux-x64" });

async function newCode(over: { readonly uses?: number; readonly expiresInHours?: number } = {}) {
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

describe("enrollment", () => {
  it("admits a device, and admits the same key again without another use of the code", async () => {
    const { code } = await newCode({ uses: 1 });
    const key = secret("gd_");
    const first = await enroll(code, key);
    expect(first).toMatchObject({ kind: "enrolled", organization: "Acme" });
    expect(await enroll(code, key)).toEqual(first);
    expect(await enroll("anything", key)).toEqual(first);
    expect(await enroll(code)).toEqual({ kind: "refused", reason: "used-up" });
  });

  it("accepts an enrollment code as people type it", async () => {
    const { code } = await newCode();
    const typed = ` ${code.toLowerCase().replace("0000", "ooOO").replace("1111", "lIiL")} `;
    expect(await enroll(typed)).toMatchObject({ kind: "enrolled" });
  });

  it("refuses an unknown, an expired and a revoked enrollment code", async () => {
    expect(await enroll("GLN-NOPE-NOPE-NOPE")).toEqual({ kind: "refused", reason: "unknown-code" });
    const { code, codeId } = await newCode({ expiresInHours: 1, uses: 5 });
    expect(await enroll(code)).toMatchObject({ kind: "enrolled" });
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await enroll(code)).toEqual({ kind: "refused", reason: "expired" });
    await t.mutation(api.console.codes.revoke, { session, codeId });
    expect(await enroll(code)).toEqual({ kind: "refused", reason: "revoked" });
  });

  it("refuses a weak device key and an empty name", async () => {
    await expectRefusal(enroll(acme.code, "gd_short"), "invalid");
    await expectRefusal(enroll(acme.code, secret("sk_")), "invalid");
    await expectRefusal(
      t.mutation(api.devices.enroll, {
        code: acme.code,
        key: secret("gd_"),
        name: "  ",
        platform: "linux-x64",
      }),
      "invalid",
    );
  });

  it("stores no key, code or token", async () => {
    const { key } = await addDevice(t, acme);
    const everything = await t.run(async (ctx) =>
      JSON.stringify([
        await ctx.db.query("devices").take(10),
        await ctx.db.query("apiKeys").take(10),
        await ctx.db.query("enrolmentCodes").take(10),
        await ctx.db.query("signInLinks").take(10),
        await ctx.db.query("sessions").take(10),
        await ctx.db.query("audit").take(10),
        await queue.workers.byKey(ctx, key),
        await queue.events(ctx, acme.organizationId, { numItems: 10, cursor: null }),
      ]),
    );
    for (const held of [key, acme.apiKey, acme.code, acme.signInToken, session]) {
      expect(everything).not.toContain(held);
    }
  });
});

describe("devices", () => {
  it("tells a device its name and its organization's models", async () => {
    const { key, deviceId } = await addDevice(t, acme, "Ada's laptop");
    expect(await t.query(api.devices.me, { key })).toMatchObject({
      deviceId,
      name: "Ada's laptop",
      organization: { id: acme.organizationId, name: "Acme" },
      status: "active",
      models: [
        { modelId, sha256: "ab".repeat(32), sizeBytes: 1_060_000, contextTokens: 1_024, source: "bundled" },
      ],
    });
  });

  it("writes a device's row on transitions only", async () => {
    const { key, deviceId } = await addDevice(t, acme);
    const row = async () => await t.run(async (ctx) => await ctx.db.get("devices", deviceId));
    const before = await row();
    vi.setSystemTime(Date.now() + 15_000);
    await t.mutation(api.work.heartbeat, { key });
    await t.mutation(api.devices.report, { key, activity: { kind: "donating", reason: "idle" } });
    await t.mutation(api.work.hello, { key, ...greeting() });
    expect(await row()).toEqual(before);
    await t.mutation(api.devices.report, { key, activity: { kind: "holding", reason: "in-use" } });
    expect(await row()).toMatchObject({ activity: { reason: "in-use" }, lastChangeAt: Date.now() });
  });
});
