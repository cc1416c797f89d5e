import type { ReactNode } from "react";
import { Card } from "../../ui/Card.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { PolicyVersion } from "../data/rows.ts";

type Props = {
  readonly versions: readonly PolicyVersion[];
  /** False while there are unsaved changes, which a restored version would overwrite. */
  readonly canRestore: boolean;
  /** Null for those who may not restore one. */
  readonly onRestore: ((version: number) => void) | null;
};

/** The saved versions of the rules, newest first. */
export function Versions({ versions, canRestore, onRestore }: Props): ReactNode {
  return (
    <Card flush title="Version history">
      <Table
        label="Version history"
        columns={columns(versions[0]?.version ?? 0, canRestore, onRestore)}
        rows={versions}
        keyOf={({ version }) => String(version)}
        empty={
          <Empty title="No changes yet">
            Each save appears here with its author and its changes. You can restore each version.
          </Empty>
        }
      />
    </Card>
  );
}

function columns(
  current: number,
  canRestore: boolean,
  onRestore: Props["onRestore"],
): readonly Column<PolicyVersion>[] {
  return [
    { key: "version", title: "Version", width: "w-20", cell: ({ version }) => version },
    { key: "at", title: "Time", width: "w-28", cell: ({ at }) => <RelativeTime at={at} /> },
    { key: "by", title: "By", width: "w-32", cell: ({ by }) => by },
    {
      key: "changes",
      title: "Changes",
      cell: ({ changes }) => (
        <ul className="grid gap-0.5 sm:min-w-60">
          {changes.map((change) => (
            <li key={change}>{change}</li>
          ))}
        </ul>
      ),
    },
    {
      key: "reason",
      title: "Reason",
      width: "w-56",
      cell: ({ reason }) => (reason === null ? <span className="text-faint">–</span> : reason),
    },
    actionColumn("w-20", ({ version }) =>
      version === current ? (
        <span className="text-muted">Current</span>
      ) : onRestore === null ? null : (
        <RowAction
          verb="Restore"
          object={`version ${String(version)}`}
          disabled={!canRestore}
          onClick={() => onRestore(version)}
        />
      ),
    ),
  ];
}
