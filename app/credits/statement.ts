import { type Cell, csvOf } from "../format/csv.ts";
import { decimalOf } from "./payout.ts";

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
    readonly kind: string;
    readonly micro: bigint;
    readonly at: number;
    readonly other: string | null;
    readonly note: string | null;
  }[];
  readonly closingMicro: bigint;
};

const date = (at: number): string => new Date(at).toISOString().slice(0, 10);
const credits = (micro: bigint): string => decimalOf(micro, 6);

/** The statement as CSV: the amounts of its lines add up to the last balance. */
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
      [last, "earned", name, null, jobs, credits(micro - bonusMicro), null],
      ...(bonusMicro === 0n ? [] : [[last, "bonus hours", name, null, null, credits(bonusMicro), null]]),
    ]),
    ...moves.map(({ at, kind, other, note, micro }) => [
      date(at),
      kind,
      other,
      note,
      null,
      credits(micro),
      null,
    ]),
    [last, "closing balance", null, null, null, null, credits(closingMicro)],
  ];
  return csvOf(["date", "line", "of", "note", "jobs", "credits", "balance"], rows);
}
