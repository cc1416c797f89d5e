import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { bucketOf, spans } from "../../../app/statistics/spans.ts";
import { usageDays } from "../../../app/usage/usage-table.ts";
import { api } from "../../../convex/_generated/api.js";
import { useNow } from "../../ui/clock.ts";
import { useAct, useMe, useScope, useSession } from "../data/session-context.ts";
import { useFilter } from "../shell/route.ts";
import { BudgetDialog } from "./BudgetDialog.tsx";
import { UsageView } from "./UsageView.tsx";

const all = ["day", "model", "key", "team", "member"] as const;
const own = ["day", "model", "key"] as const;

/** The usage of the organization, or of one's own keys or those of a team. The choice is in the address. */
export function UsagePage({ apiBase }: { readonly apiBase: string }): ReactNode {
  const session = useSession();
  const me = useMe();
  const scope = useScope("usage.read") ?? "own";
  const mayChange = useScope("money.change") !== null;
  const [chosenBy, setBy] = useFilter("by");
  const [chosenDays, setDays] = useFilter("days");
  const [chosenOwner, setOwner] = useFilter("of");
  const groupings = scope === "all" ? all : own;
  const by = groupings.find((each) => each === chosenBy) ?? "day";
  const days = usageDays.find((each) => String(each) === chosenDays) ?? 30;
  const now = bucketOf(useNow(), spans.short);
  // Only each five minutes another one, so that the query stays the same.
  const until = now + spans.short;
  const ofTeams = scope === "own" && me.teamIds.length > 0;
  const owners = useQuery(api.console.account.owners, ofTeams ? { session } : "skip");
  const teams = (owners?.teams ?? []).filter(({ id }) => me.teamIds.includes(id));
  const team = me.teamIds.find((id) => ofTeams && id === chosenOwner);
  const owner = team === undefined ? {} : { owner: team };
  const report = useQuery(api.console.usage.report, { session, by, days, until, ...owner });
  const models = useQuery(api.console.usage.report, { session, by: "model", days, until, ...owner });
  const month = useQuery(api.console.usage.month, { session, now, ...owner });
  const facts = useQuery(api.console.usage.facts, { session });
  const budgets = useQuery(api.console.budgets.list, { session, now });
  const setFacts = useAct(api.console.usage.setFacts);
  const setBudget = useAct(api.console.budgets.set);
  return (
    <UsageView
      scope={scope}
      teams={teams}
      team={team ?? ""}
      by={by}
      groupings={groupings}
      days={days}
      until={until}
      report={report}
      models={models?.rows}
      month={month}
      facts={facts}
      budgets={budgets}
      apiBase={apiBase}
      onBy={setBy}
      onDays={setDays}
      onTeam={setOwner}
      changes={
        mayChange
          ? {
              facts: async (values) => await setFacts(values, "The numbers are saved."),
              removeBudget: ({ subject }) =>
                void setBudget({ subject, monthlyMicro: null }, "The budget was removed."),
              budgetDialog: (close, budget) => (
                <BudgetDialog
                  budget={budget}
                  onSave={async (subject, terms) =>
                    await setBudget({ subject, ...terms }, "The budget is set.")
                  }
                  onClose={close}
                />
              ),
            }
          : null
      }
    />
  );
}
