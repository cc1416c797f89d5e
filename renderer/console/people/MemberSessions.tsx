import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Button } from "../../ui/controls/Button.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { Dialog, DialogActions } from "../../ui/overlays/Dialog.tsx";
import { SessionsTable } from "../account/SessionsTable.tsx";
import type { MemberRow } from "../data/rows.ts";
import { useAct, useSession } from "../data/session-context.ts";

type Props = { readonly member: MemberRow; readonly onClose: () => void };

/** The sessions of a member, which an administrator may end. */
export function MemberSessions({ member: { memberId, name }, onClose }: Props): ReactNode {
  const session = useSession();
  const sessions = useQuery(api.console.people.sessions, { session, memberId });
  const endOne = useAct(api.console.people.endSession);
  const reset = useAct(api.console.access.secondFactor.reset);
  const [asksReset, setAsksReset] = useState(false);
  const endAll = useAct(api.console.people.endSessions);
  return (
    <Dialog title={`Sessions of ${name}`} onClose={onClose}>
      <div className="rounded-md border border-line">
        <SessionsTable
          sessions={sessions}
          empty={<p className="p-3 text-muted">{name} is not signed in anywhere.</p>}
          onEnd={({ sessionId }) => void endOne({ sessionId }, `A session of ${name} was ended.`)}
        />
      </div>
      <p className="mt-3 text-muted">
        “End all sessions” also ends sign-ins that {name} has not finished, and links that nobody has used.
      </p>
      <DialogActions>
        <Button look="quiet" onClick={() => setAsksReset(true)}>
          Reset second factor
        </Button>
        <Button onClick={() => void endAll({ memberId }, `All sessions of ${name} were ended.`)}>
          End all sessions
        </Button>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
      {asksReset ? (
        <Confirm
          title={`Reset the second factor of ${name}?`}
          action="Reset"
          danger
          onConfirm={() =>
            void reset({ memberId }, ({ reset: had }) => ({
              words: had ? `The second factor of ${name} was reset.` : `${name} has no second factor.`,
            }))
          }
          onClose={() => setAsksReset(false)}
        >
          Do this if {name} lost the phone and the recovery codes, and you are sure that it is {name} who
          asks. The passkeys of {name} go, too, and all sessions end.
        </Confirm>
      ) : null}
    </Dialog>
  );
}
