import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { keyStatementCsv, otherPrices, paidByKey } from "../../../app/credits/key-statement.ts";
import { formatCount, formatPercent, plural } from "../../../app/format/quantity.ts";
import { formatDay, formatMonth } from "../../../app/format/time.ts";
import { columnCredits, formatCredits, formatExactCredits, formatPrice } from "../../../app/money/credits.ts";
import { monthOf } from "../../../app/usage/months.ts";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import { useFromNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { MonthBox } from "../../ui/controls/MonthBox.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import type { KeyRow, KeyStatementRow } from "../data/rows.ts";
import { useSession } from "../data/session-context.ts";
import { useFilter } from "../shell/route.ts";
import { DownloadCsv } from "../usage/DownloadCsv.tsx";

/** The statement of a key for a month, which is in the address. */
export function KeyStatement({ keyId }: Pick<KeyRow, "keyId">): ReactNode {
  const session = useSession();
  // Only each hour another one, so that the query stays the same.
  const now = useFromNow((at) => Math.ceil(at / 3_600_000) * 3_600_000);
  const [chosen, setMonth] = useFilter("month");
  const month = Number(chosen) > 0 ? Number(chosen) : monthOf(now);
  const statement = useQuery(api.console.money.keyStatements.get, { session, keyId, at: month, now });
  return (
    <KeyStatementCard
      now={now}
      month={month}
      statement={statement}
      onMonth={(start) => setMonth(String(start))}
    />
  );
}

type Props = {
  /** ms epoch. */
  readonly now: number;
  /** A moment in its month. */
  readonly month: number;
  /** Undefined while it loads. */
  readonly statement: KeyStatementRow | undefined;
  readonly onMonth: (month: number) => void;
};

/** The statement as a table, as CSV, and on paper. */
export function KeyStatementCard({ now, month, statement, onMonth }: Props): ReactNode {
  const from = monthOf(month);
  return (
    <section data-printed>
      <Card
        flush
        title={`Statement of ${formatMonth(from)}`}
        aside={
          <span className="flex flex-wrap gap-2 print:hidden">
            <MonthBox now={now} month={from} onMonth={onMonth} />
            <DownloadCsv
              name={`key-${new Date(from).toISOString().slice(0, 7)}.csv`}
              csv={statement === undefined ? undefined : () => keyStatementCsv(statement)}
            />
            <Button size="sm" disabled={statement === undefined} onClick={() => window.print()}>
              Print or save as PDF
            </Button>
          </span>
        }
      >
        {statement === undefined ? <SkeletonRows /> : <Lines statement={statement} />}
      </Card>
    </section>
  );
}

function Lines({ statement }: { readonly statement: KeyStatementRow }): ReactNode {
  const { to, name, charges, free, moves } = statement;
  const paid = paidByKey(statement);
  const given = moves.reduce((sum, { micro }) => sum + micro, 0n);
  const lines = [
    ...moves.map(({ at, micro, note }) => ({
      key: `${String(at)} ${String(micro)}`,
      day: formatDay(at),
      words: micro < 0n ? "Credits taken back" : "Credits given",
      note,
      micro,
    })),
    ...charges.map((charge) => ({
      key: JSON.stringify([charge.modelId, charge.priceVersion, charge.percent, String(charge.promptMicro)]),
      day: "",
      words: `${plural(charge.jobs, ["# job", "# jobs"])} of ${charge.modelId === otherPrices ? /* @wc-include */ "other prices" : charge.modelId}`,
      note: formulaOf(charge),
      micro: charge.coveredMicro - charge.micro,
    })),
  ];
  const credits = columnCredits([paid, given, ...lines.map(({ micro }) => micro)]);
  const amount = (micro: bigint): ReactNode => (
    <td
      className="px-4 py-1.5 text-right align-top whitespace-nowrap"
      title={`${formatExactCredits(micro)} credits`}
    >
      {micro > 0n ? "+" : ""}
      {credits(micro)}
    </td>
  );
  return (
    <>
      <p className="hidden px-4 pb-2 text-sm print:block">{name}</p>
      <table className="w-full text-sm" aria-label="Statement">
        <thead className="sr-only">
          <tr>
            <th>Day</th>
            <th>Line</th>
            <th>Credits</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {lines.map(({ key, day, words, note, micro }) => (
            <tr key={key}>
              <td className="px-4 py-1.5 align-top whitespace-nowrap text-muted">{day}</td>
              <td className="px-4 py-1.5 wrap-anywhere">
                {words}
                {note === null ? null : <span className="block text-xs text-muted">{note}</span>}
              </td>
              {amount(micro)}
            </tr>
          ))}
          {freeLines(free).map((words) => (
            <tr key={words}>
              <td />
              <td className="px-4 py-1.5">{words}</td>
              {amount(0n)}
            </tr>
          ))}
          <tr className="font-semibold">
            <td className="px-4 py-1.5 whitespace-nowrap">{formatDay(to - 1)}</td>
            <td className="px-4 py-1.5">Change in this month</td>
            {amount(given - paid)}
          </tr>
        </tbody>
      </table>
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        Days and months are those of UTC. A job counts in the month in which it ended, some two minutes later.
        What open jobs hold is not in it. Statements begin with the update to the first version that has them.
      </p>
    </>
  );
}

/** The formula of a charge, and the amount that the key did not pay. */
function formulaOf(charge: KeyStatementRow["charges"][number]): string | null {
  const { modelId, priceVersion, promptMicro, completionMicro, percent, coveredMicro } = charge;
  const covered =
    coveredMicro === 0n ? [] : [`${formatCredits(coveredMicro)} more were paid by the organization`];
  if (modelId === otherPrices) return covered[0] ?? null;
  const sum = `${formatCount(charge.promptTokens)} tokens in × ${formatPrice(promptMicro)} + ${formatCount(charge.completionTokens)} out × ${formatPrice(completionMicro)} credits per 1,000`;
  const priced = percent === 100 ? sum : `${sum}, × ${formatPercent(percent)}`;
  return [priced, `price version ${priceVersion}`, ...covered].join("; ");
}

function freeLines({ own, failed, canceled, expired }: KeyStatementRow["free"]): readonly string[] {
  return [
    ...(own === 0 ? [] : [plural(own, ["# job by an own device", "# jobs by own devices"])]),
    ...(failed === 0 ? [] : [plural(failed, ["# failed job", "# failed jobs"])]),
    ...(canceled === 0 ? [] : [plural(canceled, ["# canceled job", "# canceled jobs"])]),
    ...(expired === 0 ? [] : [plural(expired, ["# expired job", "# expired jobs"])]),
  ];
}
