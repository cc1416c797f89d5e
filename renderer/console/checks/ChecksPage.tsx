import { useQuery } from "convex/react";
import { usePaginatedQuery } from "convex-helpers/react";
import type { ReactNode } from "react";
import type { CheckMode } from "../../../app/trust/check-mode.ts";
import { api } from "../../../convex/_generated/api.js";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { ChecksView } from "./ChecksView.tsx";

const pageSize = 20;

/** The checks of answers by other devices, the cases about doubted ones, and what happens after them. */
export function ChecksPage(): ReactNode {
  const session = useSession();
  const mayChange = useScope("checks.change") !== null;
  const linksJobs = useScope("jobs.read") !== null;
  const { checks } = api.console.fleet;
  const mode = useQuery(checks.mode, { session });
  const sides = useQuery(checks.sides, { session });
  const setMode = useAct(checks.setMode);
  const cases = usePaginatedQuery(checks.cases, { session }, { initialNumItems: pageSize });
  const recent = usePaginatedQuery(checks.recent, { session }, { initialNumItems: pageSize });
  const canaries = usePaginatedQuery(checks.canaries, { session }, { initialNumItems: pageSize });
  const pool = useQuery(checks.canaryPool, { session });
  const setCanaries = useAct(checks.setCanaries);
  const more = (pages: typeof cases | typeof recent | typeof canaries) => ({
    onMore: pages.status === "CanLoadMore" ? () => pages.loadMore(pageSize) : null,
    loading: pages.status === "LoadingMore",
  });
  return (
    <ChecksView
      mode={mode}
      onMode={
        mayChange ? (chosen: CheckMode) => void setMode({ mode: chosen }, "The choice is saved.") : null
      }
      sides={sides}
      cases={cases.status === "LoadingFirstPage" ? undefined : cases.results}
      moreCases={more(cases)}
      checks={recent.status === "LoadingFirstPage" ? undefined : recent.results}
      moreChecks={more(recent)}
      linksJobs={linksJobs}
      canaries={{
        pool,
        rows: canaries.status === "LoadingFirstPage" ? undefined : canaries.results,
        more: more(canaries),
        onSave: (prompts) => void setCanaries({ prompts: [...prompts] }, "The prompts are saved."),
      }}
    />
  );
}
