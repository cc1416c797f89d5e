import type { ReactNode } from "react";
import { columnCredits, formatExactCredits } from "../../../app/money/credits.ts";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import type { Column } from "../../ui/Table.tsx";
import type { GrantRow } from "../data/rows.ts";
import { allowanceWords } from "./allowance-words.ts";

/** What a row's member or team was given; undefined while it loads, and for those who do not see it. */
export type GrantOf<Row> = (row: Row) => GrantRow | undefined;

/** The column of the credits that each member or team was given and has not used. */
export function grantColumn<Row>(rows: readonly Row[], grantOf: GrantOf<Row>): Column<Row> {
  const credits = columnCredits(rows.map((row) => grantOf(row)?.grantedMicro ?? 0n));
  return {
    key: "granted",
    title: "Given credits",
    align: "right",
    width: "w-24",
    cell: (row) => {
      const grant = grantOf(row);
      if (grant === undefined) return null;
      const { grantedMicro: micro } = grant;
      return <span title={`${formatExactCredits(micro)} credits`}>{credits(micro)}</span>;
    },
  };
}

/** The allowance below a row. Null without one. */
export function allowanceNote(grant: Pick<GrantRow, "allowance"> | undefined, now: number): ReactNode {
  const words = allowanceWords(grant?.allowance ?? null, now);
  return words === null ? null : <p className="text-xs text-muted">{words}</p>;
}

/** The column of those who see the statement of each member or team and change nothing. */
export function statementColumn<Row>(
  nameOf: (row: Row) => string,
  onStatement: (row: Row) => void,
): Column<Row> {
  return actionColumn("w-max", (row) => (
    <RowAction verb="Statement" object={`of ${nameOf(row)}`} onClick={() => onStatement(row)} />
  ));
}
