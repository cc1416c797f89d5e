import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { mutation, query } from "./_generated/server.js";
import { setActivity } from "./model/devices/activity.ts";
import { historyRow, historyRowOf } from "./model/devices/historyRow.ts";
import { enroll as enrollDevice } from "./model/enrolment/enroll.ts";
import { authenticateDevice } from "./model/keys/authenticate.ts";
import { deviceAccount } from "./model/ledger/accounts.ts";
import { balanceOf, earnedSince } from "./model/ledger/balance.ts";
import { present } from "./model/load.ts";
import { catalogueOf } from "./model/models/catalogue.ts";
import { boundedPage } from "./model/page.ts";
import { queue } from "./model/queue.ts";
import { activity, modelSource } from "./model/validators.ts";

/** Joins an organization by a code. The key is the device's own secret; its hash alone is kept. */
export const enroll = mutation({
  args: { code: v.string(), key: v.string(), name: v.string(), platform: v.string() },
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

/** Who this device is, and the models that its organization uses. */
export const me = query({
  args: { key: v.string() },
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
  handler: async (ctx, { key }) => {
    const device = await authenticateDevice(ctx, key);
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

/** Tells what the device is doing and why. Call on transitions only: the console watches it. */
export const report = mutation({
  args: { key: v.string(), activity },
  returns: v.null(),
  handler: async (ctx, { key, activity: current }) => {
    const device = await authenticateDevice(ctx, key);
    await queue.workerMutation(ctx, queue.component.workers.heartbeat, { key });
    await setActivity(ctx, device, current, Date.now());
    return null;
  },
});

/** What the device has earned, in all and since a moment (the caller's midnight: queries have no clock). */
export const earnings = query({
  args: { key: v.string(), since: v.number() },
  returns: v.object({ balanceMicro: v.int64(), todayMicro: v.int64(), jobsSucceeded: v.number() }),
  handler: async (ctx, { key, since }) => {
    const device = await authenticateDevice(ctx, key);
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
  args: { key: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(historyRow),
  handler: async (ctx, { key, paginationOpts: asked }) => {
    const { organizationId, workerId } = await authenticateDevice(ctx, key);
    const paginationOpts = boundedPage(asked);
    const page = await queue.workers.history(ctx, organizationId, { workerId, paginationOpts });
    return { ...page, page: page.page.map(historyRowOf) };
  },
});
