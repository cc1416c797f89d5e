import { type ReactNode, useState } from "react";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { AlertMails, RecipientRow } from "../data/rows.ts";
import { hrefOf } from "../shell/route.ts";
import { LastDelivery } from "./LastDelivery.tsx";

type Changes = {
  /** The dialog that chooses a member. */
  readonly addDialog: (close: () => void) => ReactNode;
  readonly onTest: (recipient: RecipientRow) => void;
  readonly onRemove: (recipient: RecipientRow) => void;
};

type Props = {
  /** Undefined while they load. */
  readonly mails: AlertMails | undefined;
  /** Null for members who may only look. */
  readonly changes: Changes | null;
};

/** The members who get alerts by mail. */
export function RecipientsView({ mails, changes }: Props): ReactNode {
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<RecipientRow | null>(null);
  const ready = mails?.ready === true;
  return (
    <Card
      flush
      title="Mails"
      aside={
        changes === null || !ready ? null : (
          <Button size="sm" onClick={() => setAdding(true)}>
            Add recipient
          </Button>
        )
      }
    >
      <Table
        label="Recipients of mails"
        columns={changes === null ? columns : [...columns, actionsOf(changes, ready, setRemoving)]}
        rows={mails?.recipients}
        keyOf={({ mailId }) => mailId}
        empty={
          <Empty title="Nobody gets mails yet">
            Recipients get what needs attention and warnings of budgets, in at most one mail every 15 minutes.
          </Empty>
        }
      />
      {mails === undefined || ready ? null : (
        <p className="border-t border-line px-4 py-2 text-muted">
          There is no mail server, so nothing is mailed.{" "}
          <a href={hrefOf("sign-in")} className="font-medium text-accent hover:underline">
            Set a mail server
          </a>
        </p>
      )}
      <p className="border-t border-line px-4 py-2 text-muted">
        Programs are told by webhooks.{" "}
        <a href={hrefOf("webhooks")} className="font-medium text-accent hover:underline">
          Open the webhooks
        </a>
      </p>
      {adding && changes !== null ? changes.addDialog(() => setAdding(false)) : null}
      {removing === null ? null : (
        <Confirm
          title={`Mail nothing more to ${removing.name}?`}
          action="Remove"
          danger
          onConfirm={() => changes?.onRemove(removing)}
          onClose={() => setRemoving(null)}
        >
          Alerts are not mailed to {removing.email} anymore.
        </Confirm>
      )}
    </Card>
  );
}

const columns: readonly Column<RecipientRow>[] = [
  {
    key: "name",
    title: "Member",
    cell: ({ name, email }) => (
      <span className="wrap-anywhere">
        <span className="font-medium">{name}</span> <span className="text-muted">{email}</span>
      </span>
    ),
  },
  {
    key: "last",
    title: "Last mail",
    cell: ({ last }) => <LastDelivery last={last} words="Sent" />,
  },
  {
    key: "created",
    title: "Added",
    width: "w-28",
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
];

function actionsOf(
  { onTest }: Changes,
  ready: boolean,
  remove: (recipient: RecipientRow) => void,
): Column<RecipientRow> {
  return actionColumn("w-44", (recipient) => (
    <>
      {ready ? (
        <RowAction verb="Send a test" object={`to ${recipient.email}`} onClick={() => onTest(recipient)} />
      ) : null}
      <RowAction verb="Remove" object={recipient.email} onClick={() => remove(recipient)} />
    </>
  ));
}
