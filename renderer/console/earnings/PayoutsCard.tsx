import { useConvex, usePaginatedQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { moneyOf, payrollCsv } from "../../../app/credits/payout.ts";
import { formatDay } from "../../../app/format/time.ts";
import { columnCredits } from "../../../app/money/credits.ts";
import { monthOf } from "../../../app/usage/months.ts";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import { useFromNow } from "../../ui/clock.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { MonthBox } from "../../ui/controls/MonthBox.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { LoadMore } from "../../ui/LoadMore.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import { allPages } from "../data/all-pages.ts";
import { type PagedRows, pagedRows } from "../data/paged-rows.ts";
import type { PayoutRow } from "../data/rows.ts";
import { useAct, useMe, useScope, useSession } from "../data/session-context.ts";
import { DownloadCsv } from "../usage/DownloadCsv.tsx";

const pageSize = 50;
/** A download reads larger pages. */
const exportSize = 300;

/** The payouts that wait for a decision, and those of a month that were approved, for payroll. */
export function Payouts(): ReactNode {
  const session = useSession();
  const me = useMe();
  const mayDecide = useScope("payouts.decide") !== null;
  const thisMonth = useFromNow((now) => monthOf(now));
  const [month, setMonth] = useState<number | null>(null);
  const from = month ?? thisMonth;
  const time = { from, to: monthOf(from, 1) };
  const convex = useConvex();
  const { list } = api.console.money.payouts;
  const size = { initialNumItems: pageSize };
  const asked = usePaginatedQuery(list, { session, state: "asked", ...time }, size);
  const approved = usePaginatedQuery(list, { session, state: "approved", ...time }, size);
  const approve = useAct(api.console.money.payouts.approve);
  const refuse = useAct(api.console.money.payouts.refuse);
  return (
    <PayoutsView
      asked={pagedRows(asked, pageSize)}
      approved={pagedRows(approved, pageSize)}
      onAllApproved={async () =>
        await allPages(
          async (cursor) =>
            await convex.query(list, {
              session,
              state: "approved",
              ...time,
              paginationOpts: { numItems: exportSize, cursor },
            }),
        )
      }
      me={mayDecide ? me.memberId : null}
      month={from}
      thisMonth={thisMonth}
      onMonth={setMonth}
      onApprove={({ payoutId }) => void approve({ payoutId }, "The payout is approved.")}
      onRefuse={async ({ payoutId }, reason) =>
        await refuse({ payoutId, reason }, "The payout is refused, and the credits are back.")
      }
    />
  );
}

type ViewProps = {
  readonly asked: PagedRows<PayoutRow>;
  readonly approved: PagedRows<PayoutRow>;
  /** All approved ones of the month, also those that are not shown. */
  readonly onAllApproved: () => Promise<readonly PayoutRow[]>;
  /** The member who may decide; null: only reads. */
  readonly me: string | null;
  /** The starts of the month of the approved ones, and of this month; ms epoch. */
  readonly month: number;
  readonly thisMonth: number;
  readonly onMonth: (month: number) => void;
  readonly onApprove: (payout: PayoutRow) => void;
  /** Resolves to whether it was refused. */
  readonly onRefuse: (payout: PayoutRow, reason: string) => Promise<boolean>;
};

export function PayoutsView(props: ViewProps): ReactNode {
  const { asked, approved, onAllApproved, me, month, thisMonth, onMonth, onApprove, onRefuse } = props;
  const [toApprove, setToApprove] = useState<PayoutRow | null>(null);
  const [toRefuse, setToRefuse] = useState<PayoutRow | null>(null);
  const decisions = actionColumn<PayoutRow>("w-max", (payout) =>
    payout.member.id === me ? (
      <span className="text-xs text-muted">Somebody else decides.</span>
    ) : (
      <>
        <RowAction
          verb="Approve"
          object={`the payout of ${payout.member.name}`}
          onClick={() => setToApprove(payout)}
        />
        <RowAction
          verb="Refuse"
          object={`the payout of ${payout.member.name}`}
          onClick={() => setToRefuse(payout)}
        />
      </>
    ),
  );
  return (
    <>
      <Card flush title="Payouts to decide">
        <Table
          label="Payouts to decide"
          columns={[...columnsOf(asked.rows ?? [], "asked"), ...(me === null ? [] : [decisions])]}
          rows={asked.rows}
          keyOf={({ payoutId }) => payoutId}
          empty={
            <Empty title="No payout waits">
              Members ask for payouts on their page My credits, if the rules below allow it.
            </Empty>
          }
        />
        <LoadMore onMore={asked.onMore} loading={asked.loading} />
      </Card>
      <Card
        flush
        title="Approved payouts"
        aside={
          <span className="flex flex-wrap items-center gap-2">
            <MonthBox now={thisMonth} month={month} onMonth={onMonth} />
            <DownloadCsv
              name={`payroll-${new Date(month).toISOString().slice(0, 7)}.csv`}
              csv={approved.rows === undefined ? undefined : async () => payrollCsv(await onAllApproved())}
            />
          </span>
        }
      >
        <Table
          label="Approved payouts"
          columns={columnsOf(approved.rows ?? [], "approved")}
          rows={approved.rows}
          keyOf={({ payoutId }) => payoutId}
          empty={<Empty title="No payout was approved in this month">The CSV is for payroll.</Empty>}
        />
        <LoadMore onMore={approved.onMore} loading={approved.loading} />
      </Card>
      {toApprove === null ? null : (
        <Confirm
          title={`Approve the payout of ${toApprove.member.name}?`}
          action="Approve"
          onConfirm={() => onApprove(toApprove)}
          onClose={() => setToApprove(null)}
        >
          Payroll pays {moneyOf(toApprove.cents, toApprove.currency)}. The credits leave the member’s account
          for good.
        </Confirm>
      )}
      {toRefuse === null ? null : (
        <RefuseDialog payout={toRefuse} onRefuse={onRefuse} onClose={() => setToRefuse(null)} />
      )}
    </>
  );
}

type RefuseProps = Pick<ViewProps, "onRefuse"> & { readonly payout: PayoutRow; readonly onClose: () => void };

function RefuseDialog({ payout, onRefuse, onClose }: RefuseProps): ReactNode {
  const [reason, setReason] = useState("");
  return (
    <Dialog title={`Refuse the payout of ${payout.member.name}`} onClose={onClose}>
      <DialogForm
        action="Refuse"
        disabled={reason.trim() === ""}
        onSubmit={async () => {
          if (await onRefuse(payout, reason.trim())) onClose();
        }}
        onClose={onClose}
      >
        <p className="text-sm text-muted">The member has the credits again.</p>
        <Field
          label="Reason"
          hint="The member reads it. It is in the audit trail, too."
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}

function columnsOf(payouts: readonly PayoutRow[], state: "asked" | "approved"): readonly Column<PayoutRow>[] {
  const credits = columnCredits(payouts.map(({ micro }) => micro));
  return [
    {
      key: "member",
      title: "Member",
      cell: ({ member, note }) => (
        <span className="grid min-w-28">
          <span className="font-medium wrap-anywhere">{member.name}</span>
          {note === null ? null : <span className="text-xs wrap-anywhere text-muted">{note}</span>}
        </span>
      ),
    },
    { key: "credits", title: "Credits", align: "right", cell: ({ micro }) => credits(micro) },
    {
      key: "money",
      title: "Money",
      align: "right",
      cell: ({ cents, currency }) => <span className="whitespace-nowrap">{moneyOf(cents, currency)}</span>,
    },
    state === "asked"
      ? { key: "at", title: "Asked", cell: ({ askedAt }) => formatDay(askedAt) }
      : {
          key: "at",
          title: "Approved",
          cell: ({ decidedAt, decidedBy }) => (
            <span className="grid">
              {decidedAt === null ? "" : formatDay(decidedAt)}
              {decidedBy === null ? null : <span className="text-xs text-muted">by {decidedBy}</span>}
            </span>
          ),
        },
  ];
}
