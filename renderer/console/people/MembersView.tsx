import type { ReactNode } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { useNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { LoadMore } from "../../ui/LoadMore.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowActions } from "../../ui/RowAction.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { MemberHoldings, MemberRow, TeamRow } from "../data/rows.ts";
import { allowanceNote, grantColumn, type GrantOf, statementColumn } from "../grants/grant-cells.tsx";
import { type GrantActions, grantEntries } from "../grants/use-grants.tsx";
import { RoleBadges } from "./RoleBadges.tsx";

export type MemberActions = Readonly<
  Record<"edit" | "link" | "sessions" | "remove", (member: MemberRow) => void>
>;

type Props = {
  readonly members: readonly MemberRow[] | undefined;
  readonly teams: readonly TeamRow[];
  /** What a member has; undefined while it loads. */
  readonly holdingsOf: (member: MemberRow) => MemberHoldings | undefined;
  readonly grantOf: GrantOf<MemberRow>;
  readonly grantActions: GrantActions | null;
  /** Null for those who do not see all money. */
  readonly onStatement: ((member: MemberRow) => void) | null;
  readonly search: string;
  /** The signed-in member. */
  readonly self: MemberRow["memberId"];
  /** Null for those who only read. */
  readonly actions: MemberActions | null;
  /** Only an owner signs an owner in. */
  readonly mayMakeOwners: boolean;
  readonly onSearch: (text: string) => void;
  readonly onInvite: () => void;
  readonly onMore: (() => void) | null;
  readonly loadingMore: boolean;
};

export function MembersView(props: Props): ReactNode {
  const { members, search, actions, grantOf, onSearch, onInvite, onMore, loadingMore } = props;
  const now = useNow();
  return (
    <Card
      flush
      title="Members"
      aside={
        actions === null ? null : (
          <Button look="primary" size="sm" onClick={onInvite}>
            Invite somebody
          </Button>
        )
      }
    >
      <div className="max-w-md border-line px-4 py-3">
        <Field
          label="Search"
          type="search"
          placeholder="A name, or the start of an e-mail address"
          value={search}
          onChange={(event) => onSearch(event.target.value)}
        />
      </div>
      <div className="border-t border-line">
        <Table
          label="Members"
          columns={columnsOf(props)}
          rows={members}
          keyOf={({ memberId }) => memberId}
          detail={(member) => allowanceNote(grantOf(member), now)}
          empty={
            <Empty title="No such member">
              Search for a whole word of the name, or for the start of the e-mail address.
            </Empty>
          }
        />
        <LoadMore onMore={onMore} loading={loadingMore} />
      </div>
    </Card>
  );
}

/** 100 means 100 or more. */
const countWords = (count: number): string => (count >= 100 ? "100+" : formatCount(count));

function columnsOf(props: Props): readonly Column<MemberRow>[] {
  const {
    members = [],
    teams,
    holdingsOf,
    grantOf,
    grantActions,
    onStatement,
    self,
    actions,
    mayMakeOwners,
  } = props;
  const held =
    (show: (held: MemberHoldings) => ReactNode) =>
    (member: MemberRow): ReactNode => {
      const found = holdingsOf(member);
      return found === undefined ? <Skeleton className="inline-block! h-4 w-8" /> : show(found);
    };
  const shown: readonly Column<MemberRow>[] = [
    {
      key: "name",
      title: "Name",
      cell: ({ memberId, name, email }) => (
        <div className="max-w-72 min-w-40 wrap-anywhere">
          <p className="line-clamp-2 font-medium" title={name}>
            {name}
            {memberId === self ? <span className="font-normal text-muted"> (you)</span> : null}
          </p>
          {email === null ? null : <p className="text-xs text-muted">{email}</p>}
        </div>
      ),
    },
    {
      key: "roles",
      title: "Roles",
      cell: ({ roles }) => (
        <div className="min-w-32">
          <RoleBadges roles={roles} />
        </div>
      ),
    },
    {
      key: "teams",
      title: "Teams",
      cell: ({ teamIds }) => {
        const own = teams.filter(({ teamId }) => teamIds.includes(teamId));
        if (own.length === 0) return null;
        return (
          <span className="flex min-w-20 flex-wrap gap-1">
            {own.map(({ teamId, name }) => (
              <Badge key={teamId} tone="quiet">
                {name}
              </Badge>
            ))}
          </span>
        );
      },
    },
    {
      key: "used",
      title: "Last use",
      width: "w-32",
      cell: held(({ usedAt }) =>
        usedAt === null ? (
          <span className="whitespace-nowrap text-muted">Not signed in</span>
        ) : (
          <RelativeTime at={usedAt} />
        ),
      ),
    },
    {
      key: "keys",
      title: "Keys",
      align: "right",
      width: "w-16",
      cell: held(({ keys }) => countWords(keys)),
    },
    {
      key: "devices",
      title: "Devices",
      align: "right",
      width: "w-16",
      cell: held(({ devices }) => countWords(devices)),
    },
    grantColumn(members, grantOf),
  ];
  if (actions === null)
    return onStatement === null ? shown : [...shown, statementColumn(({ name }) => name, onStatement)];
  const { edit, link, sessions, remove } = actions;
  return [
    ...shown,
    actionColumn("w-max", (member) => {
      const { name, roles, memberId } = member;
      const maySignIn = mayMakeOwners || !roles.includes("owner");
      return (
        <RowActions
          row={name}
          main={{ verb: "Edit", object: name, onClick: () => edit(member) }}
          more={[
            { verb: "Sessions", onClick: () => sessions(member) },
            ...(maySignIn ? [{ verb: "Sign-in link", onClick: () => link(member) }] : []),
            ...grantEntries(grantActions, { id: memberId, name, grant: grantOf(member) }),
            ...(onStatement === null ? [] : [{ verb: "Statement", onClick: () => onStatement(member) }]),
            ...(maySignIn && memberId !== self ? [{ verb: "Remove", onClick: () => remove(member) }] : []),
          ]}
        />
      );
    }),
  ];
}
