import type { UsePaginatedQueryResult } from "convex/react";
import type { ComponentProps } from "react";
import type { LoadMore } from "../../ui/LoadMore.tsx";

/** The rows of a list that is read page by page, and its button. `rows`: undefined while the first ones load. */
export type PagedRows<Row> = ComponentProps<typeof LoadMore> & { readonly rows: readonly Row[] | undefined };

export function pagedRows<Row>(pages: UsePaginatedQueryResult<Row>, pageSize: number): PagedRows<Row> {
  const { results, status, loadMore } = pages;
  return {
    rows: status === "LoadingFirstPage" ? undefined : results,
    onMore: status === "CanLoadMore" ? () => loadMore(pageSize) : null,
    loading: status === "LoadingMore",
  };
}
