import type { ReactNode } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { Badge } from "../../ui/Badge.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import type { StatusWords } from "../../ui/status-words.ts";
import { type Column, Table } from "../../ui/Table.tsx";
import type { BatchRow } from "../data/rows.ts";

const states: Readonly<Record<BatchRow["status"], StatusWords>> = {
  open: { tone: "hold", words: "Open" },
  sealed: { tone: "good", words: "Running" },
  done: { tone: "quiet", words: "Done" },
};

export function BatchesTable({ batches }: { readonly batches: readonly BatchRow[] }): ReactNode {
  return <Table label="Batches" columns={columns} rows={batches} keyOf={(batch) => batch.batchId} />;
}

const columns: readonly Column<BatchRow>[] = [
  {
    key: "name",
    title: "Batch",
    cell: ({ batchId, externalId }) => <span className="font-medium break-all">{externalId ?? batchId}</span>,
  },
  {
    key: "status",
    title: "Status",
    width: "w-28",
    cell: ({ status }) => <Badge tone={states[status].tone}>{states[status].words}</Badge>,
  },
  {
    key: "progress",
    title: "Finished",
    align: "right",
    width: "w-36",
    cell: ({ total, succeeded, failed, canceled, expired }) =>
      `${formatCount(succeeded + failed + canceled + expired)} of ${formatCount(total)}`,
  },
  {
    key: "failed",
    title: "Failed",
    align: "right",
    width: "w-24",
    cell: ({ failed, expired }) => formatCount(failed + expired),
  },
  {
    key: "created",
    title: "Created",
    width: "w-28",
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
];
