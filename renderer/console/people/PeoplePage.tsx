import { usePaginatedQuery, useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import type { Id } from "../../../convex/_generated/dataModel.js";
import type { MemberRow, OwnerId } from "../data/rows.ts";
import { useAct, useLongAct, useMe, useScope, useSession } from "../data/session-context.ts";
import { useEach } from "../data/use-each.ts";
import { useGrantActions, useGrants } from "../grants/use-grants.tsx";
import { OwnerPicker } from "../owners/OwnerPicker.tsx";
import { makeSecret } from "../secrets/make-secret.ts";
import { sha256 } from "../secrets/sha256.ts";
import { linkOf } from "../session/sign-in.ts";
import { hrefOf, useFilter, useRoute } from "../shell/route.ts";
import { IdleTime } from "./IdleTime.tsx";
import { Invitations } from "./Invitations.tsx";
import { InviteDialog } from "./InviteDialog.tsx";
import { MemberDialog } from "./MemberDialog.tsx";
import { MemberSessions } from "./MemberSessions.tsx";
import { type MemberActions, MembersView } from "./MembersView.tsx";
import { OwnerStatement } from "./OwnerStatement.tsx";
import { RemoveMember } from "./RemoveMember.tsx";
import { SignInLink } from "./SignInLink.tsx";
import { Teams } from "./Teams.tsx";

/** Each member listed has queries of their own for what they hold and were given, so a long page opens slowly. */
const pageSize = 25;

type Opened = { readonly dialog: keyof MemberActions; readonly member: MemberRow };

/** The people of the organization, or with an id in the address the statement of a member or a team. */
export function PeoplePage(): ReactNode {
  const { id } = useRoute();
  return id === null ? <People /> : <OwnerStatement owner={id} />;
}

function People(): ReactNode {
  const session = useSession();
  const me = useMe();
  const mayChange = useScope("people.change") !== null;
  const seesStatements = useScope("money.read") === "all";
  const toStatement = (owner: OwnerId): void => window.location.assign(hrefOf("people", owner));
  const mayMakeOwners = me.roles.includes("owner");
  const [search, setSearch] = useFilter("q");
  const { results, status, loadMore } = usePaginatedQuery(
    api.console.people.list,
    search.trim() === "" ? { session } : { session, search },
    { initialNumItems: pageSize },
  );
  const listed = results.map(({ memberId }) => memberId);
  const holdings = useEach(api.console.people.holdings, "memberId", listed);
  const grants = useGrants(listed);
  const { actions: grantActions, dialogs } = useGrantActions("owner");
  const teams = useQuery(api.console.people.teams, { session });
  const invitations = useQuery(api.console.people.invitations, { session });
  const idle = useQuery(api.console.people.idle, { session });
  const setIdle = useAct(api.console.people.setIdle);
  const invite = useAct(api.console.people.invite);
  const mails = useQuery(api.console.access.mail.isReady, { session });
  const mailInvitation = useLongAct(api.console.access.mail.sendInvitation);
  const revoke = useAct(api.console.people.revokeInvitation);
  const change = useAct(api.console.people.change);
  const remove = useAct(api.console.people.remove);
  const setTeams = useAct(api.console.people.setTeams);
  const [isInviting, setIsInviting] = useState(false);
  const [opened, setOpened] = useState<Opened | null>(null);
  const open = (dialog: Opened["dialog"]) => (member: MemberRow) => setOpened({ dialog, member });
  const close = (): void => setOpened(null);
  return (
    <>
      <MembersView
        members={status === "LoadingFirstPage" ? undefined : results}
        teams={teams ?? []}
        holdingsOf={({ memberId }) => holdings.get(memberId)}
        grantOf={({ memberId }) => grants.get(memberId)}
        grantActions={grantActions}
        onStatement={seesStatements ? ({ memberId }) => toStatement(memberId) : null}
        search={search}
        self={me.memberId}
        mayMakeOwners={mayMakeOwners}
        actions={
          mayChange
            ? {
                edit: open("edit"),
                link: open("link"),
                sessions: open("sessions"),
                remove: open("remove"),
              }
            : null
        }
        onSearch={setSearch}
        onInvite={() => setIsInviting(true)}
        onMore={status === "CanLoadMore" ? () => loadMore(pageSize) : null}
        loadingMore={status === "LoadingMore"}
      />
      <Invitations
        invitations={invitations ?? []}
        onRevoke={
          mayChange
            ? ({ invitationId, name }) =>
                void revoke({ invitationId }, `The invitation of ${name} was revoked.`)
            : null
        }
      />
      <Teams
        teams={teams}
        mayChange={mayChange}
        onStatement={seesStatements ? ({ teamId }) => toStatement(teamId) : null}
      />
      {idle === undefined ? null : (
        <IdleTime
          key={idle}
          minutes={idle}
          onSet={mayMakeOwners ? (minutes) => void setIdle({ minutes }, "The idle time was saved.") : null}
        />
      )}
      {isInviting && mails !== undefined ? (
        <InviteDialog
          mayMakeOwners={mayMakeOwners}
          mails={mails}
          onInvite={async (invitee) => {
            const token = makeSecret("gi_");
            const link = linkOf(window.location, "invite", token);
            const made: Id<"invitations">[] = [];
            await invite({ ...invitee, tokenHash: sha256(token) }, ({ invitationId }) => {
              made.push(invitationId);
              return null;
            });
            const [invitationId] = made;
            if (invitationId === undefined) return null;
            const { email } = invitee;
            if (!mails || email === undefined) return { link, mailedTo: null, problem: null };
            const page = window.location.origin + window.location.pathname;
            const answers: (string | null)[] = [];
            await mailInvitation({ invitationId, token, page }, ({ problem }) => {
              answers.push(problem);
              return null;
            });
            const problem = answers.length === 0 ? "The server could not be asked." : (answers[0] ?? null);
            return { link, mailedTo: problem === null ? email : null, problem };
          }}
          onClose={() => setIsInviting(false)}
        />
      ) : null}
      {opened?.dialog === "edit" ? (
        <MemberDialog
          member={opened.member}
          teams={teams ?? []}
          mayMakeOwners={mayMakeOwners}
          onSave={async ({ teamIds, ...changed }) => {
            const { memberId } = opened.member;
            if (!(await change({ memberId, change: changed }))) return false;
            return await setTeams({ memberId, teamIds }, `${changed.name} was saved.`);
          }}
          onClose={close}
        />
      ) : null}
      {opened?.dialog === "remove" ? (
        <RemoveMember
          member={opened.member}
          holdings={holdings.get(opened.member.memberId)}
          grantedMicro={grants.get(opened.member.memberId)?.grantedMicro}
          ownerPicker={(value, onChange) => (
            <OwnerPicker
              label="New owner"
              value={value}
              except={opened.member.memberId}
              onChange={onChange}
            />
          )}
          onRemove={(things) => {
            const { memberId, name } = opened.member;
            return remove({ memberId, ...(things === null ? {} : { things }) }, `${name} was removed.`);
          }}
          onClose={close}
        />
      ) : null}
      {dialogs}
      {opened?.dialog === "link" ? <SignInLink member={opened.member} onClose={close} /> : null}
      {opened?.dialog === "sessions" ? <MemberSessions member={opened.member} onClose={close} /> : null}
    </>
  );
}
