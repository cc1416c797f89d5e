import { type ReactNode, useState } from "react";
import { plural } from "../../../app/format/quantity.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowActions } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { WebhookRow } from "../data/rows.ts";
import { sayServerSentence } from "../data/server-sentences.ts";
import { hrefOf } from "../shell/route.ts";
import { ConfirmChange, type Confirmed, type WebhookChanges } from "./ConfirmChange.tsx";
import { webhookState } from "./webhook-words.ts";

type Props = {
  /** Undefined while they load. */
  readonly webhooks: readonly WebhookRow[] | undefined;
  /** Null for members who may only look. */
  readonly changes: WebhookChanges | null;
  readonly onAdd: (() => void) | null;
};

export function WebhooksView({ webhooks, changes, onAdd }: Props): ReactNode {
  const [confirmed, setConfirmed] = useState<Confirmed | null>(null);
  return (
    <Card
      flush
      title="Webhooks"
      aside={
        onAdd === null ? null : (
          <Button look="primary" size="sm" onClick={onAdd}>
            Add webhook
          </Button>
        )
      }
    >
      <Table
        label="Webhooks"
        columns={changes === null ? columns : [...columns, actionsOf(changes, setConfirmed)]}
        rows={webhooks}
        keyOf={({ webhookId }) => webhookId}
        empty={
          <Empty title="No webhooks yet">
            A webhook is told when a batch or a job ends, when something needs attention, and when a budget is
            nearly used up. So no program has to ask again and again.
          </Empty>
        }
      />
      {confirmed === null || changes === null ? null : (
        <ConfirmChange confirmed={confirmed} changes={changes} onClose={() => setConfirmed(null)} />
      )}
    </Card>
  );
}

const columns: readonly Column<WebhookRow>[] = [
  {
    key: "name",
    title: "Webhook",
    cell: ({ webhookId, name, url }) => (
      <div className="min-w-0">
        <a href={hrefOf("webhooks", webhookId)} className="font-medium text-accent hover:underline">
          {name}
        </a>
        <p className="text-xs wrap-anywhere text-muted">{url}</p>
      </div>
    ),
  },
  {
    key: "events",
    title: "Events",
    cell: ({ events, key }) => (
      <div className="min-w-0">
        <p className="wrap-anywhere">{events.join(", ")}</p>
        {key === null ? null : <p className="text-xs text-muted">Only of {key.name}</p>}
      </div>
    ),
  },
  {
    key: "state",
    title: "State",
    width: "w-44",
    cell: (webhook) => <StateCell webhook={webhook} />,
  },
];

function StateCell({ webhook }: { readonly webhook: WebhookRow }): ReactNode {
  const { tone, words } = webhookState(webhook);
  const { last, retrying } = webhook;
  return (
    <div>
      <Badge tone={tone} dot>
        {words}
      </Badge>{" "}
      {last === null ? null : <RelativeTime at={last.at} />}
      {last?.error === null || last === null ? null : (
        <p className="text-xs wrap-anywhere text-muted">{sayServerSentence(last.error)}</p>
      )}
      {retrying === 0 ? null : (
        <p className="text-xs text-muted">
          {plural(retrying, ["# delivery is tried again", "# deliveries are tried again"])}
        </p>
      )}
    </div>
  );
}

function actionsOf(
  { onTest, onEdit, onEnable }: WebhookChanges,
  confirm: (confirmed: Confirmed) => void,
): Column<WebhookRow> {
  return actionColumn("w-40", (webhook) => (
    <RowActions
      row={webhook.name}
      main={
        webhook.disabled === null
          ? { verb: "Send a test", object: `to ${webhook.name}`, onClick: () => onTest(webhook) }
          : { verb: "Enable", object: webhook.name, onClick: () => onEnable(webhook) }
      }
      more={[
        { verb: "Change", onClick: () => onEdit(webhook) },
        { verb: "Replace the secret", onClick: () => confirm({ webhook, change: "secret" }) },
        ...(webhook.disabled === null
          ? [{ verb: "Disable", onClick: () => confirm({ webhook, change: "disable" }) }]
          : []),
        { verb: "Remove", onClick: () => confirm({ webhook, change: "remove" }) },
      ]}
    />
  ));
}
