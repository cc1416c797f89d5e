import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { api } from "../../../convex/_generated/api.js";
import { useAct, useLongAct, useScope, useSession } from "../data/session-context.ts";
import { AddRecipient } from "./AddRecipient.tsx";
import { RecipientsView } from "./RecipientsView.tsx";

/** Members that are told once when something needs attention, and once when it does not anymore. */
export function AlertsPage(): ReactNode {
  const session = useSession();
  const mayChange = useScope("alerts.change") !== null;
  const mails = useQuery(api.console.alerts.mails, { session });
  const addMail = useLongAct(api.console.alerts.addMail);
  const removeMail = useAct(api.console.alerts.removeMail);
  const testMail = useAct(api.console.alerts.testMail);
  return (
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
  );
}
