import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import type { WebhookRow } from "../data/rows.ts";
import { useAct, useLongAct, useScope, useSession } from "../data/session-context.ts";
import { ShownOnce } from "../secrets/ShownOnce.tsx";
import { useRoute } from "../shell/route.ts";
import { WebhookDialog } from "./WebhookDialog.tsx";
import { WebhookPage } from "./WebhookPage.tsx";
import { WebhooksView } from "./WebhooksView.tsx";

/** Addresses that are told of events, and what was sent to them. */
export function WebhooksPage(): ReactNode {
  const session = useSession();
  const { id } = useRoute();
  const webhooks = useQuery(api.console.webhooks.endpoints.list, { session });
  const mayChange = useScope("webhooks.change") !== null;
  const seesKeys = useScope("keys.read") !== null;
  const keys = useQuery(api.console.keys.names, seesKeys ? { session } : "skip");
  const add = useLongAct(api.console.webhooks.endpoints.add);
  const change = useAct(api.console.webhooks.endpoints.change);
  const remove = useAct(api.console.webhooks.endpoints.remove);
  const test = useAct(api.console.webhooks.endpoints.test);
  const setEnabled = useAct(api.console.webhooks.endpoints.setEnabled);
  const replaceSecret = useLongAct(api.console.webhooks.endpoints.replaceSecret);
  const [secret, setSecret] = useState<string | null>(null);
  const [edited, setEdited] = useState<WebhookRow | "new" | null>(null);
  const changes = mayChange
    ? {
        onEdit: setEdited,
        onTest: ({ webhookId }: WebhookRow) => void test({ webhookId }, "A test is on its way."),
        onEnable: ({ webhookId }: WebhookRow) =>
          void setEnabled({ webhookId, enabled: true }, "The webhook is enabled."),
        onDisable: ({ webhookId }: WebhookRow) =>
          void setEnabled({ webhookId, enabled: false }, "The webhook is disabled."),
        onReplaceSecret: ({ webhookId }: WebhookRow) =>
          void replaceSecret({ webhookId }, (made) => {
            setSecret(made.secret);
            return undefined;
          }),
        onRemove: ({ webhookId }: WebhookRow) => void remove({ webhookId }, "The webhook was removed."),
      }
    : null;
  return (
    <>
      {id === null ? (
        <WebhooksView
          webhooks={webhooks}
          changes={changes}
          onAdd={mayChange ? () => setEdited("new") : null}
        />
      ) : (
        <WebhookPage
          key={id}
          webhook={webhooks?.find(({ webhookId }) => webhookId === id)}
          isMissing={webhooks?.every(({ webhookId }) => webhookId !== id) === true}
          changes={changes}
        />
      )}
      {edited === null ? null : (
        <WebhookDialog
          webhook={edited === "new" ? null : edited}
          keys={(keys ?? []).map(({ keyId, name }) => ({ value: keyId, label: name }))}
          onSave={async (settings) =>
            edited === "new"
              ? await add(settings, (made) => {
                  setSecret(made.secret);
                  return undefined;
                })
              : await change({ webhookId: edited.webhookId, ...settings }, "The webhook was changed.")
          }
          onClose={() => setEdited(null)}
        />
      )}
      {secret === null ? null : (
        <Dialog title="Signing secret of the webhook" onClose={() => setSecret(null)}>
          <ShownOnce secret={secret} name="secret" onDone={() => setSecret(null)}>
            Each message is signed as Standard Webhooks describes. The receiver checks with this secret that
            it is from Gleaner, for example with <code>client.webhooks.unwrap</code> of OpenAI’s package.
          </ShownOnce>
        </Dialog>
      )}
    </>
  );
}
