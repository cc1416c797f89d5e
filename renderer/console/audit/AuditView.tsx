import type { ReactNode } from "react";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { AuditRow } from "../data/rows.ts";
import { actionWords, actorWords } from "./audit-words.ts";

type Props = { readonly rows: readonly AuditRow[] | undefined; readonly onMore: (() => void) | null };

export function AuditView({ rows, onMore }: Props): ReactNode {
  if (rows === undefined) {
    return (
      <Card flush>
        <SkeletonRows rows={6} />
      </Card>
    );
  }
  return (
    <Card flush>
      {rows.length === 0 ? (
        <Empty title="Nothing yet">Actions appear here, with their author and time.</Empty>
      ) : (
        <Table
          label="Audit trail"
          columns={columns}
          rows={rows}
          keyOf={(row) => `${row.at} ${row.action} ${row.subject}`}
        />
      )}
      {onMore === null ? null : (
        <div className="border-t border-line p-2 text-center">
          <Button look="quiet" onClick={onMore}>
            Load more
          </Button>
        </div>
      )}
    </Card>
  );
}

const columns: readonly Column<AuditRow>[] = [
  { key: "at", title: "When", width: "w-28", cell: (row) => <RelativeTime at={row.at} /> },
  { key: "actor", title: "Who", width: "w-36", cell: (row) => actorWords(row.actor) },
  {
    key: "action",
    title: "What",
    width: "w-56",
    cell: (row) => <span className="font-medium whitespace-nowrap">{actionWords(row.action)}</span>,
  },
  {
    key: "subject",
    title: "Which",
    cell: (row) => (
      <div className="min-w-48">
        <p className="break-all text-muted">{row.subject}</p>
        {row.detail === null ? null : <p className="text-xs break-words text-muted">{row.detail}</p>}
      </div>
    ),
  },
];
