import { type ReactNode, useState } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { formatMoment } from "../../../app/format/time.ts";
import { expiresSoonMs } from "../../../app/keys/expiry.ts";
import { restrictionWords } from "../../../app/keys/restriction.ts";
import { columnCredits, formatExactCredits } from "../../../app/money/credits.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { useNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { LoadMore } from "../../ui/LoadMore.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, type RowActionProps, RowActions } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { KeyRow } from "../data/rows.ts";
import { allowanceWords } from "../grants/allowance-words.ts";
import { OwnerWords } from "../owners/OwnerWords.tsx";
import { hrefOf } from "../shell/route.ts";
import { boundsOf } from "./quota-words.ts";

type Props = {
  readonly keys: readonly KeyRow[] | undefined;
  /** Whether a link led to the only key that is shown. */
  readonly isOnly?: boolean;
  readonly onMore: (() => void) | null;
  readonly loadingMore: boolean;
  /** Actions that the member may not take are null. */
  readonly onCreate: (() => void) | null;
  readonly onLimit: OnKey;
  readonly onCredits: OnKey;
  readonly onAllowance: OnKey;
  readonly onEndAllowance: OnKey;
  /** Left out or null: there is no link to it. */
  readonly onStatement?: OnKey;
  readonly onEntitle: OnKey;
  readonly onAccess: OnKey;
  readonly onRotate: OnKey;
  readonly onEndFormer: OnKey;
  readonly onLift: OnKey;
  readonly onHandOver: OnKey;
  readonly onRevoke: OnKey;
  /** Shown below the keys. */
  readonly pages?: ReactNode;
};

type OnKey = ((key: KeyRow) => void) | null;

export function KeysView({
  keys,
  isOnly = false,
  onMore,
  loadingMore,
  onCreate,
  onLimit,
  onCredits,
  onAllowance,
  onEndAllowance,
  onStatement = null,
  onEntitle,
  onAccess,
  onRotate,
  onEndFormer,
  onLift,
  onHandOver,
  onRevoke,
  pages = null,
}: Props): ReactNode {
  const now = useNow();
  const [revoking, setRevoking] = useState<KeyRow | null>(null);
  return (
    <Card
      flush
      title="Keys for requesters"
      aside={
        onCreate === null ? null : (
          <Button look="primary" size="sm" onClick={onCreate}>
            New key
          </Button>
        )
      }
    >
      {isOnly ? (
        <p className="border-b border-line px-4 py-2">
          <a href={hrefOf("keys")} className="text-xs font-medium text-accent hover:underline">
            ← All keys
          </a>
        </p>
      ) : null}
      <Table
        label="API keys"
        columns={columns(now, columnCredits((keys ?? []).map(({ balanceMicro }) => balanceMicro)), {
          limit: onLimit,
          credits: onCredits,
          allowance: onAllowance,
          endAllowance: onEndAllowance,
          statement: onStatement,
          entitle: onEntitle,
          access: onAccess,
          rotate: onRotate,
          endFormer: onEndFormer,
          lift: onLift,
          handOver: onHandOver,
          revoke: onRevoke === null ? null : setRevoking,
        })}
        rows={keys}
        keyOf={(key) => key.keyId}
        detail={(key) => noteOf(key, now)}
        empty={
          isOnly ? (
            <Empty title="There is no such key">It was deleted, or you may not see it.</Empty>
          ) : (
            <Empty title="No API keys yet">Create a key for each program that sends jobs.</Empty>
          )
        }
      />
      <LoadMore onMore={onMore} loading={loadingMore} />
      {pages}
      {revoking === null ? null : (
        <Confirm
          title={`Revoke the key for ${revoking.name}?`}
          action="Revoke"
          danger
          onConfirm={() => onRevoke?.(revoking)}
          onClose={() => setRevoking(null)}
        >
          Programs that use this key stop working. Its jobs and batches are canceled, also those that devices
          work on, and its files are deleted. You cannot undo this, but you can create a new key at any time.
        </Confirm>
      )}
    </Card>
  );
}

/** The key's restriction while it lasts. The query does not run again at its end. */
function restrictionOf({ revokedAt, restriction }: KeyRow, now: number): KeyRow["restriction"] {
  return revokedAt === null && restriction !== null && restriction.until > now ? restriction : null;
}

/** Why a key is restricted, its allowance and its bounds. Null if it has none. */
function noteOf(key: KeyRow, now: number): ReactNode {
  const restriction = restrictionOf(key, now);
  const bounds = key.revokedAt === null ? boundsOf(key, now) : [];
  const allowance = allowanceWords(key.allowance, now);
  if (restriction === null && allowance === null && bounds.length === 0) return null;
  return (
    <div className="grid gap-1 text-xs text-muted">
      {restriction === null ? null : <p>{restrictionWords(restriction, (end) => formatMoment(end, now))}</p>}
      {allowance === null ? null : <p>{allowance}</p>}
      {bounds.length === 0 ? null : <p className="wrap-anywhere">{bounds.join(" · ")}</p>}
    </div>
  );
}

type Actions = Readonly<
  Record<
    | "limit"
    | "credits"
    | "allowance"
    | "endAllowance"
    | "statement"
    | "entitle"
    | "access"
    | "rotate"
    | "endFormer"
    | "lift"
    | "handOver"
    | "revoke",
    OnKey
  >
>;

function columns(
  now: number,
  credits: (micro: bigint) => string,
  {
    limit,
    credits: changeCredits,
    allowance,
    endAllowance,
    statement,
    entitle,
    access,
    rotate,
    endFormer,
    lift,
    handOver,
    revoke,
  }: Actions,
): readonly Column<KeyRow>[] {
  return [
    {
      key: "name",
      title: "Name",
      cell: (key) => (
        <div className="flex max-w-44 min-w-32 flex-wrap items-center gap-1.5 2xl:max-w-96">
          <span className="line-clamp-2 font-medium wrap-anywhere" title={key.name}>
            {key.name}
          </span>
          {key.playgroundUntil === null ? null : <Badge tone="quiet">Console</Badge>}
          {key.dataClass === null ? null : <Badge tone="hold">{key.dataClass}</Badge>}
        </div>
      ),
    },
    {
      key: "owner",
      title: "Owner",
      cell: ({ owner }) => <OwnerWords owner={owner} />,
    },
    {
      key: "prefix",
      title: "Key",
      cell: (key) => (
        <>
          <code className="font-mono text-xs whitespace-nowrap">{key.prefix}…</code>
          <p className="text-xs text-muted">
            Created <RelativeTime at={key.createdAt} />
          </p>
          <p className="text-xs text-muted">
            {key.lastUsedAt === null ? (
              "Never used"
            ) : (
              <>
                Used <RelativeTime at={key.lastUsedAt} />
              </>
            )}
          </p>
        </>
      ),
    },
    {
      key: "balance",
      title: "Credits left",
      align: "right",
      width: "w-28",
      cell: (key) => (
        <span title={`${formatExactCredits(key.balanceMicro)} credits`}>{credits(key.balanceMicro)}</span>
      ),
    },
    {
      key: "concurrency",
      title: "Jobs at once",
      align: "right",
      width: "w-28",
      cell: (key) =>
        key.concurrency === null ? (
          <span className="text-muted">no limit</span>
        ) : (
          formatCount(key.concurrency)
        ),
    },
    { key: "weight", title: "Weight", align: "right", width: "w-20", cell: (key) => `${key.weight}×` },
    {
      key: "priority",
      title: "Priority",
      width: "w-24",
      cell: (key) =>
        key.highestPriority === "high" ? (
          <span className="text-muted">any</span>
        ) : key.highestPriority === "normal" ? (
          "up to normal"
        ) : (
          "only low"
        ),
    },
    {
      key: "status",
      title: "Status",
      width: "w-24",
      cell: (key) => statusOf(key, now),
    },
    actionColumn("w-max", (key) => {
      if (key.revokedAt !== null) {
        const [only = null] = act(statement, "Statement", key);
        return only === null ? null : <RowActions row={key.name} main={only} more={[]} />;
      }
      // Only Gleaner uses this key, so the server refuses everything else.
      if (key.ofCanaries) {
        const [main = null, ...more] = [...act(statement, "Statement", key), ...act(revoke, "Revoke", key)];
        return <RowActions row={key.name} main={main} more={more} />;
      }
      const isRestricted = restrictionOf(key, now) !== null;
      const isEnded = isExpired(key, now);
      const [main = null, ...more] = [
        ...(isRestricted ? act(lift, "Lift restriction", key, "plain") : []),
        ...act(limit, "Edit limits", key),
        ...act(access, "Edit access", key),
        ...(key.playgroundUntil === null ? act(changeCredits, "Change credits", key) : []),
        ...(key.playgroundUntil === null
          ? act(allowance, key.allowance === null ? "Set an allowance" : "Change the allowance", key)
          : []),
        ...(key.allowance === null ? [] : act(endAllowance, "End the allowance", key)),
        ...act(statement, "Statement", key),
        ...act(entitle, "Edit rights", key),
        ...(isEnded || key.playgroundUntil !== null || key.former !== null
          ? []
          : act(rotate, "New secret", key)),
        ...(key.former === null ? [] : act(endFormer, "End the former secret", key)),
        ...act(handOver, "Hand over", key),
        ...act(revoke, "Revoke", key),
      ];
      return <RowActions row={key.name} main={main} more={more} />;
    }),
  ];
}

function isExpired({ expiresAt }: KeyRow, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function statusOf(key: KeyRow, now: number): ReactNode {
  if (key.revokedAt !== null) return <Badge tone="quiet">Revoked</Badge>;
  if (isExpired(key, now)) return <Badge tone="bad">Expired</Badge>;
  if (restrictionOf(key, now) !== null) return <Badge tone="hold">Restricted</Badge>;
  const endsSoon = key.expiresAt !== null && key.expiresAt - now < expiresSoonMs;
  return endsSoon ? <Badge tone="hold">Expires soon</Badge> : <Badge tone="good">Active</Badge>;
}

/** One action on a key, or none for those who may not take it. */
function act(
  onKey: OnKey,
  verb: string,
  key: KeyRow,
  look: RowActionProps["look"] = "quiet",
): readonly RowActionProps[] {
  return onKey === null ? [] : [{ verb, object: `of ${key.name}`, look, onClick: () => onKey(key) }];
}
