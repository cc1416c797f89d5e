import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { useAct, useLongAct, useScope, useSession } from "../data/session-context.ts";
import { ShownOnce } from "../secrets/ShownOnce.tsx";
import { AddRecipient } from "./AddRecipient.tsx";
import { AlertsView } from "./AlertsView.tsx";
import { RecipientsView } from "./RecipientsView.tsx";

/** Webhooks and members that are told once when something needs attention, and once when it does not anymore. */
export function AlertsPage(): ReactNode {
  const session = useSession();
  const mayChange = useScope("alerts.change") !== null;
  const webhooks = useQuery(api.console.alerts.list, { session });
  const mails = useQuery(api.console.alerts.mails, { session });
  const addMail = useLongAct(api.console.alerts.addMail);
  const removeMail = useAct(api.console.alerts.removeMail);
  const testMail = useAct(api.console.alerts.testMail);
  const add = useLongAct(api.console.alerts.add);
  const remove = useAct(api.console.alerts.remove);
  const test = useAct(api.console.alerts.test);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <AlertsView
        webhooks={webhooks}
        changes={
          mayChange
            ? {
                onAdd: async (url) =>
                  await add({ url }, ({ secret: made }) => {
                    setSecret(made);
                    return undefined;
                  }),
                onTest: ({ webhookId }) => void test({ webhookId }, "A test is on its way."),
                onRemove: ({ webhookId }) => void remove({ webhookId }, "The webhook was removed."),
              }
            : null
        }
      />
      <RecipientsView
        mails={mails}
        changes={
          mayChange
            ? {
                addDialog: (close) => (
                  <AddRecipient
                    onAdd={async ({ memberId, name }) =>
                      await addMail({ memberId }, `Alerts are mailed to ${name} from now on.`)
                    }
                    onClose={close}
                  />
                ),
                onTest: ({ mailId }) => void testMail({ mailId }, "A test is on its way."),
                onRemove: ({ mailId, name }) =>
                  void removeMail({ mailId }, `Alerts are not mailed to ${name} anymore.`),
              }
            : null
        }
      />
      {secret === null ? null : (
        <Dialog title="Secret of the webhook" onClose={() => setSecret(null)}>
          <ShownOnce secret={secret} name="secret" onDone={() => setSecret(null)}>
            Each message has the header <code>Gleaner-Signature</code>: a time, and the HMAC-SHA256 of time
            and body with this secret. The receiver checks with it that a message is from Gleaner.
          </ShownOnce>
        </Dialog>
      )}
    </>
  );
}
