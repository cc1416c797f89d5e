import { changesText } from "../../app/audit/changes.ts";
import {
  allowedOrigin,
  foreignPageWords,
  listedOrigins,
  type Origins,
  originsMistake,
  unionOf,
} from "../../app/keys/origins.ts";
import type { Doc, Id } from "../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";
import { type Act, record } from "./audit.ts";
import { present, refuse } from "./refuse.ts";
import { consoleOrigins } from "./signIn/addresses.ts";

/** Convex sets it for every function. */
declare const process: { readonly env: { readonly CORS_ORIGINS?: string } };

/** The origins that the operator allows to organizations without a list of their own: none by default. */
export function operatorsOrigins(): Origins {
  return listedOrigins(process.env.CORS_ORIGINS);
}

/** An organization's own list; null without one. */
export async function ownOrigins(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<string[] | null> {
  const organization = present(await ctx.db.get("organizations", organizationId), "organization");
  return organization.pageOrigins ?? null;
}

/** The origins whose pages may read answers to an organization's keys. */
export async function originsOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<Origins> {
  return allowedBy(present(await ctx.db.get("organizations", organizationId), "organization"));
}

/** The console's own pages are always allowed. */
function allowedBy({ pageOrigins }: Doc<"organizations">): Origins {
  const listed = pageOrigins ?? operatorsOrigins();
  return listed === null || listed.includes("*") ? null : [...listed, ...consoleOrigins()];
}

/**
 * Refuses (origin_not_allowed) a call of a page that the organization does not allow.
 * @param page its origin; undefined outside of browsers, and for pages of the server itself.
 */
export async function checkPage(
  ctx: QueryCtx,
  { organizationId }: Pick<Doc<"apiKeys">, "organizationId">,
  page: string | undefined,
): Promise<void> {
  if (page === undefined) return;
  const isAllowed = allowedOrigin(await originsOf(ctx, organizationId), page) !== null;
  if (!isAllowed) refuse("origin_not_allowed", foreignPageWords(page));
}

/** Of more organizations the lists are not read, and any page counts as listed. */
const mostRead = 100;

/** The origins that some organization allows: before a call has a key, nobody knows whose it is. */
export async function originsOfAny(ctx: QueryCtx): Promise<Origins> {
  const organizations = await ctx.db.query("organizations").take(mostRead + 1);
  if (organizations.length > mostRead) return null;
  return unionOf(organizations.map(allowedBy));
}

/**
 * Sets an organization's list; null: it has none, and the operator's counts. Refuses: invalid.
 * @returns the list before, which undoes the change.
 */
export async function setOrigins(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  origins: string[] | null,
  by: Act,
): Promise<string[] | null> {
  const mistake =
    origins?.length === 0 ? "List at least one origin, or none at all." : originsMistake(origins ?? []);
  if (mistake !== null) refuse("invalid", mistake);
  const before = await ownOrigins(ctx, organizationId);
  if (JSON.stringify(before) === JSON.stringify(origins)) return before;
  const detail = changesText([["origins", before, origins]]);
  await ctx.db.patch("organizations", organizationId, { pageOrigins: origins ?? undefined });
  await record(ctx, { organizationId, ...by, action: "page-origins.changed", subject: "pages", detail });
  return before;
}
