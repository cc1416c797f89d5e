import { usePaginatedQuery, useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { monthOf } from "../../../app/usage/months.ts";
import { api } from "../../../convex/_generated/api.js";
import { useFromNow } from "../../ui/clock.ts";
import { SelectBox } from "../../ui/controls/Select.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { pagedRows } from "../data/paged-rows.ts";
import type { MyCredits, PayoutRow } from "../data/rows.ts";
import { useAct, useMe, useSession } from "../data/session-context.ts";
import { useFilter } from "../shell/route.ts";
import { CreditsView } from "./CreditsView.tsx";
import { GiveDialog, PayoutDialog, ToKeyDialog } from "./MoveDialogs.tsx";

const pageSize = 20;

type Team = MyCredits["teams"][number];

/** The credits that the member earned or was given, and their use. The month of the statement is in the address. */
export function CreditsPage(): ReactNode {
  const session = useSession();
  const me = useMe();
  const mine = useQuery(api.console.money.credits.mine, { session });
  const payouts = usePaginatedQuery(
    api.console.money.credits.payouts,
    { session },
    { initialNumItems: pageSize },
  );
  const [open, setOpen] = useState<"key" | "give" | "payout" | Team | null>(null);
  const [withdrawn, setWithdrawn] = useState<PayoutRow | null>(null);
  // Only each hour another one, so that the query stays the same.
  const now = useFromNow((at) => Math.ceil(at / 3_600_000) * 3_600_000);
  const [chosen, setMonth] = useFilter("month");
  const month = Number(chosen) > 0 ? Number(chosen) : monthOf(now);
  const [teamId, setTeamId] = useState<Team["teamId"] | null>(null);
  const teams = mine?.teams ?? [];
  const statement = useQuery(api.console.money.credits.statement, {
    session,
    at: month,
    now,
    ...(teamId === null ? {} : { of: teamId }),
  });
  const toKey = useAct(api.console.money.credits.toKey);
  const give = useAct(api.console.money.credits.give);
  const askPayout = useAct(api.console.money.credits.askPayout);
  const withdraw = useAct(api.console.money.credits.withdrawPayout);
  const close = (): void => setOpen(null);
  return (
    <>
      <CreditsView
        mine={mine}
        payouts={pagedRows(payouts, pageSize)}
        now={now}
        month={month}
        statement={statement}
        whose={
          teams.length === 0 ? null : (
            <SelectBox
              aria-label="Statement of"
              value={teamId ?? ""}
              options={[
                { value: "", label: "My credits" },
                ...teams.map((team) => ({ value: team.teamId, label: team.name })),
              ]}
              onChange={(chosenTeam) =>
                setTeamId(teams.find((team) => team.teamId === chosenTeam)?.teamId ?? null)
              }
            />
          )
        }
        onMonth={(start) => setMonth(String(start))}
        onOpen={setOpen}
        onWithdraw={setWithdrawn}
      />
      {mine === undefined || open === null ? null : open === "key" || typeof open === "object" ? (
        <ToKeyDialog
          mine={mine}
          team={open === "key" ? null : open}
          onSave={async (move) => await toKey(move, "The credits are budget of the key now.")}
          onClose={close}
        />
      ) : open === "give" ? (
        <GiveDialog
          mine={mine}
          me={me.memberId}
          onSave={async (move) => await give(move, "The credits are given.")}
          onClose={close}
        />
      ) : (
        <PayoutDialog
          mine={mine}
          onSave={async (move) => await askPayout(move, "An administrator will decide about the payout.")}
          onClose={close}
        />
      )}
      {withdrawn === null ? null : (
        <Confirm
          title="Withdraw this payout?"
          action="Withdraw"
          onConfirm={() => void withdraw({ payoutId: withdrawn.payoutId }, "The payout is withdrawn.")}
          onClose={() => setWithdrawn(null)}
        >
          The credits are yours again, and you can ask for another payout.
        </Confirm>
      )}
    </>
  );
}
