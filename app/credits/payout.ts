import { type Cell, csvOf } from "../format/csv.ts";
import { locale } from "../format/locale.ts";

/** The money for an amount of credits, in hundredths of the currency, rounded down. */
export function payoutCents(micro: bigint, perCreditMicro: bigint): bigint {
  return (micro * perCreditMicro) / 10_000_000_000n;
}

/** "12.34" from 1234 with two places: a number that programs read, whatever the language of the page. */
export function decimalOf(value: bigint, places: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, "0");
  return `${value < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

const twoPlaces = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** "1,234.56 EUR", as the page's language writes it. */
export function moneyOf(cents: bigint, currency: string): string {
  return `${twoPlaces.format(decimalOf(cents, 2) as Intl.StringNumericLiteral)} ${currency}`;
}

/** An approved payout, as payroll reads it. */
export type PayrollRow = {
  readonly payoutId: string;
  readonly member: { readonly id: string; readonly name: string; readonly email: string | null };
  readonly micro: bigint;
  readonly currency: string;
  readonly perCreditMicro: bigint;
  readonly cents: bigint;
  /** ms epoch. */
  readonly askedAt: number;
  readonly decidedAt: number | null;
  readonly decidedBy: string | null;
};

const date = (at: number | null): Cell => (at === null ? null : new Date(at).toISOString().slice(0, 10));

/** Approved payouts as CSV. */
export function payrollCsv(rows: readonly PayrollRow[]): string {
  return csvOf(
    [
      "payout",
      "member",
      "name",
      "email",
      "asked",
      "approved",
      "approved_by",
      "credits",
      "per_credit",
      "amount",
      "currency",
    ],
    rows.map((row) => [
      row.payoutId,
      row.member.id,
      row.member.name,
      row.member.email,
      date(row.askedAt),
      date(row.decidedAt),
      row.decidedBy,
      decimalOf(row.micro, 6),
      decimalOf(row.perCreditMicro, 6),
      decimalOf(row.cents, 2),
      row.currency,
    ]),
  );
}
