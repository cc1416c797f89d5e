import { useQuery } from "convex/react";
import { usePaginatedQuery } from "convex-helpers/react";
import type { ReactNode } from "react";
import { api } from "../../../convex/_generated/api.js";
import { useSession } from "../data/session-context.ts";
import { OverviewView } from "./OverviewView.tsx";

const latest = 8;

export function OverviewPage(): ReactNode {
  const session = useSession();
  const summary = useQuery(api.admin.summary, { session });
  const devices = useQuery(api.admin.devices, { session });
  const jobs = usePaginatedQuery(api.admin.jobs, { session }, { initialNumItems: latest });
  return (
    <OverviewView
      summary={summary}
      devices={devices}
      jobs={jobs.status === "LoadingFirstPage" ? undefined : jobs.results.slice(0, latest)}
    />
  );
}
