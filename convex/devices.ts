import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { newestResultVersion } from "../app/signatures/statements.ts";
import { mergeModelTokens } from "../app/statistics/model-tokens.ts";
import { mutation, query } from "./_generated/server.js";
import { authenticateDevice, authenticateUnretired } from "./model/authenticate.ts";
import { addHours } from "./model/comfort/hours.ts";
import {
  enroll as enrollDevice,
  enrollment,
  enrollOutcome,
  invitationOf,
  invitationOutcome,
} from "./model/devices/enroll.ts";
import { isConfirmed } from "./model/devices/enrollmentCodes.ts";
import { historyFilter, historyPage, historyRow, historyRowOf } from "./model/devices/history.ts";
import { toldPause } from "./model/devices/pauses.ts";
import { reportActivity, reportModels as storeModels } from "./model/devices/report.ts";
import { leave as leaveOrganization } from "./model/devices/service.ts";
import { sharing, sharingOf } from "./model/devices/sharing.ts";
import { registerSigningKey as registerKey, signingKey } from "./model/devices/signingKey.ts";
import { checkVersion } from "./model/devices/versions.ts";
import { serviceStatusOf } from "./model/fleet/state.ts";
import { earnedOf, earnedSince } from "./model/ledger/balance.ts";
import { catalogOf, offered, offeredModel, piecesOf, piecesView } from "./model/models/catalog.ts";
import { catalogSignature, signatureOf } from "./model/models/signCatalog.ts";
import { policyFor } from "./model/policies/current.ts";
import { addAnswer, previewAnswer, previewRequest, previewsFor } from "./model/policies/preview.ts";
import { queue } from "./model/queue.ts";
import { present } from "./model/refuse.ts";
import { heldBackFrom } from "./model/rollouts/find.ts";
import { consoleAddress } from "./model/signIn/addresses.ts";
import { findProgress } from "./model/statistics/seal.ts";
import { payNow } from "./model/trust/payNow.ts";
import { checksOf, deviceChecks, ownStanding, ownStandingsOf } from "./model/trust/views.ts";
import { factsForModels } from "./model/usage/facts.ts";
import { keptDays } from "./model/usage/months.ts";
import {
  activity,
  comfortHour,
  deviceLimits,
  deviceModel,
  policyRules,
  serviceStatus,
} from "./model/validators/devices.ts";
import { daySum, usageFacts } from "./model/validators/statistics.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Enrolls a device by a code. Only the hash of its key is stored. Refuses: invalid, rate_limited, retired. */
export const enroll = mutation({
  args: enrollment,
  returns: enrollOutcome,
  handler: async (ctx, args) => await enrollDevice(ctx, args, Date.now()),
});

/**
 * The organization that a code admits to. A mutation, because wrong codes are counted as they are for `enroll`. Refuses:
 * rate_limited.
 */
export const invitation = mutation({
  args: { code: v.string() },
  returns: invitationOutcome,
  handler: async (ctx, { code }) => await invitationOf(ctx, code, Date.now()),
});

/**
 * The console's address, on whose page a member confirms the computer that made the code with this hash, and whether one has.
 * Computers subscribe to it while they wait. Refuses: invalid.
 */
export const confirmation = query({
  args: { codeHash: v.string() },
  returns: v.object({ console: v.string(), isConfirmed: v.boolean() }),
  handler: async (ctx, { codeHash }) => ({
    console: consoleAddress(),
    isConfirmed: await isConfirmed(ctx, codeHash),
  }),
});

/**
 * Takes the device out of the organization, because its person wants that. Its jobs go back to the queue, and its earnings
 * stay in the books. Does nothing if it has left already. Refuses: unauthorized.
 */
export const leave = mutation({
  args: { key: v.string() },
  returns: v.null(),
  handler: async (ctx, { key }) => {
    await leaveOrganization(ctx, await authenticateDevice(ctx, key), Date.now());
    return null;
  },
});

/** Registers the signing key of a device that has none yet. Refuses: unauthorized, retired, invalid, conflict (it has another). */
export const registerSigningKey = mutation({
  args: { key: v.string(), signingKey },
  returns: v.null(),
  handler: async (ctx, { key, signingKey: given }) => {
    await registerKey(ctx, await authenticateUnretired(ctx, key), given, Date.now());
    return null;
  },
});

/**
 * The device, and its organization's models, rules and sharing secret. A retired or pending device gets none of these. A
 * retired one is not told its organization either.
 * Devices subscribe to this query all the time, and to others only while they wait or work.
 */
export const me = query({
  args: { key: v.string() },
  returns: v.object({
    deviceId: v.id("devices"),
    name: v.string(),
    /** Empty texts for a retired device. They are not left out, since older devices read them. */
    organization: v.object({ id: v.string(), name: v.string() }),
    status: serviceStatus,
    /** The oldest version that gets jobs, if the device's own is older. */
    needsVersion: v.union(v.string(), v.null()),
    /** The version that the device is asked to update to. It gets jobs meanwhile. */
    askedVersion: v.union(v.string(), v.null()),
    /** Set while a person keeps the device paused in the console. */
    requestedPause: v.union(v.object({ until: v.union(v.number(), v.null()) }), v.null()),
    /** What the organization allows the device; null without limits. */
    limits: v.union(deviceLimits, v.null()),
    /** The registered public key; null before it has one. */
    signingKey: v.union(v.string(), v.null()),
    /** The newest version of `resultStatement` that this backend accepts. */
    resultVersion: v.number(),
    models: v.array(offeredModel),
    /**
     * Names of models that this device may not have yet. They are beside the models, because those are signed as a whole: a
     * device gets only less by them.
     */
    heldBack: v.array(v.string()),
    /** The signature of the models; null if they are not signed. */
    catalog: v.union(catalogSignature, v.null()),
    policy: policyRules,
    sharing: v.union(sharing, v.null()),
  }),
  handler: async (ctx, { key }) => {
    const device = await authenticateDevice(ctx, key);
    const { organizationId } = device;
    const isMember = device.status === "active";
    const isRetired = device.status === "retired";
    const [organization, catalog, heldBack, signature, policy, secrets] = await Promise.all([
      isRetired ? { _id: "", name: "" } : ctx.db.get("organizations", organizationId),
      isMember ? catalogOf(ctx, organizationId) : [],
      heldBackFrom(ctx, device),
      isMember ? signatureOf(ctx, organizationId) : null,
      isMember ? policyFor(ctx, device) : { values: {}, locked: [] },
      isMember ? sharingOf(ctx, organizationId) : null,
    ]);
    const { _id: id, name } = present(organization, "organization");
    return {
      deviceId: device._id,
      name: device.name,
      organization: { id, name },
      status: serviceStatusOf(device),
      needsVersion: isRetired ? null : (device.needsVersion ?? null),
      askedVersion: isRetired ? null : (device.askedVersion?.version ?? null),
      requestedPause: isRetired ? null : toldPause(device),
      limits: isRetired ? null : (device.limits ?? null),
      signingKey: device.signingKey ?? null,
      resultVersion: newestResultVersion,
      models: catalog.map(offered),
      heldBack,
      catalog: signature,
      policy,
      sharing: secrets,
    };
  },
});

/**
 * Drafts of rules that the device is asked to replay against its own record. Devices subscribe to it, and it changes only with
 * such a request for one of their groups.
 */
export const policyPreviews = query({
  args: { key: v.string() },
  returns: v.array(previewRequest),
  handler: async (ctx, { key }) => {
    const device = await authenticateDevice(ctx, key);
    return device.status === "active" ? await previewsFor(ctx, device) : [];
  },
});

/**
 * A device's totals for a draft of rules: minutes, and nothing else. It counts once and within bounds. A late one does not
 * count. Refuses: unauthorized, retired.
 */
export const answerPreview = mutation({
  args: { key: v.string(), previewId: v.id("policyPreviews"), answer: previewAnswer },
  returns: v.null(),
  handler: async (ctx, { key, previewId, answer }) => {
    await addAnswer(ctx, await authenticateUnretired(ctx, key), previewId, answer);
    return null;
  },
});

/** The hashes of a model file's pieces; null if the organization has none. Devices query it when a download starts. */
export const modelPieces = query({
  args: { key: v.string(), sha256: v.string() },
  returns: v.union(piecesView, v.null()),
  handler: async (ctx, { key, sha256 }) => {
    const { organizationId, status } = await authenticateDevice(ctx, key);
    if (status !== "active") return null;
    const found = await piecesOf(ctx, organizationId, sha256);
    return found === null ? null : { pieceBytes: found.pieceBytes, pieceHashes: found.pieceHashes };
  },
});

/**
 * Reports the device's activity, its unknown facts, and the version of its program that was rolled back, if there is one. Call it
 * on transitions only: the console subscribes to them. Refuses: unauthorized, retired, invalid.
 */
export const report = mutation({
  args: {
    key: v.string(),
    activity,
    unknownFacts: v.optional(v.array(v.string())),
    rolledBackVersion: v.optional(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, { key, ...reported }) => {
    const device = await authenticateUnretired(ctx, key);
    if (reported.rolledBackVersion !== undefined) checkVersion(reported.rolledBackVersion);
    await queue.workerMutation(ctx, queue.component.work.heartbeat, { key });
    await reportActivity(ctx, device, reported, Date.now());
    return null;
  },
});

/**
 * Reports the state of all models on the device. Call it on transitions, and at most every 30 s during a download: more
 * frequent reports are not written. Refuses: unauthorized, retired, invalid.
 */
export const reportModels = mutation({
  args: { key: v.string(), models: v.array(deviceModel) },
  returns: v.null(),
  handler: async (ctx, { key, models }) => {
    await storeModels(ctx, await authenticateUnretired(ctx, key), models, Date.now());
    return null;
  },
});

/**
 * Reports measured hours of the device's donation, at most 24. Call it once an hour. An hour that is known already does not count
 * again. Refuses: unauthorized, retired, invalid.
 */
export const reportComfort = mutation({
  args: { key: v.string(), hours: v.array(comfortHour) },
  returns: v.null(),
  handler: async (ctx, { key, hours }) => {
    await addHours(ctx, await authenticateUnretired(ctx, key), hours, Date.now());
    return null;
  },
});

/**
 * The device's earnings, in total and since `since`. That is the caller's midnight, because queries have no clock. Refuses:
 * unauthorized, retired.
 */
export const earnings = query({
  args: { key: v.string(), since: v.number() },
  returns: v.object({
    balanceMicro: v.int64(),
    jobsSucceeded: v.number(),
    todayMicro: v.int64(),
    todayJobs: v.number(),
    /** Answers that other devices found to be wrong, and the pay that waits for checks. Null: there is neither. */
    checks: v.union(deviceChecks, v.null()),
  }),
  handler: async (ctx, { key, since }) => {
    const device = await authenticateUnretired(ctx, key);
    const balance = await earnedOf(ctx, device._id);
    const today = await earnedSince(ctx, device._id, since);
    return {
      balanceMicro: balance.micro,
      jobsSucceeded: balance.jobs,
      todayMicro: today.micro,
      todayJobs: today.jobs,
      checks: await checksOf(ctx, device._id),
    };
  },
});

/**
 * The device's earnings by day (UTC), for the 13 months that they are kept. Days without jobs are left out. `since`: jobs that
 * ended earlier are not counted (ms epoch); null: none is counted yet. `facts`: the figures that its organization compares this
 * work with. `standings`: what checks of its answers showed. Refuses: unauthorized, retired.
 */
export const earningsByDay = query({
  args: { key: v.string() },
  returns: v.object({
    days: v.array(daySum),
    since: v.union(v.number(), v.null()),
    facts: usageFacts,
    standings: v.array(ownStanding),
  }),
  handler: async (ctx, { key }) => {
    const { _id, organizationId } = await authenticateUnretired(ctx, key);
    const [days, progress] = await Promise.all([keptDays(ctx, _id), findProgress(ctx, organizationId)]);
    const models = mergeModelTokens(days.map((day) => day.models ?? []));
    const facts = await factsForModels(ctx, organizationId, models);
    const standings = await ownStandingsOf(ctx, _id);
    return { days, since: progress?.usageFrom ?? null, facts, standings };
  },
});

/** The device's attempts, newest first. With a filter, a page may be short. Refuses: unauthorized, retired, invalid. */
export const history = query({
  args: { key: v.string(), paginationOpts: paginationOptsValidator, filter: v.optional(historyFilter) },
  returns: paginationResultValidator(historyRow),
  handler: async (ctx, { key, paginationOpts, filter = {} }) => {
    const device = await authenticateUnretired(ctx, key);
    const page = await historyPage(ctx, device, filter, paginationOpts);
    const checked = await payNow(ctx, device._id, page.page);
    return { ...page, page: page.page.map((attempt) => historyRowOf(attempt, checked.get(attempt.jobId))) };
  },
});
