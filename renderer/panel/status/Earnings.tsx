import type { ReactNode } from "react";
import type { EarningsView } from "../../../app/contract/snapshot.ts";
import { formatCount, formatMicroText } from "../../../app/format/quantity.ts";
import { Card } from "../../ui/Card.tsx";
import { Stat } from "../../ui/Stat.tsx";

export function Earnings({ earnings }: { readonly earnings: EarningsView | null }): ReactNode {
  return (
    <Card>
      <dl className="-my-1 grid grid-cols-3 gap-3">
        <Stat
          label="Balance, credits"
          value={earnings === null ? "–" : formatMicroText(earnings.balanceMicro)}
        />
        <Stat label="Today" value={earnings === null ? "–" : formatMicroText(earnings.todayMicro)} />
        <Stat label="Jobs done" value={earnings === null ? "–" : formatCount(earnings.jobsSucceeded)} />
      </dl>
    </Card>
  );
}
