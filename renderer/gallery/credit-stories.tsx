import { monthOf } from "../../app/usage/months.ts";
import { CreditsView } from "../console/credits/CreditsView.tsx";
import { PayoutDialog, ToKeyDialog } from "../console/credits/MoveDialogs.tsx";
import { HouseRulesCard, HouseRulesDialog } from "../console/earnings/HouseRulesCard.tsx";
import { PayoutsView } from "../console/earnings/PayoutsCard.tsx";
import { AllowanceDialog } from "../console/grants/AllowanceDialog.tsx";
import { KeyStatementCard } from "../console/keys/KeyStatement.tsx";
import { PriceHistory } from "../console/prices/PriceHistory.tsx";
import { SetPrice } from "../console/prices/SetPrice.tsx";
import { catalog, keys } from "./fixtures/console-rows.ts";
import * as rows from "./fixtures/credit-rows.ts";
import { inShell } from "./in-shell.tsx";
import type { Story } from "./story.ts";

const nothing = (): void => undefined;
const noMore = { onMore: null, loading: false };
const refused = (): Promise<boolean> => Promise.resolve(false);

/** A member's credits, what administrators decide about them, prices, and the statement of a key. */
export function creditStories(now: number): readonly Story[] {
  const view = {
    mine: rows.mine(now),
    payouts: { rows: rows.ownPayouts(now), ...noMore },
    now,
    month: now,
    statement: rows.statement(now),
    onMonth: nothing,
    onOpen: nothing,
    onWithdraw: nothing,
  } satisfies Parameters<typeof CreditsView>[0];
  const empty = {
    ...view,
    mine: {
      ...view.mine,
      availableMicro: 0n,
      grantedMicro: 0n,
      heldMicro: 0n,
      allowance: null,
      expiries: [],
      rules: rows.noRules,
      keys: [],
      moves: [],
      hasOpenPayout: false,
    },
    payouts: { rows: [], ...noMore },
    statement: { ...view.statement, openingMicro: 0n, devices: [], moves: [], closingMicro: 0n },
  };
  const payouts = {
    asked: { rows: rows.askedPayouts(now), ...noMore },
    approved: { rows: rows.approvedPayouts(now), ...noMore },
    onAllApproved: async () => await Promise.resolve([]),
    me: "Ada Brandt",
    month: monthOf(now),
    thisMonth: monthOf(now),
    onMonth: nothing,
    onApprove: nothing,
    onRefuse: refused,
  } satisfies Parameters<typeof PayoutsView>[0];
  const price = {
    factors: rows.factors,
    dataClasses: ["internal", "restricted"],
    now,
    onSave: refused,
    onClose: nothing,
  };
  const keyMonth = { now, month: now, statement: rows.keyStatement(now), onMonth: nothing };
  return [
    inShell("console-credits", "credits", <CreditsView {...view} />),
    inShell("console-credits-empty", "credits", <CreditsView {...empty} />),
    inShell(
      "console-credits-loading",
      "credits",
      <CreditsView
        {...view}
        mine={undefined}
        payouts={{ rows: undefined, ...noMore }}
        statement={undefined}
      />,
    ),
    inShell(
      "console-credits-to-key",
      "credits",
      <ToKeyDialog mine={view.mine} team={null} onSave={refused} onClose={nothing} />,
    ),
    inShell(
      "console-credits-payout",
      "credits",
      <PayoutDialog mine={view.mine} onSave={refused} onClose={nothing} />,
    ),
    inShell(
      "console-payouts",
      "earnings",
      <div className="grid gap-4">
        <PayoutsView {...payouts} />
        <HouseRulesCard rules={rows.rules} onSave={refused} />
      </div>,
    ),
    inShell(
      "console-house-rules",
      "earnings",
      <HouseRulesDialog rules={rows.rules} onSave={refused} onClose={nothing} />,
    ),
    inShell(
      "console-price-history",
      "models",
      <PriceHistory versions={rows.priceVersions(now)} now={now} onCancel={nothing} onClose={nothing} />,
    ),
    inShell("console-set-price", "models", <SetPrice {...price} models={catalog(now)} />),
    inShell("console-set-percents", "models", <SetPrice {...price} models={[]} />),
    ...keys(now).flatMap(({ name, allowance }) =>
      allowance === null
        ? []
        : [
            inShell(
              "console-key-allowance",
              "keys",
              <AllowanceDialog
                of="key"
                name={name}
                allowance={allowance}
                onSave={refused}
                onClose={nothing}
              />,
            ),
          ],
    ),
    inShell("console-key-statement", "keys", <KeyStatementCard {...keyMonth} />),
    inShell(
      "console-key-statement-loading",
      "keys",
      <KeyStatementCard {...keyMonth} statement={undefined} />,
    ),
  ];
}
