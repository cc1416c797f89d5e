import { type ReactNode, useState } from "react";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { useNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { CodeRow } from "../data/rows.ts";
import { codeState } from "./code-state.ts";

type Props = {
  readonly codes: readonly CodeRow[] | undefined;
  readonly onCreate: () => void;
  readonly onRevoke: (code: CodeRow) => void;
};

export function CodesView({ codes, onCreate, onRevoke }: Props): ReactNode {
  const now = useNow();
  const [revoking, setRevoking] = useState<CodeRow | null>(null);
  return (
    <Card
      flush
      title="Codes that devices join with"
      aside={
        <Button look="primary" size="sm" onClick={onCreate}>
          New code
        </Button>
      }
    >
      {codes === undefined ? (
        <SkeletonRows />
      ) : codes.length === 0 ? (
        <Empty title="No enrollment codes yet">
          A donor enters a code in Gleaner's window. Their computer then joins your organization.
        </Empty>
      ) : (
        <Table
          label="Enrollment codes"
          columns={columns(now, setRevoking)}
          rows={codes}
          keyOf={(code) => code.codeId}
        />
      )}
      <Confirm
        open={revoking !== null}
        title={`Revoke ${revoking?.label ?? "this code"}?`}
        action="Revoke"
        danger
        onConfirm={() => {
          if (revoking !== null) onRevoke(revoking);
        }}
        onClose={() => setRevoking(null)}
      >
        Nobody can join with it anymore. Devices that joined with it stay.
      </Confirm>
    </Card>
  );
}

function columns(now: number, revoke: (code: CodeRow) => void): readonly Column<CodeRow>[] {
  return [
    { key: "label", title: "Label", cell: (code) => <span className="font-medium">{code.label}</span> },
    {
      key: "used",
      title: "Used",
      align: "right",
      width: "w-28",
      cell: (code) => `${code.used} of ${code.uses}`,
    },
    { key: "made", title: "Made", width: "w-28", cell: (code) => <RelativeTime at={code.createdAt} /> },
    { key: "expires", title: "Expires", width: "w-28", cell: (code) => <RelativeTime at={code.expiresAt} /> },
    {
      key: "state",
      title: "State",
      width: "w-32",
      cell: (code) => <Badge tone={codeState(code, now).tone}>{codeState(code, now).words}</Badge>,
    },
    {
      key: "actions",
      title: "",
      align: "right",
      width: "w-24",
      cell: (code) =>
        codeState(code, now).open ? (
          <Button size="sm" look="quiet" aria-label={`Revoke ${code.label}`} onClick={() => revoke(code)}>
            Revoke
          </Button>
        ) : null,
    },
  ];
}
