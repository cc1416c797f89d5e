import { type ReactNode, useState } from "react";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { TeamRow } from "../data/rows.ts";

export type TeamActions = Readonly<
  Record<"create", () => void> & Record<"members" | "rename" | "remove", (team: TeamRow) => void>
>;

type Props = {
  readonly teams: readonly TeamRow[] | undefined;
  /** Null for those who only read. */
  readonly actions: TeamActions | null;
};

const columns: readonly Column<TeamRow>[] = [
  {
    key: "name",
    title: "Name",
    cell: ({ name }) => <span className="font-medium wrap-anywhere">{name}</span>,
  },
  {
    key: "created",
    title: "Created",
    width: "w-28",
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
];

export function TeamsView({ teams, actions }: Props): ReactNode {
  const [removing, setRemoving] = useState<TeamRow | null>(null);
  return (
    <Card
      flush
      title="Teams"
      aside={
        actions === null ? null : (
          <Button size="sm" onClick={actions.create}>
            New team
          </Button>
        )
      }
    >
      <Table
        label="Teams"
        columns={
          actions === null
            ? columns
            : [
                ...columns,
                actionColumn<TeamRow>("w-max", (team) => (
                  <>
                    <RowAction
                      verb="Members"
                      object={`of ${team.name}`}
                      onClick={() => actions.members(team)}
                    />
                    <RowAction verb="Rename" object={team.name} onClick={() => actions.rename(team)} />
                    <RowAction verb="Remove" object={team.name} onClick={() => setRemoving(team)} />
                  </>
                )),
              ]
        }
        rows={teams}
        keyOf={({ teamId }) => teamId}
        empty={<Empty title="No teams yet">The members of a team own its keys and devices together.</Empty>}
      />
      {removing === null ? null : (
        <Confirm
          title={`Remove the team ${removing.name}?`}
          action="Remove"
          danger
          onConfirm={() => actions?.remove(removing)}
          onClose={() => setRemoving(null)}
        >
          Its members stay in the organization. A team that has keys, devices or credits cannot be removed.
          Its members can give its credits to one of its keys. Then hand its keys and devices over.
        </Confirm>
      )}
    </Card>
  );
}
