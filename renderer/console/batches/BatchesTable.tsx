import type { ReactNode } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { columnCredits, formatExactCredits } from "../../../app/money/credits.ts";
import { Badge } from "../../ui/Badge.tsx";
import { useNow } from "../../ui/clock.ts";
import { ProgressBar } from "../../ui/ProgressBar.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { BatchSummary } from "../data/rows.ts";
import { hrefOf } from "../shell/route.ts";
import { batchWaitWords, endedOf, nameOf, progressWords, requestWords, stateOf } from "./batch-words.ts";

type Props = {
  readonly batches: readonly BatchSummary[] | undefined;
  readonly empty?: ReactNode;
  /** Hides the columns that only the batches page has room for. */
  readonly compact?: boolean;
};

export function BatchesTable({ batches, empty, compact = false }: Props): ReactNode {
  const columns = columnsOf(columnCredits((batches ?? []).map(({ priceMicro }) => priceMicro)));
  return (
    <Table
      label="Batches"
      columns={compact ? columns.filter(({ key }) => !wide.includes(key)) : columns}
      rows={batches}
      keyOf={({ batchId }) => batchId}
      empty={empty}
    />
  );
}

const wide: readonly string[] = ["failed", "cost", "created"];

const nameLook = "block max-w-44 truncate 2xl:max-w-80";

const columnsOf = (credits: (micro: bigint) => string): readonly Column<BatchSummary>[] => [
  {
    key: "batch",
    title: "Batch",
    cell: (batch) => (
      <div className="min-w-28">
        <a
          href={hrefOf("batches", batch.batchId)}
          title={nameOf(batch)}
          className={`${nameLook} font-medium hover:text-accent hover:underline`}
        >
          {nameOf(batch)}
        </a>
        <p className="text-xs text-muted">{requestWords(batch)}</p>
      </div>
    ),
  },
  {
    key: "key",
    title: "API key",
    cell: ({ keyId, keyName }) =>
      keyId === null ? (
        <span className={nameLook} title={keyName}>
          {keyName}
        </span>
      ) : (
        <a
          href={hrefOf("keys", keyId)}
          title={keyName}
          className={`${nameLook} hover:text-accent hover:underline`}
        >
          {keyName}
        </a>
      ),
  },
  { key: "status", title: "Status", width: "w-48", cell: (batch) => <Status batch={batch} /> },
  {
    key: "progress",
    title: "Progress",
    width: "w-40",
    cell: (batch) => <Progress batch={batch} />,
  },
  {
    key: "failed",
    title: "Failed",
    align: "right",
    width: "w-16",
    cell: ({ failed }) => formatCount(failed),
  },
  {
    key: "cost",
    title: "Cost",
    align: "right",
    width: "w-24",
    cell: ({ priceMicro }) =>
      priceMicro === null ? (
        <span className="text-muted">–</span>
      ) : (
        <span title={`${formatExactCredits(priceMicro)} credits`}>{credits(priceMicro)}</span>
      ),
  },
  {
    key: "created",
    title: "Created",
    width: "w-24",
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  {
    key: "end",
    title: "Time of end",
    width: "w-28",
    cell: ({ endedAt, expiresAt }) =>
      endedAt === null ? (
        <div className="whitespace-nowrap">
          <RelativeTime at={expiresAt} />
          <p className="text-xs text-muted">at the latest</p>
        </div>
      ) : (
        <RelativeTime at={endedAt} />
      ),
  },
];

/** A bar, and the numbers below it. */
function Progress({ batch }: { readonly batch: BatchSummary }): ReactNode {
  if (batch.total === 0) return <span className="text-muted">–</span>;
  return (
    <div className="grid min-w-28 gap-1">
      <ProgressBar label={`Progress of ${nameOf(batch)}`} share={endedOf(batch) / batch.total} />
      <span className="text-xs whitespace-nowrap text-muted">{progressWords(batch)}</span>
    </div>
  );
}

/** The state, and below it why the batch waits. */
function Status({ batch }: { readonly batch: BatchSummary }): ReactNode {
  const { tone, words } = stateOf(batch);
  const now = useNow();
  return (
    <div className="max-w-56 min-w-24">
      <Badge tone={tone} dot busy={batch.status === "in_progress" && batch.wait === null}>
        {words}
      </Badge>
      {batch.wait === null ? null : <p className="text-xs text-muted">{batchWaitWords(batch.wait, now)}</p>}
    </div>
  );
}
