import { type Infer, v } from "convex/values";
import { changesText } from "../../../app/audit/changes.ts";
import { isInRanges, parseRanges } from "../../../app/keys/addresses.ts";
import { longestKeyMs } from "../../../app/keys/expiry.ts";
import { type Quota, quotaLimits, quotaPeriods, type Quotas, quotasWords } from "../../../app/keys/quotas.ts";
import {
  type KeyScope,
  keyScopes,
  missingAnswerScopeWords,
  missingScopeWords,
} from "../../../app/keys/scopes.ts";
import { microPerCredit } from "../../../app/money/credits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { findModel } from "../models/catalog.ts";
import { boundedInteger, refuse } from "../refuse.ts";
import { keyQuotas, keyScope } from "../validators/keys.ts";

/** For what, from where, until when and how much a key may be used. Null, and quotas without a number: no bound. */
export const keyAccess = v.object({
  scopes: v.union(v.array(keyScope), v.null()),
  models: v.union(v.array(v.string()), v.null()),
  addresses: v.union(v.array(v.string()), v.null()),
  /** ms epoch. */
  expiresAt: v.union(v.number(), v.null()),
  quotas: keyQuotas,
});

/** The same as an argument: a field that is left out stays. */
export const givenAccess = {
  scopes: v.optional(keyAccess.fields.scopes),
  models: v.optional(keyAccess.fields.models),
  addresses: v.optional(keyAccess.fields.addresses),
  expiresAt: v.optional(keyAccess.fields.expiresAt),
  quotas: v.optional(keyQuotas),
};

type KeyAccess = Infer<typeof keyAccess>;
type Given = Partial<KeyAccess>;

export function accessOf(key: Doc<"apiKeys">): KeyAccess {
  const { scopes, models, addresses, expiresAt, quotas = {} } = key;
  return {
    scopes: scopes ?? null,
    models: models ?? null,
    addresses: addresses ?? null,
    expiresAt: expiresAt ?? null,
    quotas,
  };
}

/** The access of a key without bounds. */
const unbounded: KeyAccess = { scopes: null, models: null, addresses: null, expiresAt: null, quotas: {} };

const mostModels = 100;

/** An access from outside, bounded. Refuses: invalid, not_found (a model), conflict (addresses are not known). */
async function checkedAccess(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  { scopes, models, addresses, expiresAt, quotas }: Given,
  now: number,
): Promise<Given> {
  return {
    ...(scopes === undefined ? {} : { scopes: scopes && scopesIn(scopes) }),
    ...(models === undefined ? {} : { models: models && (await modelsIn(ctx, organizationId, models)) }),
    ...(addresses === undefined ? {} : { addresses: addresses && (await addressesIn(ctx, addresses)) }),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : endIn(expiresAt, now) }),
    ...(quotas === undefined ? {} : { quotas: quotasIn(quotas) }),
  };
}

function scopesIn(scopes: readonly KeyScope[]): KeyScope[] {
  if (scopes.length === 0) refuse("invalid", "A key needs at least one kind of calls. Revoke it to end all.");
  return keyScopes.filter((scope) => scopes.includes(scope));
}

async function modelsIn(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  models: readonly string[],
): Promise<string[]> {
  const names = [...new Set(models)].sort();
  if (names.length === 0) refuse("invalid", "A key needs at least one model. Revoke it to end all calls.");
  if (names.length > mostModels) refuse("invalid", `A key can list at most ${String(mostModels)} models.`);
  for (const name of names) {
    if ((await findModel(ctx, organizationId, name)) === null)
      refuse("not_found", "There is no such model. Name models, not their aliases.");
  }
  return names;
}

async function addressesIn(ctx: MutationCtx, texts: readonly string[]): Promise<string[]> {
  const parsed = parseRanges(texts);
  if (parsed.kind === "wrong") return refuse("invalid", parsed.why);
  if (parsed.ranges.length === 0) refuse("invalid", "List an address or a network.");
  if ((await ctx.meta.getRequestMetadata()).ip === null) {
    const why =
      "This server does not know the addresses of its callers, so it would refuse all calls of the key.";
    refuse("conflict", `${why} Its proxy has to pass them on: docs/deploying.md says how.`);
  }
  return [...parsed.ranges];
}

function endIn(expiresAt: number, now: number): number {
  if (expiresAt <= now)
    refuse("invalid", "The end of a key must be in the future. To end it now, revoke it.");
  return boundedInteger(expiresAt, "expiresAt", 0, now + longestKeyMs);
}

function quotasIn(quotas: Quotas): Quotas {
  const checked: Quotas = {};
  for (const period of quotaPeriods) {
    const quota = quotaIn(quotas[period] ?? {});
    if (Object.keys(quota).length > 0) checked[period] = quota;
  }
  return checked;
}

function quotaIn({ requests, tokens, micro }: Quota): Quota {
  if (micro !== undefined && (micro <= 0n || micro > BigInt(quotaLimits.credits) * microPerCredit))
    refuse("invalid", "A quota of credits must be more than 0, and at most a billion.");
  return {
    ...(requests === undefined
      ? {}
      : { requests: boundedInteger(requests, "A quota of requests", 1, quotaLimits.requests) }),
    ...(tokens === undefined
      ? {}
      : { tokens: boundedInteger(tokens, "A quota of tokens", 1, quotaLimits.tokens) }),
    ...(micro === undefined ? {} : { micro }),
  };
}

/** Sets the access of a new key. Returns it in words for the audit trail. Refuses as `checkedAccess`. */
export async function beginAccess(
  ctx: MutationCtx,
  key: Pick<Doc<"apiKeys">, "_id" | "organizationId">,
  given: Given,
  now: number,
): Promise<string> {
  const checked = await checkedAccess(ctx, key.organizationId, given, now);
  await store(ctx, key._id, checked);
  return changesIn(unbounded, { ...unbounded, ...checked });
}

/** Changes a key's access from now on. Refuses as `checkedAccess`. */
export async function setAccess(ctx: MutationCtx, key: Doc<"apiKeys">, given: Given, by: Act): Promise<void> {
  const { _id: subject, organizationId } = key;
  const checked = await checkedAccess(ctx, organizationId, given, by.at);
  await store(ctx, subject, checked);
  const before = accessOf(key);
  const detail = changesIn(before, { ...before, ...checked });
  if (detail === "") return;
  await record(ctx, { organizationId, ...by, action: "api-key.access-changed", subject, detail });
}

async function store(
  ctx: MutationCtx,
  keyId: Id<"apiKeys">,
  { scopes, models, addresses, expiresAt, quotas }: Given,
): Promise<void> {
  await ctx.db.patch("apiKeys", keyId, {
    ...(scopes === undefined ? {} : { scopes: scopes ?? undefined }),
    ...(models === undefined ? {} : { models: models ?? undefined }),
    ...(addresses === undefined ? {} : { addresses: addresses ?? undefined }),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt ?? undefined, expired: undefined }),
    ...(quotas === undefined ? {} : { quotas: Object.keys(quotas).length === 0 ? undefined : quotas }),
  });
}

/** The changes between two accesses, for the audit trail. */
function changesIn(before: KeyAccess, after: KeyAccess): string {
  const shown = ({ scopes, models, addresses, expiresAt, quotas }: KeyAccess) => ({
    scopes: scopes ?? "all",
    models: models ?? "all",
    addresses: addresses ?? "any",
    end: expiresAt === null ? "never" : new Date(expiresAt).toISOString(),
    quotas: quotasWords(quotas),
  });
  const [was, is] = [shown(before), shown(after)];
  return changesText([
    ["kinds of calls", was.scopes, is.scopes],
    ["models", was.models, is.models],
    ["addresses", was.addresses, is.addresses],
    ["expires", was.end, is.end],
    ["quotas", was.quotas, is.quotas],
  ]);
}

/** Refuses (scope_missing) a call of a kind that the key may not make. @param scope null: every key may make the call */
export function checkScope({ scopes }: Doc<"apiKeys">, scope: KeyScope | null): void {
  if (scope === null || scopes === undefined || scopes.includes(scope)) return;
  refuse("scope_missing", missingScopeWords(scope));
}

/** Refuses (scope_missing) a call whose answer the key could not fetch later. @param scope null: nobody fetches it */
export function checkAnswerScope({ scopes }: Doc<"apiKeys">, scope: KeyScope | null): void {
  if (scope === null || scopes === undefined || scopes.includes(scope)) return;
  refuse("scope_missing", missingAnswerScopeWords(scope));
}

/** Refuses (address_not_allowed) a call from an address that is not in the key's list. @param address null: it is not known */
export function checkAddress({ addresses }: Doc<"apiKeys">, address: string | null): void {
  if (addresses === undefined || (address !== null && isInRanges(address, addresses))) return;
  const from =
    address === null ? "The address of this call is not known here" : `This call comes from ${address}`;
  refuse(
    "address_not_allowed",
    `${from}, and this API key may be used only from some addresses. An owner or administrator can change them on the console's page API keys.`,
  );
}
