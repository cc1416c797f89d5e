import { type FunctionReturnType, paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { internal } from "./_generated/api.js";
import { internalAction, internalMutation, internalQuery } from "./_generated/server.js";
import type { Act } from "./model/audit.ts";
import { auditPage, auditRow } from "./model/auditPages.ts";
import { sealPage, sealView } from "./model/auditSeals.ts";
import { createCode, newCode } from "./model/devices/enrollmentCodes.ts";
import { createKey, newKey } from "./model/keys/apiKeys.ts";
import {
  checkLedgerPage,
  ledgerPosition,
  type LedgerReport,
  ledgerReport,
  ledgerStart,
  mergeReports,
} from "./model/ledger/check.ts";
import { signCatalog, signOutcome } from "./model/models/signCatalog.ts";
import {
  allOrganizations,
  chosenOrganization,
  createOrganization as create,
  newOrganization,
} from "./model/organizations/create.ts";
import { firstOwner, memberByEmail } from "./model/people/members.ts";
import { createLink } from "./model/people/signIn.ts";
import { listSettings, operatorSetting, setByOperator } from "./model/queueSettings.ts";
import { refuse } from "./model/refuse.ts";
import { forgetSecondFactor } from "./model/signIn/resetSecondFactor.ts";
import { removeMetricsToken, setMetricsToken as setToken } from "./model/statistics/token.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/*
 * Functions for the operator, called with the deployment's admin key. Secrets stay with the caller: it sends hashes.
 */

/** The operator, now. */
function setupNow(): Act {
  return { actor: "setup", at: Date.now() };
}

/** Creates an organization with all that it needs to start. Refuses: invalid, conflict. */
export const createOrganization = internalMutation({
  args: newOrganization,
  returns: v.object({ organizationId: v.id("organizations") }),
  handler: async (ctx, args) => ({ organizationId: await create(ctx, args, Date.now()) }),
});

/**
 * Creates another one-time sign-in link: for the member with this address, or for the first owner. It expires after a day.
 * `resetSecondFactor`: for a member who lost it, and whom nobody else can help.
 */
export const signInLink = internalMutation({
  args: {
    organizationId: v.optional(v.id("organizations")),
    email: v.optional(v.string()),
    tokenHash: v.string(),
    resetSecondFactor: v.optional(v.boolean()),
  },
  returns: v.null(),
  handler: async (ctx, { organizationId: named, email, tokenHash, resetSecondFactor = false }) => {
    const by = setupNow();
    const organizationId = await chosenOrganization(ctx, named);
    const member =
      email === undefined
        ? await firstOwner(ctx, organizationId, by.at)
        : ((await memberByEmail(ctx, organizationId, email.trim().toLowerCase())) ??
          refuse("not_found", "There is no member with this e-mail address."));
    await createLink(ctx, member, tokenHash, by);
    if (resetSecondFactor) await forgetSecondFactor(ctx, member, by);
    return null;
  },
});

/** Creates another API key, with 1,000,000 credits by default. */
export const issueKey = internalMutation({
  args: { organizationId: v.optional(v.id("organizations")), ...newKey },
  returns: v.object({ keyId: v.id("apiKeys") }),
  handler: async (ctx, { organizationId: named, ...key }) => {
    const organizationId = await chosenOrganization(ctx, named);
    return { keyId: await createKey(ctx, { ...key, organizationId }, setupNow()) };
  },
});

/** Sets the token with which an organization's metrics are read, and ends the earlier one. Null: nobody may read them. */
export const setMetricsToken = internalMutation({
  args: { organizationId: v.optional(v.id("organizations")), tokenHash: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { organizationId: named, tokenHash }) => {
    const organizationId = await chosenOrganization(ctx, named);
    if (tokenHash === null) await removeMetricsToken(ctx, organizationId, setupNow());
    else await setToken(ctx, organizationId, tokenHash, setupNow());
    return null;
  },
});

/** Creates another enrollment code. */
export const issueEnrollmentCode = internalMutation({
  args: { organizationId: v.optional(v.id("organizations")), ...newCode },
  returns: v.object({ codeId: v.id("enrolmentCodes") }),
  handler: async (ctx, { organizationId: named, ...code }) => {
    const organizationId = await chosenOrganization(ctx, named);
    return { codeId: await createCode(ctx, { ...code, organizationId }, setupNow()) };
  },
});

/**
 * Signs the catalogs that are not signed yet, and hands over to a new signing key. docs/signatures.md says
 * when `renew` and `force` are needed.
 */
export const signCatalogs = internalMutation({
  args: { how: v.optional(literals("missing", "renew", "force")) },
  returns: v.array(v.object({ organization: v.string(), outcome: signOutcome })),
  handler: async (ctx, { how = "missing" }) => {
    const signed = [];
    for (const { _id, name } of await allOrganizations(ctx)) {
      signed.push({ organization: name, outcome: await signCatalog(ctx, _id, how, Date.now()) });
    }
    return signed;
  },
});

const ofOrganization = { organizationId: v.union(v.id("organizations"), v.null()) };

/** The queue's settings, of one organization or (null) of all that have no own ones. */
export const queueSettings = internalQuery({
  args: ofOrganization,
  returns: v.array(operatorSetting),
  handler: async (ctx, { organizationId }) => await listSettings(ctx, organizationId),
});

/** Changes some of them, and leaves the others. Null: the default. Refuses: invalid. */
export const setQueueSettings = internalMutation({
  args: { ...ofOrganization, values: v.record(v.string(), v.union(v.number(), v.null())) },
  returns: v.null(),
  handler: async (ctx, { organizationId, values }) => {
    await setByOperator(ctx, organizationId, values, Date.now());
    return null;
  },
});

export const status = internalQuery({
  args: {},
  returns: v.object({
    organizations: v.array(v.object({ id: v.id("organizations"), name: v.string() })),
  }),
  handler: async (ctx) => ({
    organizations: (await allOrganizations(ctx)).map(({ _id, name }) => ({ id: _id, name })),
  }),
});

/** A page of an organization's audit trail, newest first. */
export const auditRows = internalQuery({
  args: { organizationId: v.id("organizations"), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(auditRow),
  handler: async (ctx, { organizationId, paginationOpts }) =>
    await auditPage(ctx, organizationId, {}, paginationOpts),
});

/** The seals of that trail that end after a moment, oldest first, at most 200. */
export const auditSeals = internalQuery({
  args: { organizationId: v.id("organizations"), after: v.number() },
  returns: v.array(sealView),
  handler: async (ctx, { organizationId, after }) =>
    await sealPage(ctx, organizationId, after, Number.MAX_SAFE_INTEGER),
});

/** Audits as much of the ledger as one query may read. `complete` tells whether that is all. */
export const ledgerCheck = internalQuery({
  args: {},
  returns: ledgerReport,
  handler: async (ctx) => (await checkLedgerPage(ctx, ledgerStart)).report,
});

/** Audits the page of the ledger after a position. */
export const ledgerPage = internalQuery({
  args: { after: ledgerPosition },
  returns: v.object({ report: ledgerReport, next: v.union(ledgerPosition, v.null()) }),
  handler: async (ctx, { after }) => await checkLedgerPage(ctx, after),
});

/** Audits the whole ledger page by page, while the deployment keeps working. */
export const auditLedger = internalAction({
  args: {},
  returns: ledgerReport,
  handler: async (ctx): Promise<LedgerReport> => {
    const pageAfter = async (
      after: typeof ledgerStart,
    ): Promise<FunctionReturnType<typeof internal.setup.ledgerPage>> =>
      await ctx.runQuery(internal.setup.ledgerPage, { after });
    let { report, next } = await pageAfter(ledgerStart);
    while (next !== null) {
      const page = await pageAfter(next);
      report = mergeReports(report, page.report);
      ({ next } = page);
    }
    return report;
  },
});
