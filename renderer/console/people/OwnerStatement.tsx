import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { monthOf } from "../../../app/usage/months.ts";
import { api } from "../../../convex/_generated/api.js";
import { useFromNow } from "../../ui/clock.ts";
import { StatementCard } from "../credits/StatementCard.tsx";
import { useSession } from "../data/session-context.ts";
import { hrefOf, useFilter } from "../shell/route.ts";

/** The statement of a member's or a team's credits, for those who see all money. The month is in the address. */
export function OwnerStatement({ owner }: { readonly owner: string }): ReactNode {
  const session = useSession();
  // Only each hour another one, so that the query stays the same.
  const now = useFromNow((at) => Math.ceil(at / 3_600_000) * 3_600_000);
  const [chosen, setMonth] = useFilter("month");
  const month = Number(chosen) > 0 ? Number(chosen) : monthOf(now);
  const statement = useQuery(api.console.money.credits.statement, { session, of: owner, at: month, now });
  return (
    <OwnerStatementView
      now={now}
      month={month}
      statement={statement}
      onMonth={(start) => setMonth(String(start))}
    />
  );
}

type ViewProps = Omit<Parameters<typeof StatementCard>[0], "whose">;

export function OwnerStatementView(props: ViewProps): ReactNode {
  const { statement } = props;
  return (
    <div className="grid gap-4">
      <p>
        <a className="text-xs font-medium text-accent hover:underline" href={hrefOf("people")}>
          ← All people
        </a>
      </p>
      {statement === undefined ? null : (
        <h2 className="text-lg font-semibold wrap-anywhere">{statement.name}</h2>
      )}
      <StatementCard {...props} />
    </div>
  );
}
