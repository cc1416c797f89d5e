import { type ReactNode, useState } from "react";
import { plural } from "../../../app/format/quantity.ts";
import { formatMoment } from "../../../app/format/time.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { useNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import type { WebhookRow } from "../data/rows.ts";
import { hrefOf } from "../shell/route.ts";
import { SubPageHead } from "../shell/SubPageHead.tsx";
import { ConfirmChange, type Confirmed, type WebhookChanges } from "./ConfirmChange.tsx";
import { DeliveriesView, type DeliveriesViewProps } from "./DeliveriesView.tsx";
import { disabledSentence, webhookState } from "./webhook-words.ts";

type Props = DeliveriesViewProps & {
  readonly webhook: WebhookRow;
  /** Null for members who may only look. */
  readonly changes: WebhookChanges | null;
};

/** A webhook with its state, the acts on it and its deliveries. */
export function WebhookDetails({ webhook, changes, ...deliveries }: Props): ReactNode {
  const now = useNow();
  const [confirmed, setConfirmed] = useState<Confirmed | null>(null);
  const { tone, words } = webhookState(webhook);
  const { name, url, events, key, overlapUntil, skipped, full, disabled } = webhook;
  const isOverlap = overlapUntil !== null && overlapUntil > now;
  return (
    <div className="grid grid-cols-1 gap-4">
      <SubPageHead
        back={{ href: hrefOf("webhooks"), words: "Webhooks" }}
        title={name}
        actions={
          changes === null ? undefined : (
            <div className="flex flex-wrap gap-2">
              {disabled === null ? (
                <>
                  <Button size="sm" onClick={() => changes.onTest(webhook)}>
                    Send a test
                  </Button>
                  <Button size="sm" onClick={() => setConfirmed({ webhook, change: "disable" })}>
                    Disable
                  </Button>
                </>
              ) : (
                <Button size="sm" look="primary" onClick={() => changes.onEnable(webhook)}>
                  Enable
                </Button>
              )}
              <Button size="sm" onClick={() => changes.onEdit(webhook)}>
                Change
              </Button>
              <Button size="sm" onClick={() => setConfirmed({ webhook, change: "secret" })}>
                Replace the secret
              </Button>
            </div>
          )
        }
      >
        <Badge tone={tone} dot>
          {words}
        </Badge>
      </SubPageHead>
      <Card title="Settings">
        <div className="grid grid-cols-1 gap-1">
          <p className="wrap-anywhere">{url}</p>
          <p className="text-muted wrap-anywhere">{events.join(", ")}</p>
          {key === null ? null : <p className="text-muted">Only of {key.name}</p>}
          {disabled === null ? null : <p className="text-bad">{disabledSentence(webhook)}</p>}
          {full ? (
            <p className="text-hold">
              The receiver is too slow or fails, so ends of jobs are only counted until it has caught up.
            </p>
          ) : null}
          {skipped === null ? null : (
            <p className="text-muted">
              {plural(skipped.count, [
                "# event was not sent, because the webhook was disabled or too slow.",
                "# events were not sent, because the webhook was disabled or too slow.",
              ])}{" "}
              <RelativeTime at={skipped.at} />
            </p>
          )}
          {isOverlap ? (
            <p className="text-muted">
              The earlier secret signs, too, until {formatMoment(overlapUntil, now)}.
            </p>
          ) : null}
        </div>
      </Card>
      <DeliveriesView {...deliveries} />
      {confirmed === null || changes === null ? null : (
        <ConfirmChange confirmed={confirmed} changes={changes} onClose={() => setConfirmed(null)} />
      )}
    </div>
  );
}
