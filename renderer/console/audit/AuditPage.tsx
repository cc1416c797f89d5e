import { usePaginatedQuery, useQuery } from "convex/react";
import { type ReactNode, useEffect, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import type { Option } from "../../ui/controls/Select.tsx";
import { cx } from "../../ui/cx.ts";
import { LoadMore } from "../../ui/LoadMore.tsx";
import { useToast } from "../../ui/overlays/Toast.tsx";
import { ArchivedNote } from "../archives/ArchivedNote.tsx";
import type { AuditRow } from "../data/rows.ts";
import { useSession } from "../data/session-context.ts";
import { useFilter } from "../shell/route.ts";
import { type FilterTexts, isFiltered, listArgsOf, noFilters, whoOptions } from "./audit-filter.ts";
import { AuditFilters } from "./AuditFilters.tsx";
import { AuditTable, subjectOf } from "./AuditTable.tsx";
import { type ActReport, type TrailAct, useTrailActs } from "./use-trail-acts.ts";

const pageSize = 50;
/** Beside a subject, a page of rows may be empty. This many pages are looked through by themselves. */
const maxPagesAlone = 20;

export function AuditPage(): ReactNode {
  const session = useSession();
  const toast = useToast();
  const [filter, setFilter] = useTexts();
  const [search, setSearch] = useState("");
  const all = useQuery(api.console.account.owners, { session });
  const found = useQuery(api.console.account.owners, search.trim() === "" ? "skip" : { session, search });
  const members = (search.trim() === "" ? all : found)?.members ?? [];
  const wanted = listArgsOf(filter);
  const { results, status, loadMore } = usePaginatedQuery(
    api.console.audit.list,
    { session, ...wanted },
    { initialNumItems: pageSize },
  );
  const key = JSON.stringify(wanted);
  const [looked, setLooked] = useState({ key, pages: 0 });
  const pages = looked.key === key ? looked.pages : 0;
  const looksOn = status === "CanLoadMore" && results.length < pageSize && pages < maxPagesAlone;
  useEffect(() => {
    if (!looksOn) return;
    const timer = setTimeout(() => {
      setLooked({ key, pages: pages + 1 });
      loadMore(pageSize);
    });
    return () => clearTimeout(timer);
  }, [looksOn, key, pages, loadMore]);
  const { report, act } = useTrailActs(wanted);
  const isLoading = status === "LoadingFirstPage" || (results.length === 0 && status !== "Exhausted");
  return (
    <AuditView
      rows={isLoading && pages < maxPagesAlone ? undefined : results}
      filter={filter}
      people={whoOptions(filter.who, members, results)}
      search={all?.more === true ? search : null}
      report={report}
      onFilter={setFilter}
      onSearch={setSearch}
      onAct={act}
      onCopy={(text) => {
        navigator.clipboard.writeText(text).then(
          () => toast("The ids were copied."),
          () => toast(text),
        );
      }}
      onMore={status === "CanLoadMore" ? () => loadMore(pageSize) : null}
      loadingMore={status === "LoadingMore"}
      archived={<ArchivedNote kind="audit" />}
    />
  );
}

/** The filters in the address. */
function useTexts(): readonly [FilterTexts, (changes: Partial<FilterTexts>) => void] {
  const [who, setWho] = useFilter("who");
  const [action, setAction] = useFilter("action");
  const [subject, setSubject] = useFilter("subject");
  const [from, setFrom] = useFilter("from");
  const [to, setTo] = useFilter("to");
  const set = { who: setWho, action: setAction, subject: setSubject, from: setFrom, to: setTo };
  const change = (changes: Partial<FilterTexts>): void => {
    for (const name of Object.keys(changes) as (keyof FilterTexts)[]) set[name](changes[name] ?? "");
  };
  return [{ who, action, subject, from, to }, change];
}

type Props = {
  readonly rows: readonly AuditRow[] | undefined;
  readonly filter: FilterTexts;
  readonly people: readonly Option[];
  readonly search: string | null;
  readonly report: ActReport | null;
  readonly onFilter: (changes: Partial<FilterTexts>) => void;
  readonly onSearch: (text: string) => void;
  readonly onAct: (what: TrailAct) => void;
  readonly onCopy: (text: string) => void;
  readonly onMore: (() => void) | null;
  readonly loadingMore: boolean;
  /** Where older entries are. */
  readonly archived?: ReactNode;
};

export function AuditView(props: Props): ReactNode {
  const { rows, filter, people, search, report, onFilter, onSearch, onAct, onCopy } = props;
  const isBusy = report?.tone === "busy";
  const aboutIt = rows?.find(({ subject }) => subject === filter.subject);
  const about = aboutIt === undefined ? "one thing" : subjectOf(aboutIt);
  return (
    <Card flush>
      <AuditFilters
        filter={filter}
        people={people}
        search={search}
        subject={about}
        onFilter={onFilter}
        onSearch={onSearch}
        onClear={() => onFilter(noFilters)}
      />
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <Button size="sm" disabled={isBusy} onClick={() => onAct("check")}>
          Check the chain
        </Button>
        <Button size="sm" disabled={isBusy} onClick={() => onAct("csv")}>
          Export CSV
        </Button>
        <Button size="sm" disabled={isBusy} onClick={() => onAct("jsonl")}>
          Export JSON lines
        </Button>
        <span
          role="status"
          className={cx("text-xs", report?.tone === "bad" ? "font-medium text-bad" : "text-muted")}
        >
          {report?.words ?? ""}
        </span>
      </div>
      <AuditTable rows={rows} isFiltered={isFiltered(filter)} onFilter={onFilter} onCopy={onCopy} />
      <LoadMore onMore={props.onMore} loading={props.loadingMore} />
      {props.archived}
    </Card>
  );
}
