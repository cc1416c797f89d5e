import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalAction, internalMutation, internalQuery } from "./_generated/server.js";
import { storedActor } from "./model/audit.ts";
import { sealNext } from "./model/auditSeals.ts";
import { deviceByHash } from "./model/authenticate.ts";
import { deleteOldCalls } from "./model/calls/calls.ts";
import { countPiece } from "./model/comfort/count.ts";
import { allowancePage, giveIfDue, scheduleDue } from "./model/credits/allowances.ts";
import { expirePage } from "./model/credits/expire.ts";
import { holderOf } from "./model/credits/holders.ts";
import { deleteOldCodes } from "./model/devices/enrollmentCodes.ts";
import { endPauseAtItsTime, pauseIfFinished } from "./model/devices/pauses.ts";
import { judgeDevice as judge, judgeDevicesOf as judgeAll } from "./model/devices/reliability.ts";
import { endGrace, rotateIfDue } from "./model/devices/sharing.ts";
import { checkVersionBatch } from "./model/devices/versions.ts";
import { applyBatch } from "./model/fleet/bulk/apply.ts";
import { findBatch, forgetBulkAct } from "./model/fleet/bulk/find.ts";
import { placeBatch } from "./model/fleet/groupRules/place.ts";
import { endExpiredKeys, endFormerSecrets, revokeKey } from "./model/keys/keyEnds.ts";
import { forgetHolds } from "./model/ledger/holds.ts";
import { forgetShares } from "./model/ledger/likely.ts";
import { projectBatch } from "./model/ledger/project.ts";
import { endJobsOfModel as endJobs } from "./model/models/endJobs.ts";
import { changeHeldJobs } from "./model/orders/heldChanges.ts";
import { cancelCutOff, orderOf } from "./model/orders/orders.ts";
import { retryBatch } from "./model/orders/retry.ts";
import { allOrganizations } from "./model/organizations/create.ts";
import { leftThings, settleThings as settle } from "./model/people/handOver.ts";
import { endIdleBatch, endIfIdle, endSessionsOf } from "./model/people/sessions.ts";
import { closePreview, countFleetOf, fleetPage, fleetPageOf, storeFleet } from "./model/policies/preview.ts";
import { deleteOldRatings } from "./model/ratings/rate.ts";
import { sealNextReceipts } from "./model/receipts/seal.ts";
import { endRestrictedBatch } from "./model/requests/restriction.ts";
import { endAllWaits, sweepWaits as deleteEndedWaits } from "./model/requests/waits.ts";
import { endSessions } from "./model/restores.ts";
import { sealPiece } from "./model/statistics/seal.ts";
import { creditHolder } from "./model/validators/credits.ts";
import { owner } from "./model/validators/people.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Ends a session that nobody uses, and with it all subscriptions through it. */
export const endSession = internalMutation({
  args: { sessionId: v.id("sessions") },
  returns: v.null(),
  handler: async (ctx, { sessionId }) => {
    await endIfIdle(ctx, sessionId, Date.now());
    return null;
  },
});

/** The one who asked for an act, and from where. Runs that an earlier version scheduled have no address. */
const laterActorFields = { actor: storedActor, address: v.optional(v.string()) };

/** Hands over, or ends, the next keys and devices of a member who left. */
export const settleThings = internalMutation({
  args: { from: owner, answer: leftThings, ...laterActorFields },
  returns: v.null(),
  handler: async (ctx, { from, answer, actor, address }) => {
    await settle(ctx, from, answer, { actor, address, at: Date.now() });
    return null;
  },
});

/** Ends an organization's idle sessions, after its idle time changed. */
export const endIdleSessions = internalMutation({
  args: { organizationId: v.id("organizations"), cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { organizationId, cursor }) => {
    const next = await endIdleBatch(ctx, organizationId, cursor, Date.now());
    if (next !== null) {
      await ctx.scheduler.runAfter(0, internal.maintenance.endIdleSessions, { organizationId, cursor: next });
    }
    return null;
  },
});

/** Ends the next sessions of a member that began before a moment, except one. */
export const endSessionsOfMember = internalMutation({
  args: { memberId: v.id("members"), kept: v.union(v.id("sessions"), v.null()), before: v.number() },
  returns: v.null(),
  handler: async (ctx, { memberId, kept, before }) => {
    await endSessionsOf(ctx, memberId, kept, before);
    return null;
  },
});

/** Ends all sessions, after a restore. */
export const endAllSessions = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await endSessions(ctx);
    return null;
  },
});

/** Ends the work of expired keys, and the former secrets of rotated ones. */
export const endDueKeys = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const now = Date.now();
    let more = await endFormerSecrets(ctx, now);
    for (const { _id } of await allOrganizations(ctx)) more = (await endExpiredKeys(ctx, _id, now)) || more;
    if (more) await ctx.scheduler.runAfter(0, internal.maintenance.endDueKeys, {});
    return null;
  },
});

/** Cancels, retries or discards jobs at the end of the seconds in which that could be undone. */
export const changeHeld = internalMutation({
  args: { heldId: v.id("heldCancels") },
  returns: v.null(),
  handler: async (ctx, { heldId }) => {
    await changeHeldJobs(ctx, heldId, Date.now());
    return null;
  },
});

/** Revokes a key of the playground at its end. */
export const endPlaygroundKey = internalMutation({
  args: { apiKeyId: v.id("apiKeys") },
  returns: v.null(),
  handler: async (ctx, { apiKeyId }) => {
    const key = await ctx.db.get("apiKeys", apiKeyId);
    if (key !== null) await revokeKey(ctx, key, { actor: "system", at: Date.now() });
    return null;
  },
});

/** Ends the unfinished jobs that a key's restriction is about. */
export const endRestrictedJobs = internalMutation({
  args: { apiKeyId: v.id("apiKeys") },
  returns: v.null(),
  handler: async (ctx, { apiKeyId }) => {
    if (await endRestrictedBatch(ctx, apiKeyId, Date.now())) {
      await ctx.scheduler.runAfter(0, internal.maintenance.endRestrictedJobs, { apiKeyId });
    }
    return null;
  },
});

/** Ends jobs of a retired model that came back to the queue since the last run. */
export const endJobsOfModel = internalMutation({
  args: { organizationId: v.id("organizations"), modelId: v.string(), nextMs: v.number() },
  returns: v.null(),
  handler: async (ctx, { organizationId, modelId, nextMs }) => {
    await endJobs(ctx, organizationId, modelId, nextMs);
    return null;
  },
});

/** Pauses a device that fails or returns its jobs too often. Called after each attempt that ended without an answer. */
export const judgeDevice = internalMutation({
  args: { keyHash: v.string() },
  returns: v.null(),
  handler: async (ctx, { keyHash }) => {
    const device = await deviceByHash(ctx, keyHash);
    if (device !== null) await judge(ctx, device, Date.now());
    return null;
  },
});

/** Judges the devices that failed or returned a job. Called when the job has ended. */
export const judgeDevicesOf = internalMutation({
  args: { jobId: v.string() },
  returns: v.null(),
  handler: async (ctx, { jobId }) => {
    const order = await orderOf(ctx, jobId);
    if (order !== null) await judgeAll(ctx, order, Date.now());
    return null;
  },
});

/** Ends a pause of a device at its time. */
export const endPause = internalMutation({
  args: { deviceId: v.id("devices"), at: v.number() },
  returns: v.null(),
  handler: async (ctx, { deviceId, at }) => {
    await endPauseAtItsTime(ctx, deviceId, at);
    return null;
  },
});

/** Pauses a device that has finished its jobs. */
export const pauseFinished = internalMutation({
  args: { deviceId: v.id("devices"), at: v.number() },
  returns: v.null(),
  handler: async (ctx, { deviceId, at }) => {
    await pauseIfFinished(ctx, deviceId, at);
    return null;
  },
});

/** Finds the next devices of an act on many. */
export const findBulk = internalMutation({
  args: { bulkId: v.id("bulkActs"), cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { bulkId, cursor }) => {
    await findBatch(ctx, bulkId, cursor);
    return null;
  },
});

/** Changes the next devices of such an act, or restores them. */
export const applyBulk = internalMutation({
  args: { bulkId: v.id("bulkActs"), index: v.number() },
  returns: v.null(),
  handler: async (ctx, { bulkId, index }) => {
    await applyBatch(ctx, bulkId, index, Date.now());
    return null;
  },
});

/** Places the next devices of an organization by its rules of groups. Counts the fleet at the end. */
export const placeDevices = internalMutation({
  args: { organizationId: v.id("organizations"), cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { organizationId, cursor }) => {
    const next = await placeBatch(ctx, organizationId, cursor);
    if (next === null) await ctx.scheduler.runAfter(0, internal.fleet.steps.countFleet, { organizationId });
    else await ctx.scheduler.runAfter(0, internal.maintenance.placeDevices, { organizationId, cursor: next });
    return null;
  },
});

/** Deletes an old act on many devices. */
export const forgetBulk = internalMutation({
  args: { bulkId: v.id("bulkActs") },
  returns: v.null(),
  handler: async (ctx, { bulkId }) => {
    await forgetBulkAct(ctx, bulkId);
    return null;
  },
});

/** Applies the organization's oldest allowed version to the next devices. */
export const checkVersions = internalMutation({
  args: { organizationId: v.id("organizations"), cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { organizationId, cursor }) => {
    const next = await checkVersionBatch(ctx, organizationId, cursor, Date.now());
    if (next !== null) {
      await ctx.scheduler.runAfter(0, internal.maintenance.checkVersions, { organizationId, cursor: next });
    }
    return null;
  },
});

/** Retries the next batch of an organization's dead letters. */
export const retryDeadLetters = internalMutation({
  args: {
    organizationId: v.id("organizations"),
    cursor: v.string(),
    onlyMendable: v.optional(v.boolean()),
    actor: v.optional(storedActor),
  },
  returns: v.null(),
  handler: async (ctx, { organizationId, cursor, onlyMendable = false, actor = "system" }) => {
    const batch = { cursor, onlyMendable };
    const next = await retryBatch(ctx, organizationId, batch, { actor, at: Date.now() });
    if (next !== null) {
      await ctx.scheduler.runAfter(0, internal.maintenance.retryDeadLetters, {
        organizationId,
        cursor: next,
        onlyMendable,
        actor,
      });
    }
    return null;
  },
});

/** Younger transfers wait for the next run, because mutations of the same time may not be committed yet. */
const minAgeMs = 2_000;

/** Adds pending transfers to the projection. */
export const project = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const more = await projectBatch(ctx, Date.now() - minAgeMs);
    if (more) await ctx.scheduler.runAfter(0, internal.maintenance.project, {});
    return null;
  },
});

/** Deletes the holds of a key that was revoked a week ago. */
export const forgetHoldsOf = internalMutation({
  args: { apiKeyId: v.id("apiKeys") },
  returns: v.null(),
  handler: async (ctx, { apiKeyId }) => {
    await forgetHolds(ctx, apiKeyId);
    await forgetShares(ctx, apiKeyId);
    return null;
  },
});

/** Gives API keys, members and teams the credits of their allowances, page by page. `next`: the page; left out: the first one. */
export const renewAllowances = internalMutation({
  args: { next: v.optional(allowancePage) },
  returns: v.null(),
  handler: async (ctx, { next: page = { until: Date.now(), table: "apiKeys" as const, cursor: null } }) => {
    await scheduleDue(ctx, page);
    return null;
  },
});

/** Gives some holders the credits of the present period, once, one after the other. */
export const renewTurn = internalMutation({
  args: { holders: v.array(creditHolder) },
  returns: v.null(),
  handler: async (ctx, { holders }) => {
    for (const id of holders) {
      const holder = await holderOf(ctx, id);
      if (holder !== null) await giveIfDue(ctx, holder, Date.now());
    }
    return null;
  },
});

/** Expires earned credits, in each organization whose rules say so. */
export const expireCredits = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    for (const { _id: organizationId } of await allOrganizations(ctx)) {
      await ctx.scheduler.runAfter(0, internal.maintenance.expireCreditsOf, { organizationId, cursor: null });
    }
    return null;
  },
});

/** Expires earned credits on the next accounts of one organization. */
export const expireCreditsOf = internalMutation({
  args: { organizationId: v.id("organizations"), cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { organizationId, cursor }) => {
    const next = await expirePage(ctx, organizationId, cursor, Date.now());
    if (next !== null) {
      await ctx.scheduler.runAfter(0, internal.maintenance.expireCreditsOf, { organizationId, cursor: next });
    }
    return null;
  },
});

/** Deletes the next rows that were kept for long enough: enrollment codes, ratings, and calls of several jobs. */
export const deleteOld = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const now = Date.now();
    const moreCodes = await deleteOldCodes(ctx, now);
    const moreCalls = await deleteOldCalls(ctx, now);
    if ((await deleteOldRatings(ctx, now)) || moreCodes || moreCalls)
      await ctx.scheduler.runAfter(0, internal.maintenance.deleteOld, {});
    return null;
  },
});

/** Seals the audit trail of each organization. */
export const sealAudit = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    for (const { _id: organizationId } of await allOrganizations(ctx)) {
      await ctx.scheduler.runAfter(0, internal.maintenance.sealAuditOf, { organizationId });
    }
    return null;
  },
});

/** Seals the next rows of one organization's audit trail. */
export const sealAuditOf = internalMutation({
  args: { organizationId: v.id("organizations") },
  returns: v.null(),
  handler: async (ctx, { organizationId }) => {
    if (await sealNext(ctx, organizationId, Date.now())) {
      await ctx.scheduler.runAfter(0, internal.maintenance.sealAuditOf, { organizationId });
    }
    return null;
  },
});

/** Seals the receipts of each organization. */
export const sealReceipts = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    for (const { _id: organizationId } of await allOrganizations(ctx)) {
      await ctx.scheduler.runAfter(0, internal.maintenance.sealReceiptsOf, { organizationId });
    }
    return null;
  },
});

/** Seals the next receipts of one organization. */
export const sealReceiptsOf = internalMutation({
  args: { organizationId: v.id("organizations") },
  returns: v.null(),
  handler: async (ctx, { organizationId }) => {
    if (await sealNextReceipts(ctx, organizationId, Date.now())) {
      await ctx.scheduler.runAfter(0, internal.maintenance.sealReceiptsOf, { organizationId });
    }
    return null;
  },
});

/** Counts the jobs that ended in each organization's statistics, and the comfort of its devices. */
export const countStatistics = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    for (const { _id: organizationId } of await allOrganizations(ctx)) {
      await ctx.scheduler.runAfter(0, internal.maintenance.countStatisticsOf, { organizationId });
    }
    return null;
  },
});

/** Counts the devices that a preview of rules is for. */
export const countPreviewFleet = internalAction({
  args: { previewId: v.id("policyPreviews") },
  returns: v.null(),
  handler: async (ctx, { previewId }) => {
    await countFleetOf(ctx, previewId);
    return null;
  },
});

export const previewFleetPage = internalQuery({
  args: { previewId: v.id("policyPreviews"), cursor: v.union(v.string(), v.null()) },
  returns: fleetPage,
  handler: async (ctx, { previewId, cursor }) => await fleetPageOf(ctx, previewId, cursor),
});

export const storePreviewFleet = internalMutation({
  args: { previewId: v.id("policyPreviews"), online: v.number(), offline: v.number() },
  returns: v.null(),
  handler: async (ctx, { previewId, ...fleet }) => {
    await storeFleet(ctx, previewId, fleet);
    return null;
  },
});

/** Asks no more devices to replay a draft of rules. An hour later it deletes the preview. */
export const endPreview = internalMutation({
  args: { previewId: v.id("policyPreviews") },
  returns: v.null(),
  handler: async (ctx, { previewId }) => {
    await closePreview(ctx, previewId);
    return null;
  },
});

/** Counts the next jobs of one organization, and then the measured hours of its devices. */
export const countStatisticsOf = internalMutation({
  args: { organizationId: v.id("organizations") },
  returns: v.null(),
  handler: async (ctx, { organizationId }) => {
    const now = Date.now();
    if ((await sealPiece(ctx, organizationId, now)) || (await countPiece(ctx, organizationId, now))) {
      await ctx.scheduler.runAfter(0, internal.maintenance.countStatisticsOf, { organizationId });
    }
    return null;
  },
});

/** Deletes the rows of waiting calls that were cut off. */
export const sweepWaits = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    if (await deleteEndedWaits(ctx, Date.now())) {
      await ctx.scheduler.runAfter(0, internal.maintenance.sweepWaits, {});
    }
    return null;
  },
});

/**
 * Cancels jobs whose calls were cut off when the backend ended, and counts these calls no more. The embedded backend runs it at each start, before it answers
 * anybody, until it returns false. Convex itself moves or ends calls without a restart of the deployment.
 */
export const cancelCutOffCalls = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const hasMoreWaits = await endAllWaits(ctx);
    // After an update there may be no data keys yet, and after a rotation the next master key encrypts them.
    await ctx.scheduler.runAfter(0, internal.data.keys.keep, {});
    return (await cancelCutOff(ctx)) || hasMoreWaits;
  },
});

/** Replaces sharing secrets that are a week old. */
export const rotateSharingSecrets = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const now = Date.now();
    for (const { _id } of await allOrganizations(ctx)) await rotateIfDue(ctx, _id, now);
    return null;
  },
});

/** Stops accepting a previous sharing secret. */
export const endSharingGrace = internalMutation({
  args: { organizationId: v.id("organizations"), previous: v.string() },
  returns: v.null(),
  handler: async (ctx, { organizationId, previous }) => {
    await endGrace(ctx, organizationId, previous);
    return null;
  },
});
