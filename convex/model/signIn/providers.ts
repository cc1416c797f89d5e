import { type Infer, v } from "convex/values";
import { changesText } from "../../../app/audit/changes.ts";
import { limits } from "../../../app/jobs/limits.ts";
import { isLoopback } from "../../../app/join-command.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { checkedRoles } from "../people/members.ts";
import { boundedText, owned, refuse } from "../refuse.ts";
import { providerSettings } from "../validators/people.ts";

declare const process: { readonly env: { readonly CONVEX_SITE_URL?: string } };

const maxProviders = 10;
const maxRules = 100;
const maxDomains = 100;
const maxChars = 500;
export const maxSecretChars = 2_000;

export type ProviderSettings = Infer<typeof providerSettings>;

export const providerRow = v.object({
  providerId: v.id("ssoProviders"),
  ...providerSettings.fields,
  createdAt: v.number(),
});

/** An organization's providers, oldest first. */
export async function providersOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"ssoProviders">[]> {
  return await ctx.db
    .query("ssoProviders")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("removedAt", undefined))
    .take(maxProviders);
}

/** A provider without its secret, which nobody reads again. */
export function providerView(provider: Doc<"ssoProviders">): Infer<typeof providerRow> {
  const {
    _id: providerId,
    _creationTime,
    organizationId: _organizationId,
    clientSecret: _clientSecret,
    removedAt: _removedAt,
    ...row
  } = provider;
  return { providerId, ...row };
}

/** Settings in their stored form. Refuses: invalid. */
export function checkedSettings(given: ProviderSettings): ProviderSettings {
  const scopes = boundedText(given.scopes, "The scopes", maxChars).split(/\s+/);
  if (!scopes.includes("openid")) refuse("invalid", "The scopes must contain “openid”.");
  if (given.groups.length === 0) {
    refuse("invalid", "Give at least one group a role. The group * stands for everybody.");
  }
  if (given.groups.length > maxRules) refuse("invalid", `There are at most ${String(maxRules)} groups.`);
  if (given.emailDomains.length > maxDomains) {
    refuse("invalid", `There are at most ${String(maxDomains)} domains.`);
  }
  return {
    ...given,
    name: boundedText(given.name, "The name", limits.nameChars),
    issuer: checkedIssuer(given.issuer),
    clientId: boundedText(given.clientId, "The client ID", maxChars),
    scopes: scopes.join(" "),
    groupsClaim: boundedText(given.groupsClaim, "The claim of groups", maxChars),
    groups: given.groups.map(({ group, roles }) => ({
      group: boundedText(group, "The group", maxChars),
      roles: checkedRoles(roles),
    })),
    emailDomains: given.emailDomains.map(checkedDomain),
  };
}

/** An issuer with TLS. On a backend that only its own machine reaches, it may be a provider of that machine. Refuses: invalid. */
function checkedIssuer(given: string): string {
  const issuer = boundedText(given, "The issuer", maxChars);
  const isHere = isLoopback(issuer) && isLoopback(process.env.CONVEX_SITE_URL ?? "");
  if (!URL.canParse(issuer) || (!issuer.startsWith("https://") && !isHere)) {
    refuse("invalid", "The issuer is the provider's address and begins with https://.");
  }
  return issuer;
}

function checkedDomain(given: string): string {
  const domain = given.trim().toLowerCase().replace(/^@/, "");
  if (/^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){1,8}$/.test(domain)) return domain;
  return refuse("invalid", `“${given.slice(0, 80)}” is no domain, such as example.org.`);
}

/**
 * Adds or changes a provider. A change without a secret keeps the earlier one, unless the issuer is another: its secret must not
 * go to somebody else. Refuses: invalid, not_found, conflict.
 */
export async function saveProvider(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  asked: {
    readonly providerId: Id<"ssoProviders"> | null;
    readonly settings: ProviderSettings;
    /** Sealed. */
    readonly clientSecret: string | null;
  },
  by: Act,
): Promise<Id<"ssoProviders">> {
  const { providerId, settings, clientSecret } = asked;
  const { issuer } = settings;
  if (providerId === null) {
    if (clientSecret === null) refuse("invalid", "Enter the client secret.");
    if ((await providersOf(ctx, organizationId)).length === maxProviders) {
      refuse("conflict", `There are at most ${String(maxProviders)} providers.`);
    }
    const row = { organizationId, ...settings, clientSecret, createdAt: by.at };
    const subject = await ctx.db.insert("ssoProviders", row);
    const detail = changesOf(null, settings, true);
    await record(ctx, { organizationId, ...by, action: "sign-in-provider.added", subject, detail });
    return subject;
  }
  const before = await ownProvider(ctx, organizationId, providerId);
  if (clientSecret === null && before.issuer !== issuer) {
    refuse("invalid", "Enter the client secret of the new issuer.");
  }
  await ctx.db.patch("ssoProviders", providerId, {
    ...settings,
    ...(clientSecret === null ? {} : { clientSecret }),
  });
  const subject = providerId;
  const detail = changesOf(before, settings, clientSecret !== null);
  await record(ctx, { organizationId, ...by, action: "sign-in-provider.changed", subject, detail });
  return providerId;
}

/** The settings before and after. Of the secret only that it is another one. */
function changesOf(before: ProviderSettings | null, after: ProviderSettings, hasNewSecret: boolean): string {
  const roleTexts = ({ groups }: ProviderSettings): string[] =>
    groups.map(({ group, roles }) => `${group} = ${roles.join(" and ")}`);
  return changesText(
    [
      ["name", before?.name, after.name],
      ["issuer", before?.issuer, after.issuer],
      ["client", before?.clientId, after.clientId],
      ["scopes", before?.scopes, after.scopes],
      ["claim of groups", before?.groupsClaim, after.groupsClaim],
      ["groups", before === null ? null : roleTexts(before), roleTexts(after)],
      ["domains", before?.emailDomains, after.emailDomains],
      ["new people may join", before?.admitsUnknown, after.admitsUnknown],
      ["its addresses are trusted", before?.trustsEmail, after.trustsEmail],
      ["in use", before?.enabled, after.enabled],
    ],
    hasNewSecret && before !== null ? ["another client secret"] : [],
  );
}

/** Removes a provider. Its members stay. Their sessions end at the next check, or when they are 12 hours old. Refuses: not_found. */
export async function removeProvider(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  providerId: Id<"ssoProviders">,
  by: Act,
): Promise<void> {
  await ownProvider(ctx, organizationId, providerId);
  await ctx.db.patch("ssoProviders", providerId, { removedAt: by.at, clientSecret: "plain." });
  await record(ctx, { organizationId, ...by, action: "sign-in-provider.removed", subject: providerId });
}

/** A provider of the organization that was not removed. Refuses: not_found. */
export async function ownProvider(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  providerId: Id<"ssoProviders">,
): Promise<Doc<"ssoProviders">> {
  const provider = owned(await ctx.db.get("ssoProviders", providerId), organizationId, "provider");
  return provider.removedAt === undefined ? provider : refuse("not_found", "There is no such provider.");
}

/** A provider with which people may sign in now; or null. */
export async function usableProvider(
  ctx: QueryCtx,
  providerId: Id<"ssoProviders">,
): Promise<Doc<"ssoProviders"> | null> {
  const provider = await ctx.db.get("ssoProviders", providerId);
  return provider?.enabled === true && provider.removedAt === undefined ? provider : null;
}
