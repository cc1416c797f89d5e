import type { ReactNode } from "react";
import { creditStatementCsv } from "../../../app/credits/statement.ts";
import { plural } from "../../../app/format/quantity.ts";
import { formatDay } from "../../../app/format/time.ts";
import type { StatementRow } from "../data/rows.ts";
import { moveWords } from "./move-words.ts";
import { MonthStatement, type StatementLine, type StatementMonth, StatementTable } from "./Statement.tsx";

type Props = StatementMonth & {
  /** Undefined while it loads. */
  readonly statement: StatementRow | undefined;
  /** Chooses whose statement it is. */
  readonly whose?: ReactNode;
};

/** The statement of a member's or a team's credits. */
export function StatementCard({ statement, whose = null, ...month }: Props): ReactNode {
  const csv = statement === undefined ? undefined : () => creditStatementCsv(statement);
  return (
    <MonthStatement {...month} file="credits" csv={csv} whose={whose}>
      {statement === undefined ? null : <Lines statement={statement} />}
    </MonthStatement>
  );
}

function Lines({ statement }: { readonly statement: StatementRow }): ReactNode {
  const { name, from, to, openingMicro, closingMicro, devices, moves } = statement;
  const lines: readonly StatementLine[] = [
    ...devices.flatMap(({ deviceId = "others", name: device, jobs, micro, bonusMicro }) => [
      {
        key: deviceId,
        day: "",
        words: `Earned by ${device ?? /* @wc-include */ "other devices"}`,
        note: plural(jobs, ["# job", "# jobs"]),
        micro: micro - bonusMicro,
      },
      ...(bonusMicro === 0n
        ? []
        : [
            {
              key: `${deviceId}-bonus`,
              day: "",
              words: `Bonus hours of ${device ?? /* @wc-include */ "other devices"}`,
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
      owner={name}
      before={{ day: formatDay(from), words: /* @wc-include */ "Balance before", micro: openingMicro }}
      lines={lines}
      after={{ day: formatDay(to - 1), words: /* @wc-include */ "Balance after", micro: closingMicro }}
    >
      Days and months are those of UTC. The lines add up to the balance, and both are from the ledger. Pay is
      the sum of jobs; the calculation of each is in the panel’s history.
    </StatementTable>
  );
}
