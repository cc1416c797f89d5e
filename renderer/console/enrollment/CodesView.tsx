import { type ReactNode, useState } from "react";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { useNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { CodeRow } from "../data/rows.ts";
import { OwnerWords } from "../owners/OwnerWords.tsx";
import { codeState } from "./code-state.ts";

type Props = {
  readonly codes: readonly CodeRow[] | undefined;
  /** Null for those who may not change codes. */
  readonly onCreate: (() => void) | null;
  /** Shows the code's devices. */
  readonly onOpen: (code: CodeRow) => void;
  readonly onRevoke: ((code: CodeRow) => void) | null;
};

export function CodesView({ codes, onCreate, onOpen, onRevoke }: Props): ReactNode {
  const now = useNow();
  const [revoking, setRevoking] = useState<CodeRow | null>(null);
  return (
    <Card
      flush
      title="Codes for new devices"
      aside={
        onCreate === null ? null : (
          <Button look="primary" size="sm" onClick={onCreate}>
            New code
          </Button>
        )
      }
    >
      <Table
        label="Enrollment codes"
        columns={columns(now, onOpen, onRevoke === null ? null : setRevoking)}
        rows={codes}
        keyOf={(code) => code.codeId}
        empty={
          <Empty title="No enrollment codes yet">
            A donor enters a code in Gleaner's window. Their computer then joins your organization.
          </Empty>
        }
      />
      {revoking === null || onRevoke === null ? null : (
        <Confirm
          title={`Revoke the code for ${revoking.label}?`}
          action="Revoke"
          danger
          onConfirm={() => onRevoke(revoking)}
          onClose={() => setRevoking(null)}
        >
          No more devices can join with this code. Devices that joined with it stay. To retire them, too, open
          the code’s devices.
        </Confirm>
      )}
    </Card>
  );
}

function columns(
  now: number,
  open: (code: CodeRow) => void,
  revoke: ((code: CodeRow) => void) | null,
): readonly Column<CodeRow>[] {
  return [
    {
      key: "label",
      title: "Label",
      cell: (code) => (
        <div className="min-w-36 wrap-anywhere">
          <p className="line-clamp-2 font-medium" title={code.label}>
            {code.label}
          </p>
          {code.needsApproval ? <p className="text-xs text-muted">You approve each device.</p> : null}
        </div>
      ),
    },
    { key: "owner", title: "Devices belong to", cell: ({ owner }) => <OwnerWords owner={owner} /> },
    {
      key: "used",
      title: "Used",
      align: "right",
      width: "w-28",
      cell: (code) => `${code.used} of ${code.uses}`,
    },
    {
      key: "created",
      title: "Created",
      width: "w-28",
      cell: (code) => <RelativeTime at={code.createdAt} />,
    },
    { key: "expires", title: "Expires", width: "w-28", cell: (code) => <RelativeTime at={code.expiresAt} /> },
    {
      key: "status",
      title: "Status",
      width: "w-32",
      cell: (code) => <Badge tone={codeState(code, now).tone}>{codeState(code, now).words}</Badge>,
    },
    actionColumn("w-36", (code) => (
      <>
        {code.used === 0 ? null : (
          <RowAction verb="Devices" object={`of ${code.label}`} onClick={() => open(code)} />
        )}
        {codeState(code, now).active && revoke !== null ? (
          <RowAction verb="Revoke" object={code.label} onClick={() => revoke(code)} />
        ) : null}
      </>
    )),
  ];
}
