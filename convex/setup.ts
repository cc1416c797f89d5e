import type { FunctionReturnType } from "convex/server";
import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalAction, internalMutation, internalQuery } from "./_generated/server.js";
import { createLink } from "./model/organizations/signIn.ts";
import { createCode } from "./model/devices/enrollmentCodes.ts";
import { createKey } from "./model/organizations/apiKeys.ts";
import { createOrganization as create, newOrganization } from "./model/organizations/create.ts";
import {
  checkLedgerPage,
  ledgerPosition,
  type LedgerReport,
  ledgerReport,
  ledgerStart,
  mergeReports,
} from "./model/ledger/check.ts";
import { allOrganizations, chosenOrganization } from "./model/setup/organizations.ts";

/** For whoever runs the deployment: called with its admin key. Secrets stay with the caller, hashes come here. */
export const createOrganization = internalMutation({
  args: newOrganization,
  returns: v.object({ organizationId: v.id("organizations") }),
  handler: async (ctx, args) => ({ organizationId: await create(ctx, args, Date.now()) }),
});

/** Another one-time sign-in link for an admin, good for a day. */
export const signInLink = internalMutation({
  args: { organizationId: v.optional(v.id("organizations")), tokenHash: v.string() },
  returns: v.null(),
  handler: async (ctx, { organizationId, tokenHash }) => {
    await createLink(ctx, await chosenOrganization(ctx, organizationId), tokenHash, Date.now());
    return null;
  },
});

/** Another API key; 1,000 credits when `creditsMicro` is left out. */
export const issueKey = internalMutation({
  args: {
    organizationId: v.optional(v.id("organizations")),
    keyHash: v.string(),
    name: v.string(),
    prefix: v.string(),
    creditsMicro: v.optional(v.int64()),
  },
  returns: v.object({ keyId: v.id("apiKeys") }),
  handler: async (ctx, { organizationId: named, ...key }) => {
    const organizationId = await chosenOrganization(ctx, named);
    return { keyId: await createKey(ctx, { ...key, organizationId }, "setup", Date.now()) };
  },
});

/** Another enrolment code. */
export const issueEnrolmentCode = internalMutation({
  args: {
    organizationId: v.optional(v.id("organizations")),
    codeHash: v.string(),
    label: v.string(),
    uses: v.number(),
    expiresInHours: v.number(),
  },
  returns: v.object({ codeId: v.id("enrolmentCodes") }),
  handler: async (ctx, { organizationId: named, ...code }) => {
    const organizationId = await chosenOrganization(ctx, named);
    return { codeId: await createCode(ctx, { ...code, organizationId }, "setup", Date.now()) };
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

/** Audits the deployment's ledger as far as one query may read; `complete` says whether that is all of it. */
export const ledgerCheck = internalQuery({
  args: {},
  returns: ledgerReport,
  handler: async (ctx) => (await checkLedgerPage(ctx, ledgerStart)).report,
});

/** Audits the part of the ledger that follows a position. */
export const ledgerPage = internalQuery({
  args: { after: ledgerPosition },
  returns: v.object({ report: ledgerReport, next: v.union(ledgerPosition, v.null()) }),
  handler: async (ctx, { after }) => await checkLedgerPage(ctx, after),
});

/** Audits the whole ledger, page by page, while the deployment works on. */
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
