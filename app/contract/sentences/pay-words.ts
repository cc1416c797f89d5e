import { formatPercent } from "../../format/quantity.ts";
import { formatExactCredits } from "../../money/credits.ts";
import { formulaWords } from "../../money/formula-words.ts";
import type { PriceParts } from "../../money/price-list.ts";
import { reasonWords } from "../../policy/reasons.ts";
import { jobErrorWords } from "../job-errors.ts";

/** The formula of a device's pay. Amounts are micro-credits as decimal strings: JSON has no integers of that size. */
type PayFormula = {
  readonly promptTokens: number;
  /** Null: only the prompt has a price, as of an embedding. */
  readonly completionTokens: number | null;
  readonly promptMicro: string;
  readonly completionMicro: string;
  readonly percent: number;
  /** Absent if they are not known. */
  readonly parts?: PriceParts | undefined;
  /** Of the price. Absent in jobs from before there were versions. */
  readonly version?: string | undefined;
};

/** How checks of answers changed some pay. */
type PayCheck =
  | { readonly kind: "held" | "refused" }
  | { readonly kind: "taken"; /** The part that was taken back. */ readonly micro: string };

/** Why an attempt earned what it earned, or how it ended without pay. A page says it in its own language. */
export type PayReason =
  | {
      readonly kind: "paid";
      readonly formula: PayFormula;
      /** Whether it would be more without the highest price of the request. */
      readonly limited: boolean;
      /** The bonus of some hours, and its percent of the pay. */
      readonly bonus?: { readonly micro: string; readonly percent: number } | undefined;
      readonly check?: PayCheck | undefined;
    }
  | { readonly kind: "own-job" | "unheard"; readonly check?: PayCheck | undefined }
  | {
      readonly kind: "outrun";
      readonly slow: boolean;
      /** The pay for what it had written. Absent: none. */
      readonly part?:
        | {
            /** Absent in jobs from before it was recorded. */
            readonly formula?: PayFormula | undefined;
            /** Why it is less than the formula gives: half of the answer's price, or the rest of the request's highest price. */
            readonly limit?: "half" | "rest" | undefined;
          }
        | undefined;
    }
  | { readonly kind: "released"; /** The device's code. */ readonly reason?: string | undefined }
  | {
      readonly kind: "failed";
      readonly error?: { readonly code: string; readonly message: string } | undefined;
    }
  | { readonly kind: "stolen" | "lost" | "canceled" | "expired" };

/** Whom a page tells it: the person at the computer, or others. */
type Reader = "donor" | "others";

/** Why an attempt earned what it earned, in the language of this page. In English for a backend of another version. */
export function explainPay(
  { pay, explanation }: { readonly pay?: PayReason | undefined; readonly explanation: string },
  reader: Reader = "donor",
): string {
  return (pay === undefined ? null : payWords(pay, reader)) ?? explanation;
}

/** The reason in words. Null for one of a newer backend. */
export function payWords(pay: PayReason, reader: Reader = "donor"): string | null {
  switch (pay.kind) {
    case "paid":
      return withCheck(paidWords(pay), pay.check);
    case "own-job":
      return withCheck(
        reader === "donor"
          ? "Your own job, which costs nothing and earns nothing"
          : "A job of the device’s own people, which costs nothing and earns nothing",
        pay.check,
      );
    case "unheard":
      return withCheck(
        "Not paid, because another device of the same people has answered or checked this already",
        pay.check,
      );
    case "outrun":
      return outrunWords(pay);
    case "released":
      return pay.reason === undefined ? "Given back" : `Given back: ${releaseWords(pay.reason, reader)}`;
    case "failed":
      return pay.error === undefined ? "Failed" : `Failed: ${jobErrorWords(pay.error)}`;
    case "stolen":
      return "Taken by another device before it started";
    case "lost":
      return "The connection was lost";
    case "canceled":
      return "Canceled by the requester";
    case "expired":
      return "Not done in time";
    default:
      pay satisfies never;
      return null;
  }
}

function paidWords({ formula, limited, bonus }: Extract<PayReason, { kind: "paid" }>): string {
  const sum = priceWords(formula);
  const usual = limited ? `${sum}, limited to the highest price of the request` : sum;
  if (bonus === undefined) return usual;
  return `${usual}, + ${formatExactCredits(bonus.micro)} bonus (${formatPercent(bonus.percent)} in bonus hours, up to the cap of the day)`;
}

/** "10 tokens in × 2 + 3 out × 6 credits per 1,000, × 200% for its priority (price version 3.1)". */
function priceWords({ version, parts, ...formula }: PayFormula): string {
  const [promptMicro, completionMicro] = [BigInt(formula.promptMicro), BigInt(formula.completionMicro)];
  const words = formulaWords({ ...formula, promptMicro, completionMicro, parts: parts ?? null });
  return version === undefined ? words : `${words} (price version ${version})`;
}

function withCheck(words: string, check: PayCheck | undefined): string {
  switch (check?.kind) {
    case "held":
      return `${words}. It is held until checks have decided about this device’s answers`;
    case "refused":
      return `${words}. It is not paid: checks found an answer of this device, or its tokens, wrong`;
    case "taken":
      return `${words}. ${formatExactCredits(check.micro)} of it were taken back: checks found this answer, or its tokens, wrong`;
    case undefined:
      return words;
  }
}

function outrunWords({ slow, part }: Extract<PayReason, { kind: "outrun" }>): string {
  const end = slow ? "It took too long, and another device finished first" : "Another device finished first";
  if (part === undefined) return end;
  const { formula, limit } = part;
  if (formula === undefined)
    return `${end}. Paid for the part that it had written, at most half of the answer’s price`;
  const paid = `${end}. Paid for the part that it had written: ${priceWords(formula)}`;
  if (limit === "half") return `${paid}, limited to half of the answer’s price`;
  if (limit === "rest") return `${paid}, limited to what the highest price of the request left`;
  return paid;
}

const otherReasons: ReadonlyMap<string, string> = new Map([
  ["limits", "Its limits changed"],
  ["shutdown", "Gleaner ended"],
  ["goodbye", "Gleaner ended"],
  ["restarted", "Gleaner restarted"],
]);

/** The words for a donor's code, or the code of another version as it is. */
function releaseWords(reason: string, reader: Reader): string {
  const words = reasonWords(reason);
  const told = reader === "others" ? (words?.toOthers ?? words) : words;
  return told?.short ?? otherReasons.get(reason) ?? reason;
}
