import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Button } from "../../ui/controls/Button.tsx";
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
      <DialogActions>
        {(sessions?.length ?? 0) > 1 ? (
          <Button onClick={() => void endAll({ memberId }, `All sessions of ${name} were ended.`)}>
            End all sessions
          </Button>
        ) : null}
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}
