import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { mutation, query } from "./_generated/server.js";
import { authenticateDevice } from "./model/authenticate.ts";
import { report as reportActivity } from "./model/devices/activity.ts";
import { enroll as enrollDevice } from "./model/devices/enroll.ts";
import { historyRow, historyRowOf } from "./model/devices/history.ts";
import { reportModels as keepModels } from "./model/devices/report.ts";
import { sharingOf } from "./model/devices/sharing.ts";
import { deviceAccount } from "./model/ledger/accounts.ts";
import { balanceOf, earnedSince } from "./model/ledger/balance.ts";
import { present } from "./model/load.ts";
import { catalogueOf, offered, offeredModel } from "./model/models/catalog.ts";
import { piecesOf, piecesView } from "./model/models/pieces.ts";
import { boundedPage } from "./model/page.ts";
import { policyFor } from "./model/policies/current.ts";
import { queue } from "./model/queue.ts";
import { activity, deviceModel, policyRules } from "./model/validators.ts";

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

/**
 * Who this device is and what its organization says: the models that it uses, the rules that it sets, and the secret by
 * which its devices know each other (none for a retired one). The one thing that a device follows all the time.
 */
export const me = query({
  args: { key: v.string() },
  returns: v.object({
    deviceId: v.id("devices"),
    name: v.string(),
    organization: v.object({ id: v.id("organizations"), name: v.string() }),
    status: v.union(v.literal("active"), v.literal("retired")),
    models: v.array(offeredModel),
    policy: policyRules,
    sharing: v.union(v.object({ secret: v.string(), previous: v.union(v.string(), v.null()) }), v.null()),
  }),
  handler: async (ctx, { key }) => {
    const device = await authenticateDevice(ctx, key);
    const { organizationId, status } = device;
    const [organization, catalogue, policy, sharing] = await Promise.all([
      ctx.db.get("organizations", organizationId),
      catalogueOf(ctx, organizationId),
      policyFor(ctx, device),
      status === "retired" ? null : sharingOf(ctx, organizationId),
    ]);
    return {
      deviceId: device._id,
      name: device.name,
      organization: { id: organizationId, name: present(organization, "organization").name },
      status,
      models: catalogue.map(offered),
      policy,
      sharing,
    };
  },
});

/** The hashes of a model file's pieces; null where the organization has none. Asked for once, when a download begins. */
export const modelPieces = query({
  args: { key: v.string(), sha256: v.string() },
  returns: v.union(piecesView, v.null()),
  handler: async (ctx, { key, sha256 }) => {
    const { organizationId } = await authenticateDevice(ctx, key);
    const found = await piecesOf(ctx, organizationId, sha256);
    return found === null ? null : { pieceBytes: found.pieceBytes, pieceHashes: found.pieceHashes };
  },
});

/**
 * Tells what the device is doing and why, and which facts it cannot know. Call on transitions only: the console
 * watches it.
 */
export const report = mutation({
  args: { key: v.string(), activity, unknownFacts: v.optional(v.array(v.string())) },
  returns: v.null(),
  handler: async (ctx, { key, ...told }) => {
    const device = await authenticateDevice(ctx, key);
    await queue.workerMutation(ctx, queue.component.work.heartbeat, { key });
    await reportActivity(ctx, device, told, Date.now());
    return null;
  },
});

/**
 * Tells where the models stand on the device, all of them. Call on transitions, and at most once in 30 s while bytes
 * come in: what comes more often is not written.
 */
export const reportModels = mutation({
  args: { key: v.string(), models: v.array(deviceModel) },
  returns: v.null(),
  handler: async (ctx, { key, models }) => {
    await keepModels(ctx, await authenticateDevice(ctx, key), models, Date.now());
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
