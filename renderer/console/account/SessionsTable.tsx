import type { ReactNode } from "react";
import { signInMethodWords } from "../../../app/people/sign-in-methods.ts";
import { Badge } from "../../ui/Badge.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { SessionRow } from "../data/rows.ts";
import { agentWords } from "./agent-words.ts";

type Props = {
  readonly sessions: readonly SessionRow[] | undefined;
  /** The session of this page, which is marked. */
  readonly current?: SessionRow["sessionId"];
  /** Shown without a session. */
  readonly empty: ReactNode;
  /** Null for those who only read. */
  readonly onEnd: ((session: SessionRow) => void) | null;
};

/** Sessions of one member, newest first. */
export function SessionsTable({ sessions, current, empty, onEnd }: Props): ReactNode {
  const end = actionColumn<SessionRow>("w-14", (session) =>
    session.sessionId === current ? null : (
      <RowAction
        verb="End"
        object={`the session in ${agentWords(session.agent)}`}
        onClick={() => onEnd?.(session)}
      />
    ),
  );
  const shown = columnsOf(current);
  return (
    <Table
      label="Sessions"
      columns={onEnd === null ? shown : [...shown, end]}
      rows={sessions}
      keyOf={({ sessionId }) => sessionId}
      empty={empty}
    />
  );
}

const columnsOf = (current: Props["current"]): readonly Column<SessionRow>[] => [
  {
    key: "client",
    title: "Browser",
    cell: ({ sessionId, agent, address }) => (
      <div className="min-w-28">
        <p className="flex flex-wrap items-center gap-1.5 font-medium">
          {agentWords(agent)}
          {sessionId === current ? <Badge tone="good">This session</Badge> : null}
        </p>
        {address === null ? null : <p className="text-xs text-muted">{address}</p>}
      </div>
    ),
  },
  {
    key: "method",
    title: "Signed in by",
    cell: ({ method }) => <>{method === null ? /* @wc-include */ "unknown" : signInMethodWords(method)}</>,
  },
  {
    key: "started",
    title: "Started",
    width: "w-20",
    cell: ({ startedAt }) => <RelativeTime at={startedAt} />,
  },
  { key: "used", title: "Last use", width: "w-20", cell: ({ usedAt }) => <RelativeTime at={usedAt} /> },
];
