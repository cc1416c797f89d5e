import type { ReactNode } from "react";
import { moneyOf } from "../../../app/credits/payout.ts";
import { formatDay } from "../../../app/format/time.ts";
import { columnCredits, formatCredits, formatExactCredits } from "../../../app/money/credits.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { LoadMore } from "../../ui/LoadMore.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { PagedRows } from "../data/paged-rows.ts";
import type { CreditMoveRow, MyCredits, PayoutRow, StatementRow } from "../data/rows.ts";
import { allowanceWords } from "../grants/allowance-words.ts";
import { allowanceNote } from "../grants/grant-cells.tsx";
import { moveWords, payoutStates } from "./move-words.ts";
import { earnedOf, keysOfTeam } from "./MoveDialogs.tsx";
import { StatementCard } from "./StatementCard.tsx";

type Team = MyCredits["teams"][number];

type Props = {
  /** Undefined while they load. */
  readonly mine: MyCredits | undefined;
  readonly payouts: PagedRows<PayoutRow>;
  /** ms epoch. */
  readonly now: number;
  /** A moment in the month of the statement. */
  readonly month: number;
  readonly statement: StatementRow | undefined;
  readonly onMonth: (month: number) => void;
  /** Chooses the member or a team. */
  readonly whose?: ReactNode;
  /** A team: its credits are used with an API key. */
  readonly onOpen: (dialog: "key" | "give" | "payout" | Team) => void;
  readonly onWithdraw: (payout: PayoutRow) => void;
};

export function CreditsView({ mine, payouts, onOpen, onWithdraw, ...statement }: Props): ReactNode {
  const { now } = statement;
  return (
    <div className="grid gap-4">
      {mine === undefined ? (
        <Card flush>
          <SkeletonRows />
        </Card>
      ) : (
        <Available mine={mine} now={now} onOpen={onOpen} />
      )}
      {mine === undefined || mine.teams.length === 0 ? null : (
        <TeamsCard mine={mine} now={now} onOpen={onOpen} />
      )}
      {payouts.rows === undefined || payouts.rows.length === 0 ? null : (
        <PayoutsCard payouts={payouts} onWithdraw={onWithdraw} />
      )}
      <Card flush title="Changes">
        <Table
          label="Changes"
          columns={moveColumns(mine?.moves ?? [])}
          rows={mine?.moves}
          keyOf={({ moveId }) => moveId}
          height="sm:max-h-120"
          empty={
            <Empty title="No changes yet">
              Credits that you move, give, receive or have paid out are listed here. Statements also have what
              your devices earned.
            </Empty>
          }
        />
      </Card>
      <StatementCard {...statement} />
    </div>
  );
}

type CardProps = Pick<Props, "now" | "onOpen"> & { readonly mine: MyCredits };

function Available({ mine, now, onOpen }: CardProps): ReactNode {
  const { availableMicro, grantedMicro, heldMicro, allowance, expiries, rules, keys, hasOpenPayout } = mine;
  const hasNothing = availableMicro <= 0n;
  const hasEarnedNothing = earnedOf(mine).availableMicro <= 0n;
  return (
    <Card title="Available">
      <p className="text-2xl leading-9 font-semibold" title={`${formatExactCredits(availableMicro)} credits`}>
        {formatCredits(availableMicro)}
      </p>
      <p className="text-xs text-muted">
        The credits that your devices earned, and those that colleagues and administrators gave you. Pay of
        the last minute is added in a moment.
      </p>
      <ul className="mt-2 grid gap-1 text-sm">
        {grantedMicro === 0n ? null : (
          <li>
            {formatCredits(grantedMicro)} of it were given by administrators: for API keys only. They do not
            expire.
          </li>
        )}
        {heldMicro === 0n ? null : (
          <li className="text-hold">
            {formatCredits(heldMicro)} more wait until other computers have checked answers of your devices.
          </li>
        )}
        {allowance === null ? null : (
          <li className="wrap-anywhere">
            {allowanceWords(allowance, now)}. {allowance.reason}
          </li>
        )}
        {expiries.slice(0, 3).map(({ at, micro }) => (
          <li key={at} className="text-hold">
            {formatCredits(micro)} expire on {formatDay(at)} (UTC).
          </li>
        ))}
        {rules.expireMonths === null ? <li className="text-muted">Your credits do not expire.</li> : null}
      </ul>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button look="primary" disabled={hasNothing || keys.length === 0} onClick={() => onOpen("key")}>
          Use with an API key
        </Button>
        <Button disabled={hasEarnedNothing} onClick={() => onOpen("give")}>
          Give to a colleague or team
        </Button>
        {rules.payout === null ? null : (
          <Button disabled={hasEarnedNothing || hasOpenPayout} onClick={() => onOpen("payout")}>
            Ask for a payout
          </Button>
        )}
      </div>
      <p className="mt-2 text-xs text-muted">
        {keys.length === 0 ? <>You have no API key. </> : null}
        {hasOpenPayout ? <>Your last payout still waits for its decision. </> : null}
        {rules.payout === null ? (
          <>Your organization does not pay credits out.</>
        ) : (
          <>
            A credit is paid out as {formatExactCredits(rules.payout.perCreditMicro)} {rules.payout.currency}.
          </>
        )}
      </p>
    </Card>
  );
}

/** The credits of the member's teams. Any member of a team may use them, with the team's keys. */
function TeamsCard({ mine, now, onOpen }: CardProps): ReactNode {
  const credits = columnCredits(mine.teams.map(({ availableMicro }) => availableMicro));
  const columns: readonly Column<Team>[] = [
    { key: "team", title: "Team", cell: ({ name }) => name },
    {
      key: "available",
      title: "Available",
      align: "right",
      cell: ({ availableMicro }) => (
        <span title={`${formatExactCredits(availableMicro)} credits`}>{credits(availableMicro)}</span>
      ),
    },
    actionColumn<Team>("w-max", (team) =>
      keysOfTeam(mine, team).length === 0 ? (
        <span className="text-xs text-muted">The team has no API key.</span>
      ) : team.availableMicro > 0n ? (
        <RowAction verb="Use" object={`the credits of ${team.name}`} onClick={() => onOpen(team)} />
      ) : null,
    ),
  ];
  return (
    <Card flush title="Credits of my teams">
      <Table
        label="Credits of my teams"
        columns={columns}
        rows={mine.teams}
        keyOf={({ teamId }) => teamId}
        detail={(team) => teamNotes(team, now)}
        height="sm:max-h-80"
        empty={null}
      />
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        The credits that the teams' devices earned, and those that colleagues and administrators gave them.
        Every member of a team can use its credits with the team's API keys. They are not paid out.
      </p>
    </Card>
  );
}

/** Null if there is nothing to say. */
function teamNotes(team: Team, now: number): ReactNode {
  const allowance = allowanceNote(team, now);
  if (team.heldMicro === 0n) return allowance;
  return (
    <>
      <p className="text-xs text-hold">
        {formatCredits(team.heldMicro)} more wait until other computers have checked answers of the team’s
        devices.
      </p>
      {allowance}
    </>
  );
}

function PayoutsCard({ payouts, onWithdraw }: Pick<Props, "payouts" | "onWithdraw">): ReactNode {
  const { rows = [], ...more } = payouts;
  const credits = columnCredits(rows.map(({ micro }) => micro));
  const columns: readonly Column<PayoutRow>[] = [
    { key: "asked", title: "Asked", cell: ({ askedAt }) => formatDay(askedAt) },
    { key: "credits", title: "Credits", align: "right", cell: ({ micro }) => credits(micro) },
    { key: "money", title: "Money", align: "right", cell: ({ cents, currency }) => moneyOf(cents, currency) },
    {
      key: "state",
      title: "Status",
      cell: ({ state, reason, decidedBy }) => (
        <span className="grid justify-items-start gap-1">
          <Badge tone={payoutStates[state].tone}>{payoutStates[state].words}</Badge>
          {reason === null ? null : <span className="text-xs text-muted">{reason}</span>}
          {decidedBy === null ? null : <span className="text-xs text-muted">by {decidedBy}</span>}
        </span>
      ),
    },
    actionColumn<PayoutRow>("w-max", (payout) =>
      payout.state === "asked" ? (
        <RowAction verb="Withdraw" object="the payout" onClick={() => onWithdraw(payout)} />
      ) : null,
    ),
  ];
  return (
    <Card flush title="Payouts">
      <Table
        label="Payouts"
        columns={columns}
        rows={rows}
        keyOf={({ payoutId }) => payoutId}
        height="sm:max-h-80"
        empty={null}
      />
      <LoadMore {...more} />
    </Card>
  );
}

function moveColumns(moves: readonly CreditMoveRow[]): readonly Column<CreditMoveRow>[] {
  const credits = columnCredits(moves.map(({ micro }) => micro));
  return [
    {
      key: "at",
      title: "Day",
      isNarrow: true,
      cell: ({ at }) => <span className="whitespace-nowrap">{formatDay(at)}</span>,
    },
    {
      key: "kind",
      title: "Entry",
      isNarrow: true,
      cell: (move) => (
        <span className="grid">
          <span className="font-medium wrap-anywhere">{moveWords(move)}</span>
          {move.note === null ? null : <span className="text-xs wrap-anywhere text-muted">{move.note}</span>}
        </span>
      ),
    },
    {
      key: "credits",
      title: "Credits",
      align: "right",
      isNarrow: true,
      cell: ({ micro }) => (
        <span className="whitespace-nowrap" title={`${formatExactCredits(micro)} credits`}>
          {micro > 0n ? "+" : ""}
          {credits(micro)}
        </span>
      ),
    },
  ];
}
