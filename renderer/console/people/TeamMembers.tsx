import { usePaginatedQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { LoadMore } from "../../ui/LoadMore.tsx";
import { Dialog, DialogActions } from "../../ui/overlays/Dialog.tsx";
import { RowAction } from "../../ui/RowAction.tsx";
import type { MemberRow, TeamRow } from "../data/rows.ts";
import { useAct, useSession } from "../data/session-context.ts";

const pageSize = 50;

/** The members of a team, and a search for others who join it. */
export function TeamMembers({
  team: { teamId, name },
  onClose,
}: {
  readonly team: TeamRow;
  readonly onClose: () => void;
}): ReactNode {
  const session = useSession();
  const [search, setSearch] = useState("");
  const size = { initialNumItems: pageSize };
  const members = usePaginatedQuery(api.console.people.teamMembers, { session, teamId }, size);
  const found = usePaginatedQuery(
    api.console.people.list,
    search.trim() === "" ? "skip" : { session, search },
    size,
  );
  const setTeams = useAct(api.console.people.setTeams);
  const { status, loadMore } = members;
  return (
    <TeamMembersView
      name={name}
      members={members.results}
      others={found.results.filter(({ teamIds }) => !teamIds.includes(teamId))}
      search={search}
      onSearch={setSearch}
      onAdd={({ memberId, teamIds, name: member }) =>
        void setTeams({ memberId, teamIds: [...teamIds, teamId] }, `${member} joined ${name}.`)
      }
      onRemove={({ memberId, teamIds, name: member }) =>
        void setTeams({ memberId, teamIds: teamIds.filter((id) => id !== teamId) }, `${member} left ${name}.`)
      }
      onMore={status === "CanLoadMore" ? () => loadMore(pageSize) : null}
      loading={status === "LoadingFirstPage" || status === "LoadingMore"}
      onClose={onClose}
    />
  );
}

type Props = {
  readonly name: string;
  readonly members: readonly MemberRow[];
  /** The members whom the search found and who are not in the team. */
  readonly others: readonly MemberRow[];
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly onAdd: (member: MemberRow) => void;
  readonly onRemove: (member: MemberRow) => void;
  readonly onMore: (() => void) | null;
  readonly loading: boolean;
  readonly onClose: () => void;
};

export function TeamMembersView(props: Props): ReactNode {
  const { name, members, others, search, onSearch, onAdd, onRemove, onMore, loading, onClose } = props;
  return (
    <Dialog title={`Members of ${name}`} onClose={onClose}>
      <div className="grid gap-3">
        <Field
          label="Add somebody"
          type="search"
          placeholder="A name, or the start of an e-mail address"
          value={search}
          onChange={(event) => onSearch(event.target.value)}
        />
        <People label="Found" members={others} verb="Add" onAct={onAdd} />
        {members.length === 0 && !loading && onMore === null ? (
          <p className="text-muted">Nobody is in this team yet.</p>
        ) : null}
        <People label="In the team" members={members} verb="Remove" onAct={onRemove} />
        <LoadMore onMore={onMore} loading={loading} />
      </div>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}

type PeopleProps = {
  readonly label: string;
  readonly members: readonly MemberRow[];
  readonly verb: "Add" | "Remove";
  readonly onAct: (member: MemberRow) => void;
};

function People({ label, members, verb, onAct }: PeopleProps): ReactNode {
  if (members.length === 0) return null;
  return (
    <ul aria-label={label} className="max-h-60 overflow-auto rounded-md border border-line">
      {members.map((member) => (
        <li
          key={member.memberId}
          className="flex items-center justify-between gap-2 border-b border-line px-3 py-1.5 last:border-b-0"
        >
          <span className="min-w-0 wrap-anywhere">
            {member.name}
            {member.email === null ? null : <span className="text-xs text-muted"> {member.email}</span>}
          </span>
          <RowAction verb={verb} object={member.name} onClick={() => onAct(member)} />
        </li>
      ))}
    </ul>
  );
}
