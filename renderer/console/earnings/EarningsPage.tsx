import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { bucketOf, spans } from "../../../app/statistics/spans.ts";
import { usageDays } from "../../../app/usage/usage-table.ts";
import { api } from "../../../convex/_generated/api.js";
import { useNow } from "../../ui/clock.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { useFilter } from "../shell/route.ts";
import { EarningsView } from "./EarningsView.tsx";
import { HouseRulesCard } from "./HouseRulesCard.tsx";
import { Payouts } from "./PayoutsCard.tsx";

const groupings = ["day", "device", "group"] as const;

/** The earnings of the organization's devices, or of one's own. The choice is in the address. */
export function EarningsPage(): ReactNode {
  const session = useSession();
  const own = useScope("earnings.read") !== "all";
  const [chosenBy, setBy] = useFilter("by");
  const [chosenDays, setDays] = useFilter("days");
  const by = groupings.find((each) => each === chosenBy) ?? "day";
  const days = usageDays.find((each) => String(each) === chosenDays) ?? 30;
  // Only each five minutes another one, so that the query stays the same.
  const until = bucketOf(useNow(), spans.short) + spans.short;
  const report = useQuery(api.console.usage.earnings, { session, by, days, until });
  const seesPayouts = useScope("payouts.read") !== null;
  const mayChange = useScope("money.change") !== null;
  const rules = useQuery(api.console.money.houseRules.get, seesPayouts ? { session } : "skip");
  const setRules = useAct(api.console.money.houseRules.set);
  return (
    <EarningsView own={own} by={by} days={days} until={until} report={report} onBy={setBy} onDays={setDays}>
      {seesPayouts ? (
        <>
          <Payouts />
          <HouseRulesCard
            rules={rules}
            onSave={mayChange ? async (wanted) => await setRules(wanted, "The rules are saved.") : null}
          />
        </>
      ) : null}
    </EarningsView>
  );
}
