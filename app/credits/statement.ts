import { type Cell, csvOf } from "../format/csv.ts";
import { allowanceName, type PaidPeriod } from "./key-moves.ts";
import { decimalOf } from "./payout.ts";

/** A change of a member's or a team's credits that is no pay. */
type MoveKind =
  | "to-key"
  | "given"
  | "received"
  | "payout-asked"
  | "payout-returned"
  | "expired"
  | "granted"
  | "taken-back"
  | "allowance";

const moveWords: Readonly<Record<MoveKind, string>> = {
  "to-key": "budget of a key",
  given: /* @wc-include */ "given",
  received: /* @wc-include */ "received",
  "payout-asked": "payout asked for",
  "payout-returned": "payout not made",
  expired: /* @wc-include */ "expired",
  granted: "given by an administrator",
  "taken-back": "taken back by an administrator",
  allowance: /* @wc-include */ "allowance",
};

/** A member's statement of one month (UTC). Times are in ms since the epoch. */
export type Statement = {
  readonly from: number;
  readonly to: number;
  readonly openingMicro: bigint;
  readonly devices: readonly {
    readonly name: string | null;
    readonly jobs: number;
    /** With the bonus. */
    readonly micro: bigint;
    readonly bonusMicro: bigint;
  }[];
  readonly moves: readonly {
    readonly kind: MoveKind;
    readonly micro: bigint;
    readonly at: number;
    readonly other: string | null;
    /** Of an allowance. */
    readonly period?: PaidPeriod | undefined;
    readonly note: string | null;
  }[];
  readonly closingMicro: bigint;
};

const date = (at: number): string => new Date(at).toISOString().slice(0, 10);
const credits = (micro: bigint): string => decimalOf(micro, 6);

/** The statement as CSV, in the language of this page. The amounts of its lines add up to the last balance. */
export function creditStatementCsv({
  from,
  to,
  openingMicro,
  devices,
  moves,
  closingMicro,
}: Statement): string {
  const last = date(to - 1);
  const rows: (readonly Cell[])[] = [
    [date(from), "opening balance", null, null, null, null, credits(openingMicro)],
    ...devices.flatMap(({ name, jobs, micro, bonusMicro }): (readonly Cell[])[] => [
      [last, /* @wc-include */ "earned", name, null, jobs, credits(micro - bonusMicro), null],
      ...(bonusMicro === 0n ? [] : [[last, "bonus hours", name, null, null, credits(bonusMicro), null]]),
    ]),
    ...moves.map(({ at, kind, other, period, note, micro }) => [
      date(at),
      period === undefined ? moveWords[kind] : allowanceName(period),
      other,
      note,
      null,
      credits(micro),
      null,
    ]),
    [last, "closing balance", null, null, null, null, credits(closingMicro)],
  ];
  const head = [
    /* @wc-include */ "date",
    /* @wc-include */ "line",
    /* @wc-include */ "name",
    /* @wc-include */ "note",
    /* @wc-include */ "jobs",
    /* @wc-include */ "credits",
    /* @wc-include */ "balance",
  ];
  return csvOf(head, rows);
}
