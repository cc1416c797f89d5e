import { type ReactNode, useState } from "react";
import { formatDuration } from "../../../app/format/time.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Select, SelectBox } from "../../ui/controls/Select.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { LoadMore } from "../../ui/LoadMore.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { DeliveryRow } from "../data/rows.ts";
import { sayServerSentence } from "../data/server-sentences.ts";
import { deliveryState } from "./webhook-words.ts";

type DeliveryId = DeliveryRow["deliveryId"];

export type DeliveriesViewProps = {
  /** Undefined while they load. */
  readonly deliveries: readonly DeliveryRow[] | undefined;
  /** The only state that is shown; "" for all. */
  readonly state: string;
  readonly onState: (state: string) => void;
  /** The delivery whose tries are shown. */
  readonly opened: DeliveryId | null;
  readonly onOpen: (deliveryId: DeliveryId | null) => void;
  readonly onMore: (() => void) | null;
  readonly loadingMore: boolean;
  /** Null for members who may only look. */
  readonly onResend: ((delivery: DeliveryRow) => void) | null;
  /** `since`: ms since the epoch. */
  readonly onResendFailed: ((since: number) => void) | null;
};

/** The deliveries to a webhook in the last 30 days, with each try. */
export function DeliveriesView(props: DeliveriesViewProps): ReactNode {
  const { deliveries, state, onState, opened, onMore, loadingMore, onResendFailed } = props;
  const [isResending, setResending] = useState(false);
  return (
    <Card
      flush
      title="Deliveries"
      aside={
        <div className="flex flex-wrap items-center gap-2">
          <div className="w-36">
            <SelectBox
              aria-label="State"
              value={state}
              options={[
                { value: "", label: "All" },
                { value: "pending", label: "Waiting" },
                { value: "delivered", label: "Delivered" },
                { value: "failed", label: "Failed" },
              ]}
              onChange={onState}
            />
          </div>
          {onResendFailed === null ? null : (
            <Button size="sm" onClick={() => setResending(true)}>
              Send failed ones again
            </Button>
          )}
        </div>
      }
    >
      <Table
        label="Deliveries"
        columns={[...columns, actionsOf(props)]}
        rows={deliveries}
        keyOf={({ deliveryId }) => deliveryId}
        detail={(delivery) => (delivery.deliveryId === opened ? <Tries delivery={delivery} /> : null)}
        empty={
          <Empty title={state === "" ? "No deliveries yet" : "No such deliveries"}>
            Deliveries are shown for 30 days.
          </Empty>
        }
      />
      <LoadMore onMore={onMore} loading={loadingMore} />
      {isResending && onResendFailed !== null ? (
        <ResendFailed onResend={onResendFailed} onClose={() => setResending(false)} />
      ) : null}
    </Card>
  );
}

const columns: readonly Column<DeliveryRow>[] = [
  {
    key: "type",
    title: "Event",
    cell: ({ type, eventId }) => (
      <div className="min-w-0">
        <p className="font-medium">{type}</p>
        <p className="font-mono text-xs wrap-anywhere text-muted">{eventId}</p>
      </div>
    ),
  },
  {
    key: "created",
    title: "Time",
    width: "w-28",
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  {
    key: "state",
    title: "State",
    cell: (delivery) => {
      const { tone, words } = deliveryState(delivery);
      const error = delivery.attempts.at(-1)?.error ?? null;
      return (
        <div className="min-w-0">
          <Badge tone={tone} dot>
            {words}
          </Badge>{" "}
          {delivery.dueAt === null || delivery.attempts.length === 0 ? null : (
            <RelativeTime at={delivery.dueAt} />
          )}
          {error === null ? null : (
            <p className="text-xs wrap-anywhere text-muted">{sayServerSentence(error)}</p>
          )}
        </div>
      );
    },
  },
];

function actionsOf({ opened, onOpen, onResend }: DeliveriesViewProps): Column<DeliveryRow> {
  return actionColumn("w-60", (delivery) => {
    const { deliveryId, type, attempts } = delivery;
    const isOpen = deliveryId === opened;
    return (
      <>
        {attempts.length === 0 ? null : (
          <RowAction
            verb={isOpen ? "Hide tries" : "Show tries"}
            object={`of ${type}`}
            onClick={() => onOpen(isOpen ? null : deliveryId)}
          />
        )}
        {onResend === null ? null : (
          <RowAction verb="Send again" object={type} onClick={() => onResend(delivery)} />
        )}
      </>
    );
  });
}

function Tries({ delivery: { attempts } }: { readonly delivery: DeliveryRow }): ReactNode {
  return (
    <ol className="grid grid-cols-1 gap-2 text-xs">
      {attempts.toReversed().map(({ at, ms, status, error, answer }) => (
        <li key={at} className="grid grid-cols-1 gap-1">
          <p>
            <RelativeTime at={at} /> · {status === null ? "no answer" : `status ${String(status)}`} ·{" "}
            {formatDuration(ms)}
            {error === null ? null : <span className="text-bad"> · {sayServerSentence(error)}</span>}
          </p>
          {answer === "" ? null : (
            <pre className="max-h-32 overflow-auto rounded-md border border-line bg-raised p-2 whitespace-pre-wrap wrap-anywhere">
              {answer}
            </pre>
          )}
        </li>
      ))}
    </ol>
  );
}

const hourMs = 3_600_000;

type ResendProps = { readonly onResend: (since: number) => void; readonly onClose: () => void };

function ResendFailed({ onResend, onClose }: ResendProps): ReactNode {
  const [hours, setHours] = useState("24");
  return (
    <Dialog title="Send failed deliveries again" onClose={onClose}>
      <DialogForm
        action="Send again"
        onSubmit={() => {
          onResend(Date.now() - Number(hours) * hourMs);
          onClose();
          return undefined;
        }}
        onClose={onClose}
      >
        <Select
          label="Failed deliveries of"
          hint="They keep their ids, so that the receiver recognizes those that it has already."
          value={hours}
          options={[
            { value: "1", label: "the last hour" },
            { value: "24", label: "the last 24 hours" },
            { value: "168", label: "the last 7 days" },
            { value: "720", label: "the last 30 days" },
          ]}
          onChange={setHours}
        />
      </DialogForm>
    </Dialog>
  );
}
