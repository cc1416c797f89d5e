import { formatCount, plural } from "../../../app/format/quantity.ts";
import { formatMoment } from "../../../app/format/time.ts";
import { type QuotaPeriod, quotaPeriods, type QuotaUnit, quotaUnits } from "../../../app/keys/quotas.ts";
import { scopeWords } from "../../../app/keys/scopes.ts";
import { formatExactCredits } from "../../../app/money/credits.ts";
import type { KeyRow } from "../data/rows.ts";

export const quotaLabels: Readonly<Record<QuotaUnit, string>> = {
  requests: "Requests",
  tokens: "Tokens",
  micro: "Credits",
};

/** The bounds of a key in short sentences, such as "12 of 100 requests today". Empty for a key without bounds. */
export function boundsOf(key: KeyRow, now: number): readonly string[] {
  const { scopes, models, addresses, expiresAt, former } = key;
  return [
    ...(former === null
      ? []
      : [`The former secret ${former.prefix}… works until ${formatMoment(former.until, now)}`]),
    ...(expiresAt === null || expiresAt <= now ? [] : [`Expires ${formatMoment(expiresAt, now)}`]),
    ...(scopes === null ? [] : [`Only: ${scopes.map((scope) => scopeWords[scope].name).join(", ")}`]),
    ...(models === null
      ? []
      : models.length <= 2
        ? [`Only ${models.join(", ")}`]
        : [plural(models.length, ["Only # model", "Only # models"])]),
    ...(addresses === null
      ? []
      : addresses.length <= 2
        ? [`Only from ${addresses.join(", ")}`]
        : [
            plural(addresses.length, ["Only from # address or network", "Only from # addresses or networks"]),
          ]),
    ...quotaPeriods.flatMap((period) => quotaUnits.flatMap((unit) => useWords(key, period, unit))),
  ];
}

function useWords({ quotas, use }: KeyRow, period: QuotaPeriod, unit: QuotaUnit): readonly string[] {
  const most = quotas[period]?.[unit];
  if (most === undefined) return [];
  const used = use?.[period][unit] ?? 0;
  const [is, of] = [used, most].map((amount) => amountOf(unit, amount));
  const isDay = period === "day";
  switch (unit) {
    case "requests":
      return [isDay ? `${is} of ${of} requests today` : `${is} of ${of} requests this month`];
    case "tokens":
      return [isDay ? `${is} of ${of} tokens today` : `${is} of ${of} tokens this month`];
    case "micro":
      return [isDay ? `${is} of ${of} credits today` : `${is} of ${of} credits this month`];
  }
}

function amountOf(unit: QuotaUnit, amount: number | bigint): string {
  return unit === "micro" ? formatExactCredits(BigInt(amount)) : formatCount(Number(amount));
}
