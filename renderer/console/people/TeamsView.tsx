import { type ReactNode, useState } from "react";
import { Card } from "../../ui/Card.tsx";
import { useNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowActions } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { TeamRow } from "../data/rows.ts";
import { allowanceNote, grantColumn, type GrantOf, statementColumn } from "../grants/grant-cells.tsx";
import { type GrantActions, grantEntries } from "../grants/use-grants.tsx";

export type TeamActions = Readonly<
  Record<"create", () => void> & Record<"members" | "rename" | "remove", (team: TeamRow) => void>
>;

type Props = {
  readonly teams: readonly TeamRow[] | undefined;
  /** Null for those who only read. */
  readonly actions: TeamActions | null;
  readonly grantOf: GrantOf<TeamRow>;
  readonly grantActions: GrantActions | null;
  /** Null for those who do not see all money. */
  readonly onStatement: ((team: TeamRow) => void) | null;
};

function columnsOf({ teams = [], grantOf }: Props): readonly Column<TeamRow>[] {
  return [
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
    grantColumn(teams, grantOf),
  ];
}

export function TeamsView(props: Props): ReactNode {
  const { teams, actions, grantOf, grantActions, onStatement } = props;
  const now = useNow();
  const [removing, setRemoving] = useState<TeamRow | null>(null);
  const columns = columnsOf(props);
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
            ? onStatement === null
              ? columns
              : [...columns, statementColumn<TeamRow>(({ name }) => name, onStatement)]
            : [
                ...columns,
                actionColumn<TeamRow>("w-max", (team) => (
                  <RowActions
                    row={team.name}
                    main={{
                      verb: "Members",
                      object: `of ${team.name}`,
                      onClick: () => actions.members(team),
                    }}
                    more={[
                      { verb: "Rename", onClick: () => actions.rename(team) },
                      ...grantEntries(grantActions, {
                        id: team.teamId,
                        name: team.name,
                        grant: grantOf(team),
                      }),
                      ...(onStatement === null
                        ? []
                        : [{ verb: "Statement", onClick: () => onStatement(team) }]),
                      { verb: "Remove", onClick: () => setRemoving(team) },
                    ]}
                  />
                )),
              ]
        }
        rows={teams}
        keyOf={({ teamId }) => teamId}
        detail={(team) => allowanceNote(grantOf(team), now)}
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
          Its members can give its credits to one of its keys, and you can take back given ones. Then hand its
          keys and devices over.
        </Confirm>
      )}
    </Card>
  );
}
