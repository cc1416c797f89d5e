import type { ReactNode } from "react";
import { creditStatementCsv } from "../../../app/credits/statement.ts";
import { plural } from "../../../app/format/quantity.ts";
import { formatDay, formatMonth } from "../../../app/format/time.ts";
import { columnCredits, formatExactCredits } from "../../../app/money/credits.ts";
import { monthOf } from "../../../app/usage/months.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { MonthBox } from "../../ui/controls/MonthBox.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import type { StatementRow } from "../data/rows.ts";
import { DownloadCsv } from "../usage/DownloadCsv.tsx";
import { moveWords } from "./move-words.ts";

type Props = {
  readonly member: string;
  /** ms epoch. */
  readonly now: number;
  /** A moment in its month. */
  readonly month: number;
  /** Undefined while it loads. */
  readonly statement: StatementRow | undefined;
  readonly onMonth: (month: number) => void;
  /** Chooses whose statement it is. */
  readonly whose?: ReactNode;
};

/** The statement of a month as a table, as CSV, and on paper: a browser prints it or saves it as PDF, without the rest of the page. */
export function StatementCard({ member, now, month, statement, onMonth, whose = null }: Props): ReactNode {
  const from = monthOf(month);
  return (
    <section data-printed>
      <Card
        flush
        title={`Statement of ${formatMonth(from)}`}
        aside={
          <span className="flex flex-wrap gap-2 print:hidden">
            {whose}
            <MonthBox now={now} month={from} onMonth={onMonth} />
            <DownloadCsv
              name={`credits-${new Date(from).toISOString().slice(0, 7)}.csv`}
              csv={statement === undefined ? undefined : () => creditStatementCsv(statement)}
            />
            <Button size="sm" disabled={statement === undefined} onClick={() => window.print()}>
              Print or save as PDF
            </Button>
          </span>
        }
      >
        {statement === undefined ? <SkeletonRows /> : <Lines member={member} statement={statement} />}
      </Card>
    </section>
  );
}

type Line = {
  readonly key: string;
  readonly day: string;
  readonly words: string;
  readonly note: string | null;
};

function Lines({
  member,
  statement,
}: {
  readonly member: string;
  readonly statement: StatementRow;
}): ReactNode {
  const { from, to, openingMicro, closingMicro, devices, moves } = statement;
  const lines: readonly (Line & { readonly micro: bigint })[] = [
    ...devices.flatMap(({ deviceId = "others", name, jobs, micro, bonusMicro }) => [
      {
        key: deviceId,
        day: "",
        words: `Earned by ${name ?? /* @wc-include */ "other devices"}`,
        note: plural(jobs, ["# job", "# jobs"]),
        micro: micro - bonusMicro,
      },
      ...(bonusMicro === 0n
        ? []
        : [
            {
              key: `${deviceId}-bonus`,
              day: "",
              words: `Bonus hours of ${name ?? /* @wc-include */ "other devices"}`,
              note: null,
              micro: bonusMicro,
            },
          ]),
    ]),
    ...moves.map((move) => ({
      key: move.moveId,
      day: formatDay(move.at),
      words: moveWords(move),
      note: move.note,
      micro: move.micro,
    })),
  ];
  const credits = columnCredits([openingMicro, closingMicro, ...lines.map(({ micro }) => micro)]);
  const amount = (micro: bigint, sign = false): ReactNode => (
    <td className="px-4 py-1.5 text-right whitespace-nowrap" title={`${formatExactCredits(micro)} credits`}>
      {sign && micro > 0n ? "+" : ""}
      {credits(micro)}
    </td>
  );
  return (
    <>
      <p className="hidden px-4 pb-2 text-sm print:block">{member}</p>
      <table className="w-full text-sm" aria-label="Statement">
        <thead className="sr-only">
          <tr>
            <th>Day</th>
            <th>Line</th>
            <th>Credits</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          <tr className="font-semibold">
            <td className="px-4 py-1.5 whitespace-nowrap">{formatDay(from)}</td>
            <td className="px-4 py-1.5">Balance before</td>
            {amount(openingMicro)}
          </tr>
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
          <tr className="font-semibold">
            <td className="px-4 py-1.5 whitespace-nowrap">{formatDay(to - 1)}</td>
            <td className="px-4 py-1.5">Balance after</td>
            {amount(closingMicro)}
          </tr>
        </tbody>
      </table>
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        Days and months are those of UTC. The lines add up to the balance, and both are from the ledger. Pay
        is the sum of jobs; the calculation of each is in the panel’s history.
      </p>
    </>
  );
}
