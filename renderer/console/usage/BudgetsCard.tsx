import { type ReactNode, useState } from "react";
import { formatShare } from "../../../app/format/quantity.ts";
import { columnCredits, formatCredits } from "../../../app/money/credits.ts";
import { shareOfBudget, warnAt } from "../../../app/usage/budget.ts";
import { budgetCsv } from "../../../app/usage/budget-table.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { ProgressBar } from "../../ui/ProgressBar.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import type { StatusWords } from "../../ui/status-words.ts";
import { type Column, Table } from "../../ui/Table.tsx";
import type { BudgetRow } from "../data/rows.ts";
import { DownloadCsv } from "./DownloadCsv.tsx";

export type BudgetChanges = {
  readonly removeBudget: (budget: BudgetRow) => void;
  /** The dialog that sets a budget. Null: a new one. */
  readonly budgetDialog: (close: () => void, budget: BudgetRow | null) => ReactNode;
};

type Props = {
  readonly budgets: readonly BudgetRow[] | undefined;
  readonly own: boolean;
  readonly changes: BudgetChanges | null;
};

/** Budgets of this month. They warn, and some refuse new requests once they are used up. */
export function BudgetsCard({ budgets, own, changes }: Props): ReactNode {
  const [edited, setEdited] = useState<BudgetRow | "new" | null>(null);
  const [removed, setRemoved] = useState<BudgetRow | null>(null);
  return (
    <Card
      flush
      title="Budgets of this month"
      aside={
        <span className="flex flex-wrap gap-2">
          <DownloadCsv
            name="budgets.csv"
            csv={budgets === undefined ? undefined : () => budgetCsv(budgets)}
          />
          {changes === null ? null : (
            <Button size="sm" onClick={() => setEdited("new")}>
              Set a budget
            </Button>
          )}
        </span>
      }
    >
      <Table
        label="Budgets"
        columns={columnsOf(budgets ?? [], changes === null ? null : { edit: setEdited, remove: setRemoved })}
        rows={budgets}
        keyOf={({ subject }) => subject}
        empty={
          <Empty title={own ? "You have no budget" : "No budgets yet"}>
            A budget warns at {formatShare(warnAt)} and at {formatShare(1)} of a month, here and by alerts. It
            can also refuse new requests.
          </Empty>
        }
      />
      {budgets === undefined || budgets.length === 0 ? null : (
        <p className="border-t border-line px-4 py-2 text-xs text-muted">
          Budgets warn at {formatShare(warnAt)} and at {formatShare(1)}, here and by alerts. A month is
          expected to cost what is spent, and for each day left the mean of that weekday in the last four
          weeks.
        </p>
      )}
      {edited === null || changes === null
        ? null
        : changes.budgetDialog(() => setEdited(null), edited === "new" ? null : edited)}
      {removed === null || changes === null ? null : (
        <Confirm
          title={`Remove the budget of ${removed.name ?? "this subject"}?`}
          action="Remove"
          danger
          onConfirm={() => changes.removeBudget(removed)}
          onClose={() => setRemoved(null)}
        >
          Nobody is warned any more when its month becomes expensive, and no request is refused for it.
        </Confirm>
      )}
    </Card>
  );
}

const states: Readonly<Record<BudgetRow["state"], StatusWords>> = {
  ok: { tone: "good", words: "Within" },
  near: { tone: "hold", words: "Nearly used up" },
  over: { tone: "bad", words: "Used up" },
};
const kinds: Readonly<Record<BudgetRow["kind"], string>> = {
  key: "API key",
  member: "Member",
  team: "Team",
};

type Actions = {
  readonly edit: (budget: BudgetRow) => void;
  readonly remove: (budget: BudgetRow) => void;
};

function columnsOf(budgets: readonly BudgetRow[], actions: Actions | null): readonly Column<BudgetRow>[] {
  const expected = columnCredits(budgets.map(({ forecastMicro }) => forecastMicro));
  return [
    {
      key: "name",
      title: "Budget of",
      cell: ({ kind, name }) => (
        <span className="min-w-28">
          <span className="font-medium wrap-anywhere">{name ?? "Deleted"}</span>{" "}
          <span className="text-xs text-muted">{kinds[kind]}</span>
        </span>
      ),
    },
    {
      key: "spent",
      title: "Spent",
      width: "w-64",
      cell: ({ name, spentMicro, monthlyMicro }) => {
        const share = shareOfBudget(spentMicro, monthlyMicro);
        return (
          <div className="grid min-w-40 gap-1">
            <span className="text-xs whitespace-nowrap">
              {formatCredits(spentMicro)} of {formatCredits(monthlyMicro)} ({formatShare(share)})
            </span>
            <ProgressBar
              label={`Spent of the budget of ${name ?? /* @wc-include */ "deleted"}`}
              share={Math.min(1, share)}
            />
          </div>
        );
      },
    },
    {
      key: "forecast",
      title: "Expected",
      align: "right",
      cell: ({ forecastMicro }) => <span className="whitespace-nowrap">{expected(forecastMicro)}</span>,
    },
    {
      key: "state",
      title: "Status",
      width: "w-36",
      cell: ({ state, stops }) => (
        <span className="grid justify-items-start gap-1">
          <Badge tone={states[state].tone}>{states[state].words}</Badge>
          {stops ? (
            <span className="text-xs text-muted">
              {state === "over" ? "Refuses new requests" : "Stops at its end"}
            </span>
          ) : null}
        </span>
      ),
    },
    ...(actions === null
      ? []
      : [
          actionColumn<BudgetRow>("w-max", (budget) => {
            const name = budget.name ?? /* @wc-include */ "deleted";
            return (
              <>
                <RowAction
                  verb="Change"
                  object={`the budget of ${name}`}
                  onClick={() => actions.edit(budget)}
                />
                <RowAction
                  verb="Remove"
                  object={`the budget of ${name}`}
                  onClick={() => actions.remove(budget)}
                />
              </>
            );
          }),
        ]),
  ];
}
