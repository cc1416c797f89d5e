import { type ReactNode, useState } from "react";
import { formatRelative } from "../../../app/format/time.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { useNow } from "../../ui/clock.ts";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { InvitationRow } from "../data/rows.ts";
import { RoleBadges } from "./RoleBadges.tsx";

type Props = {
  readonly invitations: readonly InvitationRow[];
  /** Null for those who only read. */
  readonly onRevoke: ((invitation: InvitationRow) => void) | null;
};

/** The invitations that nobody has accepted. Without one there is nothing to show. */
export function Invitations({ invitations, onRevoke }: Props): ReactNode {
  const now = useNow();
  const [revoking, setRevoking] = useState<InvitationRow | null>(null);
  const pending = invitations.filter(
    ({ acceptedBy, revokedAt }) => acceptedBy === null && revokedAt === null,
  );
  if (pending.length === 0) return null;
  const shown = columnsOf(now);
  const revoke = actionColumn<InvitationRow>("w-20", (invitation) => (
    <RowAction
      verb="Revoke"
      object={`the invitation of ${invitation.name}`}
      onClick={() => setRevoking(invitation)}
    />
  ));
  return (
    <Card flush title="Pending invitations">
      <Table
        label="Pending invitations"
        columns={onRevoke === null ? shown : [...shown, revoke]}
        rows={pending}
        keyOf={({ invitationId }) => invitationId}
      />
      {revoking === null ? null : (
        <Confirm
          title={`Revoke the invitation of ${revoking.name}?`}
          action="Revoke"
          danger
          onConfirm={() => onRevoke?.(revoking)}
          onClose={() => setRevoking(null)}
        >
          Its link stops working. You can invite {revoking.name} again at any time.
        </Confirm>
      )}
    </Card>
  );
}

const columnsOf = (now: number): readonly Column<InvitationRow>[] => [
  {
    key: "name",
    title: "Name",
    cell: ({ name, email }) => (
      <div className="max-w-72 min-w-40 wrap-anywhere">
        <p className="line-clamp-2 font-medium">{name}</p>
        {email === null ? null : <p className="text-xs text-muted">{email}</p>}
      </div>
    ),
  },
  { key: "roles", title: "Roles", cell: ({ roles }) => <RoleBadges roles={roles} /> },
  {
    key: "created",
    title: "Invited",
    width: "w-28",
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  {
    key: "ends",
    title: "Link ends",
    width: "w-28",
    cell: ({ expiresAt }) =>
      expiresAt <= now ? (
        <Badge tone="hold">Expired</Badge>
      ) : (
        <span className="whitespace-nowrap">{formatRelative(expiresAt - now)}</span>
      ),
  },
];
