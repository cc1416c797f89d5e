import { usePaginatedQuery } from "convex-helpers/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Empty } from "../../ui/Empty.tsx";
import type { DeliveryRow, WebhookRow } from "../data/rows.ts";
import { useAct, useSession } from "../data/session-context.ts";
import { useFilter } from "../shell/route.ts";
import type { WebhookChanges } from "./ConfirmChange.tsx";
import { WebhookDetails } from "./WebhookDetails.tsx";

const pageSize = 25;

type Props = {
  /** Undefined while it loads. */
  readonly webhook: WebhookRow | undefined;
  readonly isMissing: boolean;
  readonly changes: WebhookChanges | null;
};

/** The page of one webhook: its state and its deliveries. */
export function WebhookPage({ webhook, isMissing, changes }: Props): ReactNode {
  if (isMissing) return <Empty title="There is no such webhook">It may have been removed.</Empty>;
  return webhook === undefined ? null : <LoadedPage webhook={webhook} changes={changes} />;
}

function LoadedPage({
  webhook,
  changes,
}: {
  readonly webhook: WebhookRow;
  readonly changes: WebhookChanges | null;
}): ReactNode {
  const session = useSession();
  const [named, setState] = useFilter("state");
  const [opened, setOpened] = useState<DeliveryRow["deliveryId"] | null>(null);
  const state = (["pending", "delivered", "failed"] as const).find((known) => known === named);
  const { webhookId } = webhook;
  const { results, status, loadMore } = usePaginatedQuery(
    api.console.webhooks.deliveries.list,
    { session, webhookId, ...(state === undefined ? {} : { state }) },
    { initialNumItems: pageSize },
  );
  const resend = useAct(api.console.webhooks.deliveries.resend);
  const resendFailed = useAct(api.console.webhooks.deliveries.resendFailed);
  return (
    <WebhookDetails
      webhook={webhook}
      changes={changes}
      deliveries={status === "LoadingFirstPage" ? undefined : results}
      state={state ?? ""}
      onState={setState}
      opened={opened}
      onOpen={setOpened}
      onMore={status === "CanLoadMore" ? () => loadMore(pageSize) : null}
      loadingMore={status === "LoadingMore"}
      onResend={
        changes === null
          ? null
          : ({ deliveryId }) => void resend({ deliveryId }, "The delivery is on its way again.")
      }
      onResendFailed={
        changes === null
          ? null
          : (since) =>
              void resendFailed({ webhookId, since }, "The failed deliveries are on their way again.")
      }
    />
  );
}
