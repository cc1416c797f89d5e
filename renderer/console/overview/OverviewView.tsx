import type { ReactNode } from "react";
import { Card } from "../../ui/Card.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import type { DeviceRow, JobRow, Summary } from "../data/rows.ts";
import { DevicesTable } from "../devices/DevicesTable.tsx";
import { JobsTable } from "../jobs/JobsTable.tsx";
import { Tiles } from "./Tiles.tsx";

type Props = {
  readonly summary: Summary | undefined;
  readonly devices: readonly DeviceRow[] | undefined;
  readonly jobs: readonly JobRow[] | undefined;
};

export function OverviewView({ summary, devices, jobs }: Props): ReactNode {
  return (
    <div className="grid gap-4">
      <Tiles summary={summary} />
      <div className="grid items-start gap-4 2xl:grid-cols-2">
        <Card flush title="Devices" aside={<AllLink page="devices" />}>
          <DevicesTable
            compact
            devices={devices?.filter((device) => device.status === "active").slice(0, 8)}
          />
        </Card>
        <Card flush title="Latest jobs" aside={<AllLink page="jobs" />}>
          {jobs === undefined ? (
            <SkeletonRows />
          ) : jobs.length === 0 ? (
            <Empty title="No jobs yet">They appear here as they arrive.</Empty>
          ) : (
            <JobsTable compact jobs={jobs} />
          )}
        </Card>
      </div>
    </div>
  );
}

function AllLink({ page }: { readonly page: "devices" | "jobs" }): ReactNode {
  return (
    <a href={`#/${page}`} className="text-xs font-medium text-accent hover:underline">
      Show all
    </a>
  );
}
