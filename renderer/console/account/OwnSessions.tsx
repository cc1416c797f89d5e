import type { ReactNode } from "react";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import type { SessionRow } from "../data/rows.ts";
import { SessionsTable } from "./SessionsTable.tsx";

type Props = {
  readonly sessions: readonly SessionRow[] | undefined;
  readonly current: SessionRow["sessionId"];
  readonly onEnd: (session: SessionRow) => void;
  readonly onEndOthers: () => void;
};

/** The member's own sessions. Signing out ends this one. */
export function OwnSessions({ sessions, current, onEnd, onEndOthers }: Props): ReactNode {
  const others = sessions?.filter(({ sessionId }) => sessionId !== current) ?? [];
  return (
    <Card
      flush
      title="Your sessions"
      aside={
        others.length === 0 ? null : (
          <Button size="sm" onClick={onEndOthers}>
            End all others
          </Button>
        )
      }
    >
      <SessionsTable sessions={sessions} current={current} empty={null} onEnd={onEnd} />
    </Card>
  );
}
