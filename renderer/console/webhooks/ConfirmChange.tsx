import type { ReactNode } from "react";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import type { WebhookRow } from "../data/rows.ts";

export type WebhookChanges = {
  readonly onEdit: (webhook: WebhookRow) => void;
  readonly onTest: (webhook: WebhookRow) => void;
  readonly onEnable: (webhook: WebhookRow) => void;
  readonly onDisable: (webhook: WebhookRow) => void;
  readonly onReplaceSecret: (webhook: WebhookRow) => void;
  readonly onRemove: (webhook: WebhookRow) => void;
};

/** A change that cannot be undone without work, before somebody confirms it. */
export type Confirmed = {
  readonly webhook: WebhookRow;
  readonly change: "disable" | "secret" | "remove";
};

type Props = {
  readonly confirmed: Confirmed;
  readonly changes: Pick<WebhookChanges, "onDisable" | "onReplaceSecret" | "onRemove">;
  readonly onClose: () => void;
};

export function ConfirmChange({ confirmed: { webhook, change }, changes, onClose }: Props): ReactNode {
  if (change === "disable")
    return (
      <Confirm
        title={`Disable ${webhook.name}?`}
        action="Disable"
        onConfirm={() => changes.onDisable(webhook)}
        onClose={onClose}
      >
        It gets nothing until somebody enables it. Deliveries that wait go on then. New events are only
        counted.
      </Confirm>
    );
  if (change === "secret")
    return (
      <Confirm
        title={`Replace the secret of ${webhook.name}?`}
        action="Replace"
        onConfirm={() => changes.onReplaceSecret(webhook)}
        onClose={onClose}
      >
        For 24 hours each message has a signature of both secrets. Give the receiver the new one in this time.
      </Confirm>
    );
  return (
    <Confirm
      title={`Remove ${webhook.name}?`}
      action="Remove"
      danger
      onConfirm={() => changes.onRemove(webhook)}
      onClose={onClose}
    >
      {webhook.url} gets no more messages, and the list of its deliveries is deleted.
    </Confirm>
  );
}
