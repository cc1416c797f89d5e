import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { api } from "../../../convex/_generated/api.js";
import { LanguageCard } from "../../ui/controls/LanguageCard.tsx";
import type { SessionRow } from "../data/rows.ts";
import { useAct, useMe, useSession } from "../data/session-context.ts";
import { OwnSessions } from "./OwnSessions.tsx";
import { Profile } from "./Profile.tsx";
import { SecurityCards } from "./SecurityCards.tsx";

type Props = {
  readonly sessionId: SessionRow["sessionId"];
  readonly onSignOut: () => void;
};

/** The signed-in member's own name, roles and sessions. */
export function AccountPage({ sessionId, onSignOut }: Props): ReactNode {
  const session = useSession();
  const me = useMe();
  const sessions = useQuery(api.console.account.sessions, { session });
  const change = useAct(api.console.account.change);
  const end = useAct(api.console.account.endSession);
  const endOthers = useAct(api.console.account.endOtherSessions);
  return (
    <>
      <Profile
        key={`${me.name} ${me.email ?? ""}`}
        member={me}
        onSave={(changed) => change(changed, "Your account was saved.")}
        onSignOut={onSignOut}
      />
      <SecurityCards />
      <LanguageCard place="browser">
        <p className="mt-1 text-xs text-muted">
          Mails to you are in the language in which you last used this console.
        </p>
      </LanguageCard>
      <OwnSessions
        sessions={sessions}
        current={sessionId}
        onEnd={(ended) => void end({ sessionId: ended.sessionId }, "The session was ended.")}
        onEndOthers={() => void endOthers({}, "All other sessions were ended.")}
      />
    </>
  );
}
