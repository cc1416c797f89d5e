import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { mutation, query } from "./_generated/server.js";
import { goodbye as sayGoodbye } from "./model/devices/goodbye.ts";
import { hello as sayHello } from "./model/devices/hello.ts";
import { historyRow, historyRowOf } from "./model/devices/historyRow.ts";
import { enroll as enrollDevice } from "./model/enrolment/enroll.ts";
import { authenticateDevice } from "./model/keys/authenticate.ts";
import { deviceAccount } from "./model/ledger/accounts.ts";
import { balanceOf, earnedSince } from "./model/ledger/balance.ts";
import { renew } from "./model/leases/renew.ts";
import { present } from "./model/load.ts";
import { catalogueOf } from "./model/models/catalogue.ts";
import { boundedPage } from "./model/page.ts";
import { activity, capabilities, modelSource } from "./model/validators.ts";

/** Joins an organization by a code. The key is the device's own secret; its hash alone is kept. */
export const enroll = mutation({
  args: { code: v.string(), deviceKey: v.string(), name: v.string(), platform: v.string() },
  returns: v.union(
    v.object({ kind: v.literal("enrolled"), deviceId: v.id("devices"), organization: v.string() }),
    v.object({
      kind: v.literal("refused"),
      reason: v.union(
        v.literal("unknown-code"),
        v.literal("expired"),
        v.literal("used-up"),
        v.literal("revoked"),
      ),
    }),
  ),
  handler: async (ctx, args) => await enrollDevice(ctx, args, Date.now()),
});

/**
 * Said on every connection and when the models change. `startup` gives back what a former life of the
 * program still holds. `leaseMs`: how long the device may be silent while it holds jobs.
 */
export const hello = mutation({
  args: {
    deviceKey: v.string(),
    version: v.string(),
    capabilities,
    startup: v.optional(v.boolean()),
  },
  returns: v.object({ leaseMs: v.number() }),
  handler: async (ctx, { deviceKey, ...greeting }) => {
    const device = await authenticateDevice(ctx, deviceKey);
    return await sayHello(ctx, device, greeting, Date.now());
  },
});

/** Who this device is, and the models that its organization uses. */
export const me = query({
  args: { deviceKey: v.string() },
  returns: v.object({
    deviceId: v.id("devices"),
    name: v.string(),
    organization: v.object({ id: v.id("organizations"), name: v.string() }),
    status: v.union(v.literal("active"), v.literal("retired")),
    models: v.array(
      v.object({
        modelId: v.string(),
        sha256: v.string(),
        sizeBytes: v.number(),
        contextTokens: v.number(),
        source: modelSource,
      }),
    ),
  }),
  handler: async (ctx, { deviceKey }) => {
    const device = await authenticateDevice(ctx, deviceKey);
    const organization = present(await ctx.db.get("organizations", device.organizationId), "organization");
    const catalogue = await catalogueOf(ctx, device.organizationId);
    return {
      deviceId: device._id,
      name: device.name,
      organization: { id: organization._id, name: organization.name },
      status: device.status,
      models: catalogue.map(({ modelId, sha256, sizeBytes, contextTokens, source }) => ({
        modelId,
        sha256,
        sizeBytes,
        contextTokens,
        source,
      })),
    };
  },
});

/** Renews the lease: for a device that has nothing else to say. */
export const heartbeat = mutation({
  args: { deviceKey: v.string() },
  returns: v.null(),
  handler: async (ctx, { deviceKey }) => {
    await renew(ctx, await authenticateDevice(ctx, deviceKey), Date.now());
    return null;
  },
});

/** Tells what the device is doing and why. Call on transitions only: the console watches it. */
export const report = mutation({
  args: { deviceKey: v.string(), activity },
  returns: v.null(),
  handler: async (ctx, { deviceKey, activity: current }) => {
    const device = await authenticateDevice(ctx, deviceKey);
    const now = Date.now();
    await renew(ctx, device, now);
    if (device.activity?.kind !== current.kind || device.activity.reason !== current.reason) {
      await ctx.db.patch("devices", device._id, { activity: current, lastChangeAt: now });
    }
    return null;
  },
});

/** The program ends: offline at once, and its jobs go back to the queue. */
export const goodbye = mutation({
  args: { deviceKey: v.string() },
  returns: v.null(),
  handler: async (ctx, { deviceKey }) => {
    await sayGoodbye(ctx, await authenticateDevice(ctx, deviceKey), Date.now());
    return null;
  },
});

/** What the device has earned, in all and since a moment (the caller's midnight: queries have no clock). */
export const earnings = query({
  args: { deviceKey: v.string(), since: v.number() },
  returns: v.object({ balanceMicro: v.int64(), todayMicro: v.int64(), jobsSucceeded: v.number() }),
  handler: async (ctx, { deviceKey, since }) => {
    const device = await authenticateDevice(ctx, deviceKey);
    const balance = await balanceOf(ctx, deviceAccount(device._id));
    return {
      balanceMicro: balance.micro,
      todayMicro: await earnedSince(ctx, device._id, since),
      jobsSucceeded: balance.jobs,
    };
  },
});

/** The device's attempts, the newest first. */
export const history = query({
  args: { deviceKey: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(historyRow),
  handler: async (ctx, { deviceKey, paginationOpts }) => {
    const device = await authenticateDevice(ctx, deviceKey);
    const page = await ctx.db
      .query("attempts")
      .withIndex("by_device", (q) => q.eq("deviceId", device._id))
      .order("desc")
      .paginate(boundedPage(paginationOpts));
    return { ...page, page: page.page.map(historyRowOf) };
  },
});
