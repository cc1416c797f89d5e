import { usePaginatedQuery } from "convex/react";
import type { ReactNode } from "react";
import { actionWords } from "../../../app/audit.ts";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import { cx } from "../../ui/cx.ts";
import { Empty } from "../../ui/Empty.tsx";
import { LoadMore } from "../../ui/LoadMore.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { AuditRow } from "../data/rows.ts";
import { useSession } from "../data/session-context.ts";

const pageSize = 50;

export function AuditPage(): ReactNode {
  const session = useSession();
  const { results, status, loadMore } = usePaginatedQuery(
    api.console.audit.list,
    { session },
    { initialNumItems: pageSize },
  );
  return (
    <AuditView
      rows={status === "LoadingFirstPage" ? undefined : results}
      onMore={status === "CanLoadMore" ? () => loadMore(pageSize) : null}
      loadingMore={status === "LoadingMore"}
    />
  );
}

type Props = {
  readonly rows: readonly AuditRow[] | undefined;
  readonly onMore: (() => void) | null;
  readonly loadingMore: boolean;
};

export function AuditView({ rows, onMore, loadingMore }: Props): ReactNode {
  return (
    <Card flush>
      <Table
        label="Audit trail"
        columns={columns}
        rows={rows}
        keyOf={(row) => `${row.at} ${row.action} ${row.subject}`}
        empty={<Empty title="No entries yet">The actions of administrators and devices appear here.</Empty>}
      />
      <LoadMore onMore={onMore} loading={loadingMore} />
    </Card>
  );
}

const columns: readonly Column<AuditRow>[] = [
  { key: "at", title: "Time", width: "w-28", cell: (row) => <RelativeTime at={row.at} /> },
  { key: "actor", title: "By", width: "w-36", cell: ({ by }) => by },
  {
    key: "action",
    title: "Action",
    width: "w-60",
    cell: (row) => <span className="font-medium whitespace-nowrap">{actionWords(row.action)}</span>,
  },
  {
    key: "subject",
    title: "Details",
    cell: (row) => (
      <div className="min-w-48">
        {row.name === null ? null : <p className="line-clamp-2 wrap-anywhere">{row.name}</p>}
        <p className={cx("break-all text-muted", row.name !== null && "font-mono text-xs select-all")}>
          {row.subject}
        </p>
        {row.detail === null ? null : <p className="text-xs break-words text-muted">{row.detail}</p>}
      </div>
    ),
  },
];
