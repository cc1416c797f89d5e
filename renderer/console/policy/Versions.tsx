import type { ReactNode } from "react";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import { actorWords } from "../audit/audit-words.ts";
import type { PolicyVersion } from "../data/rows.ts";

type Props = {
  readonly versions: readonly PolicyVersion[];
  /** Whether there are unsaved changes. Then no version can be restored. */
  readonly canRestore: boolean;
  readonly onRestore: (version: number) => void;
};

/** The latest versions, newest first. Earlier ones can be restored. */
export function Versions({ versions, canRestore, onRestore }: Props): ReactNode {
  return (
    <Card flush title="Earlier versions">
      {versions.length === 0 ? (
        <Empty title="No changes yet">
          Each save appears here, with its author and its changes. You can undo it.
        </Empty>
      ) : (
        <Table
          label="Earlier versions"
          columns={columns(versions[0]?.version ?? 0, canRestore, onRestore)}
          rows={versions}
          keyOf={({ version }) => String(version)}
        />
      )}
    </Card>
  );
}

function columns(
  current: number,
  canRestore: boolean,
  onRestore: (version: number) => void,
): readonly Column<PolicyVersion>[] {
  return [
    { key: "version", title: "Version", width: "w-20", cell: ({ version }) => version },
    { key: "at", title: "When", width: "w-28", cell: ({ at }) => <RelativeTime at={at} /> },
    { key: "actor", title: "Who", width: "w-32", cell: ({ actor }) => actorWords(actor) },
    {
      key: "changes",
      title: "What changed",
      cell: ({ changes }) => (
        <ul className="grid min-w-60 gap-0.5">
          {changes.map((change) => (
            <li key={change}>{change}</li>
          ))}
        </ul>
      ),
    },
    {
      key: "restore",
      title: "",
      align: "right",
      width: "w-28",
      cell: ({ version }) =>
        version === current ? (
          <span className="text-muted">In force</span>
        ) : (
          <Button
            size="sm"
            look="quiet"
            disabled={!canRestore}
            aria-label={`Restore version ${String(version)}`}
            onClick={() => onRestore(version)}
          >
            Restore
          </Button>
        ),
    },
  ];
}
