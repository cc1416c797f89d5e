import type { ReactNode } from "react";
import { creditStatementCsv } from "../../../app/credits/statement.ts";
import { plural } from "../../../app/format/quantity.ts";
import { formatDay } from "../../../app/format/time.ts";
import type { StatementRow } from "../data/rows.ts";
import { moveWords } from "./move-words.ts";
import { MonthStatement, type StatementLine, type StatementMonth, StatementTable } from "./Statement.tsx";

type Props = StatementMonth & {
  readonly member: string;
  /** Undefined while it loads. */
  readonly statement: StatementRow | undefined;
  /** Chooses whose statement it is. */
  readonly whose?: ReactNode;
};

/** The statement of a member's or a team's credits. */
export function StatementCard({ member, statement, whose = null, ...month }: Props): ReactNode {
  const csv = statement === undefined ? undefined : () => creditStatementCsv(statement);
  return (
    <MonthStatement {...month} file="credits" csv={csv} whose={whose}>
      {statement === undefined ? null : <Lines member={member} statement={statement} />}
    </MonthStatement>
  );
}

function Lines({
  member,
  statement,
}: {
  readonly member: string;
  readonly statement: StatementRow;
}): ReactNode {
  const { from, to, openingMicro, closingMicro, devices, moves } = statement;
  const lines: readonly StatementLine[] = [
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
  return (
    <StatementTable
      owner={member}
      before={{ day: formatDay(from), words: /* @wc-include */ "Balance before", micro: openingMicro }}
      lines={lines}
      after={{ day: formatDay(to - 1), words: /* @wc-include */ "Balance after", micro: closingMicro }}
    >
      Days and months are those of UTC. The lines add up to the balance, and both are from the ledger. Pay is
      the sum of jobs; the calculation of each is in the panel’s history.
    </StatementTable>
  );
}
