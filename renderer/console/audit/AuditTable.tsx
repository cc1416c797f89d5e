import { Fragment, type ReactNode } from "react";
import { actionWords, subjectWords } from "../../../app/audit.ts";
import { detailLines } from "../../../app/audit/changes.ts";
import { type SignInMethod, signInMethods, signInMethodWords } from "../../../app/people/sign-in-methods.ts";
import { Empty } from "../../ui/Empty.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import { agentWords } from "../account/agent-words.ts";
import type { AuditRow } from "../data/rows.ts";
import { type FilterTexts, whoOf } from "./audit-filter.ts";

type Props = {
  readonly rows: readonly AuditRow[] | undefined;
  readonly isFiltered: boolean;
  readonly onFilter: (changes: Partial<FilterTexts>) => void;
  readonly onCopy: (text: string) => void;
};

export function AuditTable({ rows, isFiltered, onFilter, onCopy }: Props): ReactNode {
  const empty = isFiltered ? (
    <Empty title="No entries fit">Choose another time, or fewer filters.</Empty>
  ) : (
    <Empty title="No entries yet">The acts of members, API keys and devices appear here.</Empty>
  );
  return (
    <Table
      label="Audit trail"
      columns={columnsOf(onFilter, onCopy)}
      rows={rows}
      keyOf={({ id }) => id}
      empty={empty}
    />
  );
}

function columnsOf(onFilter: Props["onFilter"], onCopy: Props["onCopy"]): readonly Column<AuditRow>[] {
  return [
    { key: "at", title: "Time", width: "w-24", cell: (row) => <RelativeTime at={row.at} /> },
    {
      key: "by",
      title: "By",
      width: "w-68",
      cell: (row) => (
        <div className="grid min-w-32 justify-items-start gap-0.5">
          <FilterLink hint={`Only entries by ${row.by}`} onClick={() => onFilter({ who: whoOf(row) })}>
            {row.by}
          </FilterLink>
          <Origin row={row} />
        </div>
      ),
    },
    {
      key: "action",
      title: "Action",
      width: "w-52",
      cell: ({ action }) => <span className="font-medium">{actionWords(action)}</span>,
    },
    {
      key: "subject",
      title: "Details",
      cell: (row) => {
        const subject = subjectOf(row);
        return (
          <div className="grid min-w-48 justify-items-start gap-0.5">
            <FilterLink
              hint={`Only entries about ${subject}`}
              onClick={() => onFilter({ subject: row.subject })}
            >
              {subject}
            </FilterLink>
            {row.detail === null ? null : <Detail text={row.detail} />}
          </div>
        );
      },
    },
    actionColumn("w-max", (row) => (
      <RowAction
        verb="Copy ids"
        object={`of ${actionWords(row.action)}, ${subjectOf(row)}`}
        onClick={() => onCopy(idsOf(row))}
      />
    )),
  ];
}

type LinkProps = { readonly hint: string; readonly onClick: () => void; readonly children: string };

/** A name that narrows the trail to its entries. */
function FilterLink({ hint, onClick, children }: LinkProps): ReactNode {
  return (
    <button
      type="button"
      title={hint}
      onClick={onClick}
      className="line-clamp-2 cursor-pointer text-left wrap-anywhere hover:underline"
    >
      {children}
    </button>
  );
}

/** The address and the session of the actor. */
function Origin({ row: { address, method, agent } }: { readonly row: AuditRow }): ReactNode {
  const known = signInMethods.find((one): one is SignInMethod => one === method);
  const words = [
    ...(address === null ? [] : [address === "unknown" ? "Unknown address" : address]),
    ...(known === undefined ? [] : [signInMethodWords(known)]),
    ...(agent === null ? [] : [agentWords(agent)]),
  ].join(", ");
  if (words === "") return null;
  return (
    <span className="text-xs wrap-anywhere text-muted" title={agent ?? undefined}>
      {words}
    </span>
  );
}

function Detail({ text }: { readonly text: string }): ReactNode {
  return (
    <ul className="grid gap-0.5 text-xs text-muted">
      {detailLines(text).map((line, index) => (
        <li key={index} className="break-words">
          {line.kind === "words" ? (
            line.words
          ) : (
            <Fragment>
              {line.field}: {line.before} <span aria-hidden>→</span>
              <span className="sr-only"> became </span> <span className="text-ink">{line.after}</span>
            </Fragment>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The subject of an entry in words. The copy button has its id. */
export function subjectOf({ name, action, subject }: AuditRow): string {
  return name ?? subjectWords(action, subject);
}

function idsOf({ id, subject, memberId, keyId, sessionId }: AuditRow): string {
  const ids = { entry: id, subject, member: memberId, "API key": keyId, session: sessionId };
  return Object.entries(ids)
    .flatMap(([what, value]) => (value === null ? [] : [`${what}: ${value}`]))
    .join("\n");
}
