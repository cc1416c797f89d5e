import type { ReactNode } from "react";
import { formatShare } from "../../../app/format/quantity.ts";
import { shareOfBudget } from "../../../app/usage/budget.ts";
import { Banner } from "../../ui/Banner.tsx";
import type { BudgetRow } from "../data/rows.ts";
import { hrefOf } from "../shell/route.ts";

type Props = { readonly budgets: readonly BudgetRow[] | undefined; readonly link?: boolean };

/** Warns of budgets of which 80 % or more are spent this month. */
export function BudgetWarnings({ budgets = [], link = false }: Props): ReactNode {
  const over = budgets.filter(({ state }) => state === "over");
  const near = budgets.filter(({ state }) => state === "near");
  if (over.length + near.length === 0) return null;
  return (
    <div className="overflow-hidden rounded-lg">
      <Banner tone={over.length > 0 ? "bad" : "hold"}>
        {over.length === 0 ? null : `Budgets used up this month: ${namesOf(over)}.`}{" "}
        {near.length === 0 ? null : `Budgets nearly used up: ${namesOf(near)}.`}{" "}
        {link ? (
          <a href={hrefOf("usage")} className="font-medium underline underline-offset-2">
            Show usage
          </a>
        ) : null}
      </Banner>
    </div>
  );
}

const mostNames = 3;

function namesOf(budgets: readonly BudgetRow[]): string {
  const names = budgets
    .slice(0, mostNames)
    .map(
      ({ name, spentMicro, monthlyMicro }) =>
        `${name ?? /* @wc-include */ "deleted"} (${formatShare(shareOfBudget(spentMicro, monthlyMicro))})`,
    );
  return [...names, ...(budgets.length > mostNames ? ["and more"] : [])].join(", ");
}
