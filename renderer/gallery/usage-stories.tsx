import { noFacts } from "../../app/usage/comparison.ts";
import { EarningsView } from "../console/earnings/EarningsView.tsx";
import { BudgetWarnings } from "../console/overview/BudgetWarnings.tsx";
import { DepthView } from "../console/queue/DepthChart.tsx";
import { FactsDialog } from "../console/usage/FactsDialog.tsx";
import { UsageView } from "../console/usage/UsageView.tsx";
import * as rows from "./fixtures/usage-rows.ts";
import { inShell } from "./in-shell.tsx";
import type { Story } from "./story.ts";

const nothing = (): void => undefined;
const refused = (): Promise<boolean> => Promise.resolve(false);

/** The pages about usage and earnings. */
export function usageStories(now: number): readonly Story[] {
  const view = {
    scope: "all",
    teams: [],
    team: "",
    by: "day",
    groupings: ["day", "model", "key", "team", "member"],
    days: 30,
    until: now,
    report: rows.usageReport(now, "day"),
    models: rows.models,
    month: { spentMicro: 148_000_000n, forecastMicro: 187_000_000n, days: 28 },
    facts: rows.facts,
    budgets: rows.budgets,
    apiBase: "https://gleaner.example.org",
    onBy: nothing,
    onDays: nothing,
    onTeam: nothing,
    changes: { facts: refused, removeBudget: nothing, budgetDialog: () => null },
  } satisfies Parameters<typeof UsageView>[0];
  const loading = { report: undefined, models: undefined, month: undefined } as const;
  const none = { days: [], rows: [], since: null };
  const earnings = {
    own: false,
    by: "day",
    days: 30,
    until: now,
    report: rows.earningsReport(now, "day"),
    onBy: nothing,
    onDays: nothing,
  } satisfies Parameters<typeof EarningsView>[0];
  return [
    inShell("console-usage", "usage", <UsageView {...view} />),
    inShell(
      "console-usage-models",
      "usage",
      <UsageView {...view} by="model" report={rows.usageReport(now, "model")} />,
    ),
    inShell(
      "console-usage-members",
      "usage",
      <UsageView {...view} by="member" report={rows.usageReport(now, "member")} changes={null} />,
    ),
    inShell(
      "console-usage-own",
      "usage",
      <UsageView
        {...view}
        scope="own"
        groupings={["day", "model", "key"]}
        teams={[{ id: "t1", name: "Search team" }]}
        budgets={rows.budgets.slice(1)}
        changes={null}
      />,
    ),
    inShell(
      "console-usage-empty",
      "usage",
      <UsageView
        {...view}
        report={none}
        models={[]}
        month={{ spentMicro: 0n, forecastMicro: 0n, days: 0 }}
        facts={noFacts}
        budgets={[]}
      />,
    ),
    inShell(
      "console-usage-loading",
      "usage",
      <UsageView {...view} {...loading} facts={undefined} budgets={undefined} />,
    ),
    inShell(
      "console-usage-numbers",
      "usage",
      <FactsDialog
        facts={rows.facts}
        models={["qwen3-4b-instruct-q4", "gleaner-demo"]}
        onSave={refused}
        onClose={nothing}
      />,
    ),
    inShell("console-earnings", "earnings", <EarningsView {...earnings} />),
    inShell(
      "console-earnings-devices",
      "earnings",
      <EarningsView {...earnings} by="device" own report={rows.earningsReport(now, "device")} />,
    ),
    inShell(
      "console-earnings-empty",
      "earnings",
      <EarningsView {...earnings} own report={{ ...none, models: [], facts: noFacts }} />,
    ),
    inShell("console-queue-depth", "queue", <DepthView title="Queue depth" samples={rows.depths(now)} />),
    inShell("console-budget-warnings", "overview", <BudgetWarnings budgets={rows.budgets} link />),
  ];
}
