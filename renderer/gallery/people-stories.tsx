import { OwnSessions } from "../console/account/OwnSessions.tsx";
import { Profile } from "../console/account/Profile.tsx";
import { SessionsTable } from "../console/account/SessionsTable.tsx";
import { DataClassDialog } from "../console/data-classes/DataClassDialog.tsx";
import { DataClassesView } from "../console/data-classes/DataClassesView.tsx";
import { DataKeyView } from "../console/data-classes/DataKeyView.tsx";
import { ConfirmDeviceView } from "../console/enrollment/ConfirmDevice.tsx";
import { AllowanceDialog } from "../console/grants/AllowanceDialog.tsx";
import { CreditsDialog } from "../console/grants/CreditsDialog.tsx";
import { OwnerSelect } from "../console/owners/OwnerPicker.tsx";
import { IdleTime } from "../console/people/IdleTime.tsx";
import { Invitations } from "../console/people/Invitations.tsx";
import { InviteDialog } from "../console/people/InviteDialog.tsx";
import { MemberDialog } from "../console/people/MemberDialog.tsx";
import { MembersView } from "../console/people/MembersView.tsx";
import { RemoveMember } from "../console/people/RemoveMember.tsx";
import { TeamMembersView } from "../console/people/TeamMembers.tsx";
import { TeamsView } from "../console/people/TeamsView.tsx";
import { OpenInvitation } from "../console/session/Invitation.tsx";
import { LanguageCard } from "../ui/controls/LanguageCard.tsx";
import { Dialog } from "../ui/overlays/Dialog.tsx";
import { NameDialog } from "../ui/overlays/NameDialog.tsx";
import * as rows from "./fixtures/people-rows.ts";
import { inShell, page } from "./in-shell.tsx";
import type { Story } from "./story.ts";

const nothing = (): void => undefined;
const refused = (): Promise<boolean> => Promise.resolve(false);

const search = { search: "", onSearch: nothing, onMore: null } as const;
const memberActions = { edit: nothing, link: nothing, sessions: nothing, remove: nothing } as const;
const grantActions = { changeCredits: nothing, setAllowance: nothing, endAllowance: nothing } as const;
const teamActions = { create: nothing, members: nothing, rename: nothing, remove: nothing } as const;

const confirming = {
  request: { codeHash: "3fa9c1d27b".repeat(7).slice(0, 64), device: "laptop-042" },
  organization: "Northwind Research",
  member: "Ada Brandt",
  onConfirm: refused,
  onSignOut: nothing,
};

/** The pages and dialogs about people. */
export function peopleStories(now: number): readonly Story[] {
  const members = rows.members(now);
  const teams = rows.teams(now);
  const [self] = members;
  const grants = rows.grants(now);
  const ofTeams = {
    onStatement: nothing,
    grantOf: ({ teamId }: { readonly teamId: string }) => grants.get(teamId),
    grantActions,
  };
  const view = {
    ...search,
    members,
    teams,
    holdingsOf: ({ memberId }) => rows.holdings(now).get(memberId),
    grantOf: ({ memberId }) => grants.get(memberId),
    grantActions,
    onStatement: nothing,
    self: self.memberId,
    mayMakeOwners: true,
    actions: memberActions,
    onInvite: nothing,
    loadingMore: false,
  } satisfies Parameters<typeof MembersView>[0];
  return [
    inShell(
      "console-people",
      "people",
      <>
        <MembersView {...view} onMore={nothing} />
        <Invitations invitations={rows.invitations(now)} onRevoke={nothing} />
        <TeamsView {...ofTeams} teams={teams} actions={teamActions} />
        <IdleTime minutes={720} onSet={nothing} />
      </>,
    ),
    inShell(
      "console-people-auditor",
      "people",
      <>
        <MembersView {...view} actions={null} holdingsOf={() => undefined} />
        <Invitations invitations={rows.invitations(now)} onRevoke={null} />
        <TeamsView {...ofTeams} teams={[]} actions={null} />
        <IdleTime minutes={90} onSet={null} />
      </>,
    ),
    inShell("console-people-none", "people", <MembersView {...view} search="nobody" members={[]} />),
    inShell("console-people-loading", "people", <MembersView {...view} members={undefined} />),
    inShell(
      "console-invite",
      "people",
      <InviteDialog mails mayMakeOwners={false} onInvite={() => Promise.resolve(null)} onClose={nothing} />,
    ),
    inShell(
      "console-member",
      "people",
      <MemberDialog member={self} teams={teams} mayMakeOwners onSave={refused} onClose={nothing} />,
    ),
    inShell(
      "console-member-credits",
      "people",
      <CreditsDialog
        of="owner"
        name="Ada Brandt"
        leftMicro={1_204_500_000n}
        onSave={refused}
        onClose={nothing}
      />,
    ),
    inShell(
      "console-member-allowance",
      "people",
      <AllowanceDialog of="owner" name="Ada Brandt" allowance={null} onSave={refused} onClose={nothing} />,
    ),
    inShell(
      "console-member-sessions",
      "people",
      <Dialog title="Sessions of Ada Brandt" onClose={nothing}>
        <SessionsTable sessions={rows.sessions(now)} empty={null} onEnd={nothing} />
      </Dialog>,
    ),
    inShell(
      "console-member-remove",
      "people",
      <RemoveMember
        member={self}
        holdings={rows.holdings(now).get(self.memberId)}
        grantedMicro={rows.grants(now).get(self.memberId)?.grantedMicro}
        ownerPicker={(value, onChange) => (
          <OwnerSelect label="New owner" value={value} owners={rows.owners} onChange={onChange} />
        )}
        onRemove={refused}
        onClose={nothing}
      />,
    ),
    inShell(
      "console-team-members",
      "people",
      <TeamMembersView
        {...search}
        name="Laboratory"
        search="lind"
        members={members.slice(0, 2)}
        others={members.slice(2, 3)}
        loading={false}
        onAdd={nothing}
        onRemove={nothing}
        onClose={nothing}
      />,
    ),
    inShell(
      "console-new-team",
      "people",
      <NameDialog title="New team" action="Create team" initial="" onSave={refused} onClose={nothing} />,
    ),
    inShell(
      "console-account",
      "account",
      <>
        <Profile member={self} onSave={refused} onSignOut={nothing} />
        <LanguageCard place="browser" />
        <OwnSessions
          sessions={rows.sessions(now)}
          current={"s1" as Parameters<typeof OwnSessions>[0]["current"]}
          onEnd={nothing}
          onEndOthers={nothing}
        />
      </>,
    ),
    inShell(
      "console-data-classes",
      "policy",
      <div className="grid gap-4">
        <DataClassesView classes={rows.dataClasses} onSave={nothing} />
        <DataKeyView dataKey={{ state: "on", createdAt: now, destroyedAt: null }} onDestroy={nothing} />
      </div>,
    ),
    inShell(
      "console-data-classes-none",
      "policy",
      <div className="grid gap-4">
        <DataClassesView classes={[]} onSave={nothing} />
        <DataKeyView dataKey={{ state: "locked", createdAt: now, destroyedAt: null }} onDestroy={null} />
      </div>,
    ),
    ...rows.dataClasses
      .slice(2)
      .map((edited) =>
        inShell(
          "console-data-class",
          "policy",
          <DataClassDialog edited={edited} isNew={false} taken={[]} onSave={nothing} onClose={nothing} />,
        ),
      ),
    page(
      "console-invitation",
      <OpenInvitation
        invitation={rows.openInvitation(now)}
        error={null}
        onAccept={() => Promise.resolve()}
      />,
    ),
    page("console-confirm-device", <ConfirmDeviceView {...confirming} />),
    page("console-confirm-device-done", <ConfirmDeviceView {...confirming} initialOutcome="confirmed" />),
    page("console-confirm-device-canceled", <ConfirmDeviceView {...confirming} initialOutcome="canceled" />),
    page("console-confirm-device-role", <ConfirmDeviceView {...confirming} onConfirm={null} />),
  ];
}
