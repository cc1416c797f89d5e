import { type ReactNode, useState } from "react";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { WebhookRow } from "../data/rows.ts";
import { LastDelivery } from "./LastDelivery.tsx";

type Changes = {
  /** Resolves to false if the server refused. */
  readonly onAdd: (url: string) => Promise<boolean>;
  readonly onTest: (webhook: WebhookRow) => void;
  readonly onRemove: (webhook: WebhookRow) => void;
};

type Props = {
  /** Undefined while they load. */
  readonly webhooks: readonly WebhookRow[] | undefined;
  /** Null for members who may only look. */
  readonly changes: Changes | null;
};

export function AlertsView({ webhooks, changes }: Props): ReactNode {
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<WebhookRow | null>(null);
  return (
    <Card
      flush
      title="Webhooks"
      aside={
        changes === null ? null : (
          <Button size="sm" onClick={() => setAdding(true)}>
            Add webhook
          </Button>
        )
      }
    >
      <Table
        label="Webhooks"
        columns={changes === null ? columns : [...columns, actionsOf(changes, setRemoving)]}
        rows={webhooks}
        keyOf={({ webhookId }) => webhookId}
        empty={
          <Empty title="No webhooks yet">
            A webhook is told once when something needs attention, such as failing devices or jobs that no
            device takes, and once when it is over.
          </Empty>
        }
      />
      {adding && changes !== null ? (
        <AddDialog onAdd={changes.onAdd} onClose={() => setAdding(false)} />
      ) : null}
      {removing === null ? null : (
        <Confirm
          title="Remove the webhook?"
          action="Remove"
          danger
          onConfirm={() => changes?.onRemove(removing)}
          onClose={() => setRemoving(null)}
        >
          {removing.url} gets no more messages.
        </Confirm>
      )}
    </Card>
  );
}

const columns: readonly Column<WebhookRow>[] = [
  {
    key: "url",
    title: "Address",
    cell: ({ url }) => <span className="wrap-anywhere">{url}</span>,
  },
  {
    key: "last",
    title: "Last delivery",
    cell: ({ last }) => <LastDelivery last={last} words="Delivered" />,
  },
  {
    key: "created",
    title: "Added",
    width: "w-28",
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
];

function actionsOf({ onTest }: Changes, remove: (webhook: WebhookRow) => void): Column<WebhookRow> {
  return actionColumn("w-44", (webhook) => (
    <>
      <RowAction verb="Send a test" object={`to ${webhook.url}`} onClick={() => onTest(webhook)} />
      <RowAction verb="Remove" object={webhook.url} onClick={() => remove(webhook)} />
    </>
  ));
}

type AddProps = Pick<Changes, "onAdd"> & { readonly onClose: () => void };

function AddDialog({ onAdd, onClose }: AddProps): ReactNode {
  const [url, setUrl] = useState("");
  return (
    <Dialog title="Add a webhook" onClose={onClose}>
      <DialogForm
        action="Add"
        disabled={url.trim() === ""}
        onSubmit={async () => {
          if (await onAdd(url.trim())) onClose();
        }}
        onClose={onClose}
      >
        <Field
          label="Address"
          type="url"
          hint="It begins with https:// and is not in a private network. The server posts JSON there."
          placeholder="https://"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
