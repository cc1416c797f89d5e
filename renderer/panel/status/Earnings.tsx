import type { ReactNode } from "react";
import type { EarningsView } from "../../../app/contract/snapshot.ts";
import { formatCount } from "../../../app/format/quantity.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { Card } from "../../ui/Card.tsx";
import { Stat } from "../../ui/Stat.tsx";

export function Earnings({ earnings }: { readonly earnings: EarningsView | null }): ReactNode {
  return (
    <Card>
      <dl className="-my-1 grid grid-cols-3 gap-3">
        <Stat
          label="Balance, credits"
          value={earnings === null ? "–" : formatCredits(earnings.balanceMicro)}
        />
        <Stat label="Today" value={earnings === null ? "–" : formatCredits(earnings.todayMicro)} />
        <Stat label="Jobs done" value={earnings === null ? "–" : formatCount(earnings.jobsSucceeded)} />
      </dl>
    </Card>
  );
}
