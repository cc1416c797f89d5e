import { useQuery } from "convex/react";
import { usePaginatedQuery } from "convex-helpers/react";
import type { ReactNode } from "react";
import { bucketOf, spans } from "../../../app/statistics/spans.ts";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import { useNow } from "../../ui/clock.ts";
import { Empty } from "../../ui/Empty.tsx";
import { BatchesTable } from "../batches/BatchesTable.tsx";
import { FleetComfort } from "../comfort/FleetComfort.tsx";
import type {
  AttentionItem,
  BatchSummary,
  BudgetRow,
  FleetComfortWeek,
  JobRow,
  ModelOffer,
  QueueStats,
  Summary,
} from "../data/rows.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { DevicesTable } from "../devices/table/DevicesTable.tsx";
import { type DeviceLine, useDeviceLines } from "../devices/useDeviceLines.ts";
import { JobsTable } from "../jobs/JobsTable.tsx";
import { AttentionList } from "./AttentionList.tsx";
import { BudgetWarnings } from "./BudgetWarnings.tsx";
import { PausedLanes } from "./PausedLanes.tsx";
import { ShelfOffer } from "./ShelfOffer.tsx";
import { Tiles } from "./Tiles.tsx";

const latest = 8;

export function OverviewPage(): ReactNode {
  const session = useSession();
  const summary = useQuery(api.console.overview.summary, { session });
  const attention = useQuery(api.console.overview.attention, { session });
  const queue = useQuery(api.console.queue.stats, { session });
  const listed = useQuery(api.console.devices.list, {
    session,
    order: "changed",
    descending: true,
    paginationOpts: { numItems: latest, cursor: null },
  });
  const seesMoney = useScope("usage.read") !== null;
  const mayAdd = useScope("models.change") !== null;
  const offer = useQuery(api.console.models.offer, mayAdd ? { session } : "skip");
  const showOffer = useAct(api.console.models.showOffer);
  const now = bucketOf(useNow(), spans.short);
  const budgets = useQuery(api.console.budgets.list, seesMoney ? { session, now } : "skip");
  const comfort = useQuery(api.console.fleet.comfort.week, { session, until: now });
  const devices = useDeviceLines(listed?.page);
  const jobs = usePaginatedQuery(api.console.jobs.list, { session }, { initialNumItems: latest });
  const batches = usePaginatedQuery(
    api.console.work.batches.list,
    { session, status: "open" },
    { initialNumItems: latest },
  );
  return (
    <OverviewView
      summary={summary}
      attention={attention ?? []}
      queue={queue}
      devices={devices}
      budgets={budgets}
      comfort={comfort}
      offer={offer}
      onDismissOffer={() =>
        void showOffer({ isShown: false }, () => ({
          words: "The offer was dismissed.",
          undo: () => void showOffer({ isShown: true }),
        }))
      }
      batches={batches.results}
      jobs={jobs.status === "LoadingFirstPage" ? undefined : jobs.results}
    />
  );
}

type Props = {
  readonly summary: Summary | undefined;
  readonly attention: readonly AttentionItem[];
  readonly queue: QueueStats | undefined;
  readonly devices: readonly DeviceLine[] | undefined;
  readonly jobs: readonly JobRow[] | undefined;
  /** Those that have not ended. */
  readonly batches?: readonly BatchSummary[];
  /** Undefined while they load, and for those who see no money. */
  readonly budgets?: readonly BudgetRow[] | undefined;
  /** Undefined while it loads. */
  readonly comfort?: FleetComfortWeek | undefined;
  /** A first model. Null or undefined: none is offered. */
  readonly offer?: ModelOffer | null | undefined;
  readonly onDismissOffer?: () => void;
};

export function OverviewView(props: Props): ReactNode {
  const {
    summary,
    attention,
    queue,
    devices,
    jobs,
    batches = [],
    budgets,
    comfort,
    offer,
    onDismissOffer,
  } = props;
  return (
    <div className="grid gap-4">
      <AttentionList items={attention} />
      <BudgetWarnings budgets={budgets} link />
      <PausedLanes lanes={queue?.lanes ?? []} />
      {offer === undefined || offer === null ? null : (
        <ShelfOffer offer={offer} onDismiss={() => onDismissOffer?.()} />
      )}
      <Tiles summary={summary} queue={queue} />
      <FleetComfort week={comfort} />
      {batches.length === 0 ? null : (
        <Card flush title="Batches under way" aside={<AllLink page="batches" />}>
          <BatchesTable compact batches={batches.slice(0, latest)} />
        </Card>
      )}
      <div className="grid items-start gap-4 2xl:grid-cols-2">
        <Card flush title="Devices" aside={<AllLink page="devices" />}>
          <DevicesTable
            compact
            devices={devices?.filter(
              ({ listed }) => listed.state !== "pending" && listed.state !== "retired",
            )}
          />
        </Card>
        <Card flush title="Latest jobs" aside={<AllLink page="jobs" />}>
          <JobsTable
            compact
            jobs={jobs?.slice(0, latest)}
            empty={<Empty title="No jobs yet">New jobs appear here.</Empty>}
          />
        </Card>
      </div>
    </div>
  );
}

function AllLink({ page }: { readonly page: "batches" | "devices" | "jobs" }): ReactNode {
  return (
    <a href={`#/${page}`} className="text-xs font-medium text-accent hover:underline">
      Show all
    </a>
  );
}
