import type { ReactNode } from "react";
import { formatMonth } from "../../../app/format/time.ts";
import { exactColumn } from "../../../app/money/credits.ts";
import { monthOf } from "../../../app/usage/months.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { MonthBox } from "../../ui/controls/MonthBox.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { DownloadCsv } from "../usage/DownloadCsv.tsx";

/** A month, and how to choose another one. */
export type StatementMonth = {
  /** ms epoch. */
  readonly now: number;
  /** A moment in its month. */
  readonly month: number;
  readonly onMonth: (month: number) => void;
};

type CardProps = StatementMonth & {
  /** The file of its CSV begins with it. */
  readonly file: string;
  /** Undefined while the statement loads. */
  readonly csv: (() => string) | undefined;
  /** Chooses whose statement it is. */
  readonly whose?: ReactNode;
  readonly children: ReactNode;
};

/** A statement of a month as a table, as CSV, and on paper: a browser prints it or saves it as PDF, without the rest of the page. */
export function MonthStatement(props: CardProps): ReactNode {
  const { now, month, onMonth, file, csv, whose = null, children } = props;
  const from = monthOf(month);
  return (
    <section data-printed>
      <Card
        flush
        title={`Statement of ${formatMonth(from)}`}
        aside={
          <span className="flex flex-wrap items-center gap-2 print:hidden">
            {whose}
            <MonthBox now={now} month={from} onMonth={onMonth} />
            <DownloadCsv name={`${file}-${new Date(from).toISOString().slice(0, 7)}.csv`} csv={csv} />
            <Button size="sm" disabled={csv === undefined} onClick={() => window.print()}>
              Print or save as PDF
            </Button>
          </span>
        }
      >
        {csv === undefined ? <SkeletonRows /> : children}
      </Card>
    </section>
  );
}

/** `day`: empty for a sum of the month. */
export type StatementLine = {
  readonly key: string;
  readonly day: string;
  readonly words: string;
  readonly note: string | null;
  /** What it adds to the balance, in micro-credits. */
  readonly micro: bigint;
};

/** A bold line with a balance. */
export type StatementTotal = Omit<StatementLine, "key" | "note">;

type TableProps = {
  /** Shown on paper only: there the page does not say it. */
  readonly owner: string;
  readonly before: StatementTotal;
  readonly lines: readonly StatementLine[];
  readonly after: StatementTotal;
  readonly children: ReactNode;
};

/** The lines of a statement with their amounts, and what to know about them. */
export function StatementTable({ owner, before, lines, after, children }: TableProps): ReactNode {
  // On paper nobody can look at a tooltip, and the lines must add up.
  const credits = exactColumn([before, after, ...lines].map(({ micro }) => micro));
  const amount = (micro: bigint, isChange: boolean): ReactNode => (
    <td className="px-4 py-1.5 text-right whitespace-nowrap">
      {isChange && micro > 0n ? "+" : ""}
      {credits(micro)}
    </td>
  );
  const total = ({ day, words, micro }: StatementTotal): ReactNode => (
    <tr className="font-semibold">
      <td className="px-4 py-1.5 whitespace-nowrap">{day}</td>
      <td className="px-4 py-1.5">{words}</td>
      {amount(micro, false)}
    </tr>
  );
  return (
    <>
      <p className="hidden px-4 pb-2 text-sm print:block">{owner}</p>
      <table className="w-full text-sm" aria-label="Statement">
        <thead className="sr-only">
          <tr>
            <th>Day</th>
            <th>Line</th>
            <th>Credits</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {total(before)}
          {lines.map(({ key, day, words, note, micro }) => (
            <tr key={key}>
              <td className="px-4 py-1.5 align-top whitespace-nowrap text-muted">{day}</td>
              <td className="px-4 py-1.5 wrap-anywhere">
                {words}
                {note === null ? null : <span className="block text-xs text-muted">{note}</span>}
              </td>
              {amount(micro, true)}
            </tr>
          ))}
          {total(after)}
        </tbody>
      </table>
      <p className="border-t border-line px-4 py-2 text-xs text-muted">{children}</p>
    </>
  );
}
