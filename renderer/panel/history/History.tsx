import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { HistoryFilter } from "../../../app/contract/past-jobs.ts";
import type { HistoryRow } from "../../../app/contract/snapshot.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { HistoryFilters } from "./HistoryFilters.tsx";
import { JobDetail } from "./JobDetail.tsx";
import { JobList } from "./JobList.tsx";
import { countOf, rowAt } from "./pages.ts";
import { type LoadedHistory, useHistory } from "./use-history.ts";

type Props = {
  /** The newest jobs, which are always up to date. */
  readonly newest: readonly HistoryRow[];
  readonly filter: HistoryFilter;
  readonly onFilter: (filter: HistoryFilter) => void;
};

/** All jobs of this device. They come page by page from the organization's server, and no text of a job is among them. */
export function History({ newest, filter, onFilter }: Props): ReactNode {
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Card flush>
      <HistoryFilters filter={filter} onFilter={onFilter} />
      <Jobs key={JSON.stringify(filter)} newest={newest} filter={filter} isFiltered={isFiltered} />
    </Card>
  );
}

type JobsProps = Omit<Props, "onFilter"> & { readonly isFiltered: boolean };

function Jobs({ newest, filter, isFiltered }: JobsProps): ReactNode {
  const history = useHistory(filter, isFiltered ? [] : newest);
  const { list, isLoading, reload, show } = history;
  const [chosen, setChosen] = useState<number | null>(null);
  const [isAtTop, setAtTop] = useState(true);
  const byId = useMemo(() => new Map(newest.map((row) => [row.attemptId, row])), [newest]);
  const latest = useCallback((row: HistoryRow) => byId.get(row.attemptId) ?? row, [byId]);

  const hasNewer = !isFiltered && isNewer(newest, list.pages[0]?.rows?.[0]);
  const followed = useRef(newest[0]?.attemptId);
  useEffect(() => {
    // Each new job is looked for once, and only where it does not move what somebody reads.
    if (!hasNewer || isLoading || !isAtTop || followed.current === newest[0]?.attemptId) return;
    followed.current = newest[0]?.attemptId;
    setChosen(null);
    reload();
  }, [hasNewer, isLoading, isAtTop, newest, reload]);

  const count = countOf(list);
  const row = chosen === null ? null : rowAt(list, chosen);
  if (count === 0 && list.next === null) return <NoJobs isFiltered={isFiltered} />;
  if (count === 0 && history.problem === null) return <Searching history={history} show={show} />;
  return (
    <>
      {count === 0 ? null : (
        <JobList
          list={list}
          latest={latest}
          chosen={chosen}
          onChoose={setChosen}
          onVisible={show}
          onTop={setAtTop}
        />
      )}
      {history.problem === null ? null : <Problem history={history} />}
      {count === 0 ? null : <JobDetail row={row === null ? null : latest(row)} />}
    </>
  );
}

function isNewer(newest: readonly HistoryRow[], first: HistoryRow | undefined): boolean {
  const [latest] = newest;
  return latest !== undefined && first !== undefined && latest.attemptId !== first.attemptId;
}

/** Looks on while nothing was found. */
function Searching({
  history,
  show,
}: { readonly history: LoadedHistory } & Pick<LoadedHistory, "show">): ReactNode {
  useEffect(() => show({ first: 0, end: 1 }), [show]);
  return history.isLoaded ? (
    <p role="status" className="px-4 py-6 text-center text-muted">
      Searching older jobs…
    </p>
  ) : (
    <SkeletonRows />
  );
}

function Problem({ history: { list, problem, retry } }: { readonly history: LoadedHistory }): ReactNode {
  return (
    <div role="alert" className="grid justify-items-start gap-2 border-t border-line px-4 py-3">
      <p className="font-medium">
        {countOf(list) > 0 ? "Older jobs cannot be shown." : "The jobs cannot be shown."}
      </p>
      <p>{problem}</p>
      <Button size="sm" onClick={retry}>
        Try again
      </Button>
    </div>
  );
}

function NoJobs({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  return isFiltered ? (
    <Empty title="No such jobs">No job of this computer has all of these properties.</Empty>
  ) : (
    <Empty title="No jobs yet">
      Each job of this computer appears here, with its earnings and their calculation.
    </Empty>
  );
}
