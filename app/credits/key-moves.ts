import { formatMonth } from "../format/time.ts";
import type { AllowancePeriod } from "../money/allowance.ts";

/** The period for which an allowance gave credits. `start`: ms epoch. */
export type PaidPeriod = { readonly every: AllowancePeriod; readonly start: number };

/** The source of the credits of a key's move. An administrator's move has none. */
export type KeyMoveSource =
  | { readonly kind: "earned" | "given" | "given-and-earned" | "canaries" | "given-back" | "refund" }
  | ({ readonly kind: "allowance" } & PaidPeriod);

export type KeyMove = {
  readonly at: number;
  /** Negative if the key has less afterward. */
  readonly micro: bigint;
  readonly source?: KeyMoveSource | undefined;
  /** The words of the person who caused it. */
  readonly note: string | null;
};

/** A move of a key's credits in words. */
export function keyMoveWords({ micro, source }: Pick<KeyMove, "micro" | "source">): string {
  switch (source?.kind) {
    case "earned":
      return "Earned credits";
    case "given":
      return "Given credits";
    case "given-and-earned":
      return "Given and earned credits";
    case "canaries":
      return "Credits for canaries";
    case "given-back":
      return "Price of an answer of which checks found the text or the tokens wrong";
    case "refund":
      return "Refund of a disputed answer";
    case "allowance":
      return allowanceName(source);
    case undefined:
      return micro < 0n ? "Credits taken back" : "Credits given";
  }
}

/** The name of a period's allowance, for statements and the audit trail: "Allowance for November 2026". */
export function allowanceName({ every, start }: PaidPeriod): string {
  const date = new Date(start).toISOString().slice(0, 10);
  switch (every) {
    case "day":
      return `Allowance for ${date}`;
    case "week":
      return `Allowance for the week from ${date}`;
    case "month":
      return `Allowance for ${formatMonth(start)}`;
  }
}
