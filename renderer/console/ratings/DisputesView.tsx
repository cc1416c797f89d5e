import { type ReactNode, useState } from "react";
import type { DisputeState } from "../../../app/jobs/rating.ts";
import { columnCredits, spellCredits } from "../../../app/money/credits.ts";
import { Card } from "../../ui/Card.tsx";
import { Checkbox } from "../../ui/controls/Checkbox.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { FilterPills } from "../../ui/controls/FilterPills.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { LoadMore } from "../../ui/LoadMore.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { DisputeRow } from "../data/rows.ts";
import { hrefOf } from "../shell/route.ts";
import { disputeFilters, reasonWords } from "./rating-words.ts";

export type Decisions = {
  /** Both resolve to whether it was decided. */
  readonly onSettle: (
    dispute: DisputeRow,
    decision: { readonly reason: string; readonly refund: boolean },
  ) => Promise<boolean>;
  readonly onReject: (dispute: DisputeRow, reason: string) => Promise<boolean>;
  readonly onReopen: (dispute: DisputeRow) => void;
};

type Props = {
  /** Undefined while they load. */
  readonly disputes: readonly DisputeRow[] | undefined;
  readonly state: DisputeState;
  readonly onState: (state: DisputeState) => void;
  /** Null for those who only read. */
  readonly decisions: Decisions | null;
  /** Null when all are loaded. */
  readonly onMore: (() => void) | null;
  readonly loadingMore: boolean;
};

type Asked = { readonly dispute: DisputeRow; readonly act: "settle" | "reject" };

export function DisputesView(props: Props): ReactNode {
  const { disputes, state, onState, decisions, onMore, loadingMore } = props;
  const [asked, setAsked] = useState<Asked | null>(null);
  const columns = [
    ...columnsOf(disputes ?? [], state),
    ...(decisions === null ? [] : [actionsOf(decisions, setAsked)]),
  ];
  return (
    <div className="grid gap-3">
      <FilterPills label="Filter by decision" options={disputeFilters} value={state} onChange={onState} />
      <Card flush>
        <Table
          label="Disputed answers"
          columns={columns}
          rows={disputes}
          keyOf={({ jobId }) => jobId}
          empty={<NoDisputes state={state} />}
        />
        <LoadMore onMore={onMore} loading={loadingMore} />
      </Card>
      {asked === null || decisions === null ? null : asked.act === "settle" ? (
        <SettleDialog dispute={asked.dispute} onSettle={decisions.onSettle} onClose={() => setAsked(null)} />
      ) : (
        <RejectDialog dispute={asked.dispute} onReject={decisions.onReject} onClose={() => setAsked(null)} />
      )}
    </div>
  );
}

function NoDisputes({ state }: { readonly state: DisputeState }): ReactNode {
  if (state !== "open") return <Empty title="No disputes were decided so" />;
  return (
    <Empty title="No disputes">
      Requesters dispute a wrong answer on the page of its job, or over the API. Ratings are kept for 90 days.
    </Empty>
  );
}

function columnsOf(disputes: readonly DisputeRow[], state: DisputeState): readonly Column<DisputeRow>[] {
  const credits = columnCredits(disputes.map(({ priceMicro }) => priceMicro));
  const link = "wrap-anywhere font-medium hover:text-accent hover:underline";
  return [
    {
      key: "answer",
      title: "Answer",
      cell: ({ jobId, model, keyName }) => (
        <span className="grid">
          <a href={hrefOf("jobs", jobId)} title={jobId} className={link}>
            {model}
          </a>
          <span className="text-xs wrap-anywhere text-muted">{keyName}</span>
        </span>
      ),
    },
    {
      key: "device",
      title: "Device",
      cell: ({ deviceId, deviceName }) => (
        <a href={hrefOf("devices", deviceId)} className={link}>
          {deviceName}
        </a>
      ),
    },
    {
      key: "said",
      title: "The requester says",
      cell: ({ reason, comment, disputedAt }) => (
        <span className="grid min-w-32">
          <span>{reason === null ? "Bad" : reasonWords[reason]}</span>
          {comment === null ? null : <span className="text-xs wrap-anywhere text-muted">“{comment}”</span>}
          <span className="text-xs text-muted">
            <RelativeTime at={disputedAt} />
          </span>
        </span>
      ),
    },
    {
      key: "price",
      title: "Price",
      align: "right",
      cell: ({ priceMicro }) => <span className="whitespace-nowrap">{credits(priceMicro)}</span>,
    },
    ...(state === "open" ? [] : [decisionColumn]),
  ];
}

const decisionColumn: Column<DisputeRow> = {
  key: "decision",
  title: "Decision",
  cell: ({ decision }) =>
    decision === null ? null : (
      <span className="grid min-w-32">
        <span className="wrap-anywhere">“{decision.reason}”</span>
        <span className="text-xs text-muted">
          {decision.by}, <RelativeTime at={decision.at} />
        </span>
        {decision.refundMicro === null ? null : (
          <span className="text-xs text-muted">{spellCredits(decision.refundMicro)} refunded</span>
        )}
      </span>
    ),
};

function actionsOf(decisions: Decisions, ask: (asked: Asked) => void): Column<DisputeRow> {
  return actionColumn<DisputeRow>("w-max", (dispute) => {
    const object = `the dispute of ${dispute.model} on ${dispute.deviceName}`;
    if (dispute.state === "open")
      return (
        <>
          <RowAction verb="Settle…" object={object} onClick={() => ask({ dispute, act: "settle" })} />
          <RowAction verb="Reject…" object={object} onClick={() => ask({ dispute, act: "reject" })} />
        </>
      );
    return dispute.decision?.refundMicro === null ? (
      <RowAction verb="Open again" object={object} onClick={() => decisions.onReopen(dispute)} />
    ) : null;
  });
}

type SettleProps = Pick<Decisions, "onSettle"> & {
  readonly dispute: DisputeRow;
  readonly onClose: () => void;
};

export function SettleDialog({ dispute, onSettle, onClose }: SettleProps): ReactNode {
  const { priceMicro, keyName } = dispute;
  const [reason, setReason] = useState("");
  const [refund, setRefund] = useState(priceMicro > 0n);
  return (
    <Dialog title="Is the answer wrong?" onClose={onClose}>
      <DialogForm
        action={refund ? "Settle and refund" : "Settle"}
        disabled={reason.trim() === ""}
        onSubmit={async () => {
          if (await onSettle(dispute, { reason: reason.trim(), refund })) onClose();
        }}
        onClose={onClose}
      >
        <p className="text-sm text-muted">
          Then it counts against the device, more than a bad rating. The device keeps its pay.
        </p>
        <Reason reason={reason} onReason={setReason} />
        <Checkbox
          label={`Give the API key ${spellCredits(priceMicro)} back`}
          hint={
            priceMicro === 0n
              ? "The job cost nothing."
              : `The organization gives the credits to “${keyName}”. This cannot be undone.`
          }
          disabled={priceMicro === 0n}
          checked={refund}
          onChange={setRefund}
        />
      </DialogForm>
    </Dialog>
  );
}

type RejectProps = Pick<Decisions, "onReject"> & {
  readonly dispute: DisputeRow;
  readonly onClose: () => void;
};

function RejectDialog({ dispute, onReject, onClose }: RejectProps): ReactNode {
  const [reason, setReason] = useState("");
  return (
    <Dialog title="Is the answer right?" onClose={onClose}>
      <DialogForm
        action="Reject"
        disabled={reason.trim() === ""}
        onSubmit={async () => {
          if (await onReject(dispute, reason.trim())) onClose();
        }}
        onClose={onClose}
      >
        <p className="text-sm text-muted">Then the rating does not count against the device.</p>
        <Reason reason={reason} onReason={setReason} />
      </DialogForm>
    </Dialog>
  );
}

type ReasonProps = { readonly reason: string; readonly onReason: (reason: string) => void };

function Reason({ reason, onReason }: ReasonProps): ReactNode {
  return (
    <Field
      label="Reason"
      hint="The requester reads it. It is in the audit trail, too."
      maxLength={200}
      value={reason}
      onChange={(event) => onReason(event.target.value)}
    />
  );
}
