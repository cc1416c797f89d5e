import { usePaginatedQuery } from "convex/react";
import type { ReactNode } from "react";
import { api } from "../../../convex/_generated/api.js";
import { useSession } from "../data/session-context.ts";
import { AuditView } from "./AuditView.tsx";

const pageSize = 50;

export function AuditPage(): ReactNode {
  const session = useSession();
  const { results, status, loadMore } = usePaginatedQuery(
    api.admin.audit,
    { session },
    { initialNumItems: pageSize },
  );
  return (
    <AuditView
      rows={status === "LoadingFirstPage" ? undefined : results}
      onMore={status === "CanLoadMore" ? () => loadMore(pageSize) : null}
    />
  );
}
