import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { keyMoveWords } from "../../../app/credits/key-moves.ts";
import { keyStatementCsv, otherPrices } from "../../../app/credits/key-statement.ts";
import { formatPercent, plural } from "../../../app/format/quantity.ts";
import { formatDay } from "../../../app/format/time.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { sumWords } from "../../../app/money/formula-words.ts";
import { monthOf } from "../../../app/usage/months.ts";
import { api } from "../../../convex/_generated/api.js";
import { useFromNow } from "../../ui/clock.ts";
import {
  MonthStatement,
  type StatementLine,
  type StatementMonth,
  StatementTable,
} from "../credits/Statement.tsx";
import type { KeyRow, KeyStatementRow } from "../data/rows.ts";
import { useSession } from "../data/session-context.ts";
import { useFilter } from "../shell/route.ts";

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

type Props = StatementMonth & {
  /** Undefined while it loads. */
  readonly statement: KeyStatementRow | undefined;
};

export function KeyStatementCard({ statement, ...month }: Props): ReactNode {
  const csv = statement === undefined ? undefined : () => keyStatementCsv(statement);
  return (
    <MonthStatement {...month} file="key" csv={csv}>
      {statement === undefined ? null : <Lines statement={statement} />}
    </MonthStatement>
  );
}

function Lines({ statement }: { readonly statement: KeyStatementRow }): ReactNode {
  const { from, to, name, charges, free, moves, openingMicro, closingMicro } = statement;
  const lines: readonly StatementLine[] = [
    ...moves.map((move) => ({
      key: `${String(move.at)} ${String(move.micro)}`,
      day: formatDay(move.at),
      words: keyMoveWords(move),
      note: move.note,
      micro: move.micro,
    })),
    ...charges.map((charge) => ({
      key: JSON.stringify([charge.modelId, charge.priceVersion, charge.percent, String(charge.promptMicro)]),
      day: "",
      words: `${plural(charge.jobs, ["# job", "# jobs"])} of ${charge.modelId === otherPrices ? /* @wc-include */ "other prices" : charge.modelId}`,
      note: formulaOf(charge),
      micro: charge.coveredMicro - charge.micro,
    })),
    ...freeWords(free).map((words) => ({ key: words, day: "", words, note: null, micro: 0n })),
  ];
  return (
    <StatementTable
      owner={name}
      before={{ day: formatDay(from), words: /* @wc-include */ "Balance before", micro: openingMicro }}
      lines={lines}
      after={{ day: formatDay(to - 1), words: /* @wc-include */ "Balance after", micro: closingMicro }}
    >
      Days and months are those of UTC. A job counts in the month in which it ended, some two minutes later.
      What open jobs hold is still in the balances. Jobs that ended before Gleaner kept statements are not
      listed.
    </StatementTable>
  );
}

/** The formula of a charge, and the amount that the key did not pay. */
function formulaOf(charge: KeyStatementRow["charges"][number]): string | null {
  const { modelId, priceVersion, percent, coveredMicro } = charge;
  const covered =
    coveredMicro === 0n ? [] : [`${formatCredits(coveredMicro)} more were paid by the organization`];
  if (modelId === otherPrices) return covered[0] ?? null;
  const sum = sumWords(charge);
  const priced = percent === 100 ? sum : `${sum}, × ${formatPercent(percent)}`;
  return [priced, `price version ${priceVersion}`, ...covered].join("; ");
}

function freeWords({ own, failed, canceled, expired }: KeyStatementRow["free"]): readonly string[] {
  return [
    ...(own === 0 ? [] : [plural(own, ["# job by an own device", "# jobs by own devices"])]),
    ...(failed === 0 ? [] : [plural(failed, ["# failed job", "# failed jobs"])]),
    ...(canceled === 0 ? [] : [plural(canceled, ["# canceled job", "# canceled jobs"])]),
    ...(expired === 0 ? [] : [plural(expired, ["# expired job", "# expired jobs"])]),
  ];
}
