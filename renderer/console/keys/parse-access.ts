import { formatCount } from "../../../app/format/quantity.ts";
import { plainNumber } from "../../../app/format/typed-number.ts";
import { parseRanges } from "../../../app/keys/addresses.ts";
import {
  type Quota,
  quotaLimits,
  type QuotaPeriod,
  quotaPeriods,
  type Quotas,
  type QuotaUnit,
  quotaUnits,
} from "../../../app/keys/quotas.ts";
import { type KeyScope, keyScopes } from "../../../app/keys/scopes.ts";
import { formatExactCredits } from "../../../app/money/credits.ts";
import type { KeyRow } from "../data/rows.ts";
import { parseCredits } from "../usage/parse-usage-form.ts";

/** How a key may be used. Null, and quotas without a number: no bound. */
export type Access = Pick<KeyRow, "scopes" | "models" | "addresses" | "expiresAt" | "quotas">;

/** Choices of an end. "kept": as it is; otherwise a number of days from now, never, or at the end of a date. */
export const expiries = ["kept", "never", "30", "90", "365", "date"] as const;
export type Expiry = (typeof expiries)[number];

export type TypedAccess = {
  readonly scopes: readonly KeyScope[];
  readonly onlyModels: boolean;
  readonly models: readonly string[];
  /** One on each line. */
  readonly addresses: string;
  readonly expiry: Expiry;
  /** As a date field gives it. */
  readonly date: string;
  readonly quotas: Readonly<Record<QuotaPeriod, Readonly<Record<QuotaUnit, string>>>>;
};

export type AccessField = "scopes" | "models" | "addresses" | "date" | `${QuotaPeriod} ${QuotaUnit}`;

/** `expiresAt` is left out if it stays. */
export type ParsedAccess =
  | { readonly kind: "ok"; readonly access: Partial<Access> }
  | { readonly kind: "wrong"; readonly field: AccessField; readonly why: string };

const noQuotas = { requests: "", tokens: "", micro: "" };

/** An access as its form shows it. Null: that of a new key. */
export function typedAccess(access: Access | null): TypedAccess {
  const { scopes = null, models = null, addresses = null, expiresAt = null, quotas = {} } = access ?? {};
  return {
    scopes: scopes ?? keyScopes,
    onlyModels: models !== null,
    models: models ?? [],
    addresses: (addresses ?? []).join("\n"),
    expiry: expiresAt === null ? "never" : "kept",
    date: "",
    quotas: { day: typedQuota(quotas.day), month: typedQuota(quotas.month) },
  };
}

function typedQuota({ requests, tokens, micro }: Quota = {}): typeof noQuotas {
  return {
    requests: requests?.toString() ?? "",
    tokens: tokens?.toString() ?? "",
    micro: micro === undefined ? "" : formatExactCredits(micro),
  };
}

const dayMs = 86_400_000;

/** Reads a typed access. An empty field means no bound. */
export function parseAccess(typed: TypedAccess, now: number): ParsedAccess {
  const { scopes, onlyModels, models } = typed;
  if (scopes.length === 0) return { kind: "wrong", field: "scopes", why: "Choose at least one." };
  if (onlyModels && models.length === 0)
    return { kind: "wrong", field: "models", why: "Choose at least one." };
  const parsed = parseRanges(typed.addresses.split(/[\n,;]/));
  if (parsed.kind === "wrong") return { kind: "wrong", field: "addresses", why: parsed.why };
  const expiresAt = endOf(typed, now);
  if (Number.isNaN(expiresAt)) return { kind: "wrong", field: "date", why: "Choose a day from today on." };
  const quotas: Quotas = {};
  for (const period of quotaPeriods) {
    const quota: Quota = {};
    for (const unit of quotaUnits) {
      const why = readQuota(quota, unit, typed.quotas[period][unit]);
      if (why !== null) return { kind: "wrong", field: `${period} ${unit}`, why };
    }
    if (Object.keys(quota).length > 0) quotas[period] = quota;
  }
  return {
    kind: "ok",
    access: {
      scopes: scopes.length === keyScopes.length ? null : [...scopes],
      models: onlyModels ? [...models] : null,
      addresses: parsed.ranges.length === 0 ? null : [...parsed.ranges],
      ...(expiresAt === undefined ? {} : { expiresAt }),
      quotas,
    },
  };
}

/** ms epoch; null: never; undefined: as it is; NaN: the date is missing or over. */
function endOf({ expiry, date }: TypedAccess, now: number): number | null | undefined {
  switch (expiry) {
    case "kept":
      return undefined;
    case "never":
      return null;
    case "date": {
      const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
      const end = date === "" ? Number.NaN : new Date(year, month - 1, day + 1).getTime();
      return end > now ? end : Number.NaN;
    }
    default:
      return now + Number(expiry) * dayMs;
  }
}

/** Adds a typed number to a quota. Returns why it is none; null if it is one, or empty. */
function readQuota(quota: Quota, unit: QuotaUnit, typed: string): string | null {
  if (typed.trim() === "") return null;
  if (unit === "micro") {
    const micro = parseCredits(typed);
    if (typeof micro === "string") return micro;
    quota.micro = micro;
    return null;
  }
  const text = plainNumber(typed);
  const value = /^\d{1,13}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > quotaLimits[unit])
    return `Must be a whole number from 1 to ${formatCount(quotaLimits[unit])}.`;
  quota[unit] = value;
  return null;
}
