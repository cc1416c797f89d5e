import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { NameDialog } from "../../ui/overlays/NameDialog.tsx";
import type { TeamRow } from "../data/rows.ts";
import { useAct } from "../data/session-context.ts";
import { useGrantActions, useTeamGrants } from "../grants/use-grants.tsx";
import { TeamMembers } from "./TeamMembers.tsx";
import { TeamsView } from "./TeamsView.tsx";

type Opened =
  { readonly dialog: "create" } | { readonly dialog: "members" | "rename"; readonly team: TeamRow };

type Props = {
  readonly teams: readonly TeamRow[] | undefined;
  readonly mayChange: boolean;
  /** Null for those who do not see all money. */
  readonly onStatement: ((team: TeamRow) => void) | null;
};

/** The teams, and the dialogs that change them. */
export function Teams({ teams, mayChange, onStatement }: Props): ReactNode {
  const create = useAct(api.console.people.createTeam);
  const rename = useAct(api.console.people.renameTeam);
  const remove = useAct(api.console.people.removeTeam);
  const [opened, setOpened] = useState<Opened | null>(null);
  const grants = useTeamGrants();
  const { actions: grantActions, dialogs } = useGrantActions("owner");
  const close = (): void => setOpened(null);
  const actions = {
    create: () => setOpened({ dialog: "create" }),
    members: (team: TeamRow) => setOpened({ dialog: "members", team }),
    rename: (team: TeamRow) => setOpened({ dialog: "rename", team }),
    remove: ({ teamId, name }: TeamRow) => void remove({ teamId }, `The team ${name} was removed.`),
  };
  return (
    <>
      <TeamsView
        teams={teams}
        actions={mayChange ? actions : null}
        grantOf={({ teamId }) => grants.get(teamId)}
        grantActions={grantActions}
        onStatement={onStatement}
      />
      {dialogs}
      {opened?.dialog === "create" ? (
        <NameDialog
          title="New team"
          action="Create team"
          initial=""
          onSave={(name) => create({ name }, `The team ${name} was created.`)}
          onClose={close}
        />
      ) : null}
      {opened?.dialog === "rename" ? (
        <NameDialog
          title={`Rename ${opened.team.name}`}
          action="Rename"
          initial={opened.team.name}
          onSave={(name) => rename({ teamId: opened.team.teamId, name }, `The team is called ${name} now.`)}
          onClose={close}
        />
      ) : null}
      {opened?.dialog === "members" ? <TeamMembers team={opened.team} onClose={close} /> : null}
    </>
  );
}
