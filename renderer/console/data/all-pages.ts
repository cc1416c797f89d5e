import type { PaginationResult } from "convex/server";

/**
 * All rows of a list, page by page, in its order.
 * @param onRows how many there are so far. What it throws ends the reading.
 */
export async function allPages<Row>(
  page: (cursor: string | null) => Promise<Pick<PaginationResult<Row>, "page" | "isDone" | "continueCursor">>,
  onRows: (count: number) => void = () => undefined,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  for (;;) {
    const next: Awaited<ReturnType<typeof page>> = await page(cursor);
    rows.push(...next.page);
    onRows(rows.length);
    if (next.isDone) return rows;
    cursor = next.continueCursor;
  }
}
