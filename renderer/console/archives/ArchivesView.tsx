import type { ReactNode } from "react";
import { formatBytes, formatCount } from "../../../app/format/quantity.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { LoadMore } from "../../ui/LoadMore.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { ArchiveRow } from "../data/rows.ts";
import { fileName, kindWords, monthWords } from "./archive-words.ts";

type Props = {
  /** Undefined while they load. */
  readonly archives: readonly ArchiveRow[] | undefined;
  readonly onDownload: (archive: ArchiveRow) => void;
  /** Null for members who may only look. */
  readonly onRun: (() => void) | null;
  readonly onMore: (() => void) | null;
  readonly loadingMore: boolean;
};

/** The archives of old rows, newest first. */
export function ArchivesView({ archives, onDownload, onRun, onMore, loadingMore }: Props): ReactNode {
  return (
    <Card
      flush
      title="Archives"
      aside={
        onRun === null ? null : (
          <Button size="sm" onClick={onRun}>
            Archive now
          </Button>
        )
      }
    >
      <Table
        label="Archives"
        columns={[
          ...columns,
          actionColumn("w-28", (archive: ArchiveRow) => (
            <RowAction verb="Download" object={fileName(archive)} onClick={() => onDownload(archive)} />
          )),
        ]}
        rows={archives}
        keyOf={({ archiveId }) => archiveId}
        empty={
          <Empty title="No archives yet">
            Months move into archives when they are older than the times below. All of their rows are still in
            the database.
          </Empty>
        }
      />
      <LoadMore onMore={onMore} loading={loadingMore} />
      <p className="border-t border-line px-4 py-2 text-muted">
        What is in an archive is no longer on other pages. Check a file with <code>gleaner verify FILE</code>,
        also without this server.
      </p>
    </Card>
  );
}

const columns: readonly Column<ArchiveRow>[] = [
  { key: "kind", title: "Rows of", cell: ({ kind }) => kindWords(kind) },
  { key: "month", title: "Month", width: "w-24", cell: ({ month }) => monthWords(month) },
  { key: "rows", title: "Rows", align: "right", width: "w-24", cell: ({ rows }) => formatCount(rows) },
  { key: "bytes", title: "Size", align: "right", width: "w-24", cell: ({ bytes }) => formatBytes(bytes) },
  {
    key: "sha256",
    title: "SHA-256",
    cell: ({ sha256 }) => (
      <code className="text-xs" title={sha256}>
        {sha256.slice(0, 16)}…
      </code>
    ),
  },
  { key: "state", title: "State", cell: (archive) => <State archive={archive} /> },
];

function State({ archive: { isDone, problem } }: { readonly archive: ArchiveRow }): ReactNode {
  if (problem !== null) return <span className="font-medium text-bad">{problem}</span>;
  return isDone ? <>Only here</> : <>Rows are moving</>;
}
