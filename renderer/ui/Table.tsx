import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { cx } from "./cx.ts";
import { SkeletonRows } from "./Skeleton.tsx";

export type Column<Row> = {
  readonly key: string;
  readonly title: string;
  /** The title is there only for screen readers. */
  readonly isTitleHidden?: boolean;
  readonly align?: "left" | "right";
  /** A Tailwind class. A fixed width keeps columns from jumping while numbers change. */
  readonly width?: string;
  readonly cell: (row: Row) => ReactNode;
};

type Props<Row> = {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined while they load. */
  readonly rows: readonly Row[] | undefined;
  /** Shown if there are no rows. */
  readonly empty?: ReactNode;
  readonly keyOf: (row: Row) => string;
  /** A Tailwind class for the greatest height. More rows scroll. */
  readonly height?: string;
  /** Shown below a row in full width, e.g. its attempts. */
  readonly detail?: (row: Row) => ReactNode;
};

/**
 * A plain table. In a box as narrow as a phone each row is a card, with the columns' titles as labels. A table that is
 * wider than its box scrolls sideways. Any other keeps its head in view.
 *
 * The roles repeat the elements' own, because a browser drops those of a table that is laid out as cards.
 */
export function Table<Row>({ label, columns, rows, empty, keyOf, height, detail }: Props<Row>): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const { isWide, scrolls } = useScrolls(box, rows === undefined);
  if (rows === undefined) return <SkeletonRows />;
  if (rows.length === 0 && empty !== undefined) return empty;
  return (
    <div className="@container">
      <div
        ref={box}
        className={cx(
          "focus-visible:-outline-offset-2",
          height,
          isWide || height !== undefined ? "overflow-auto" : "overflow-visible",
        )}
        // Somebody without a mouse scrolls a box that has the focus.
        tabIndex={scrolls ? 0 : undefined}
        role={scrolls ? "group" : undefined}
        aria-label={scrolls ? label : undefined}
      >
        <table
          role="table"
          aria-label={label}
          className="w-full border-collapse text-left @max-[30rem]:block"
        >
          <thead role="rowgroup" className="sticky top-0 z-1 @max-[30rem]:sr-only">
            <tr role="row" className="bg-sunken text-xs text-muted shadow-[inset_0_-1px_0_var(--color-line)]">
              {columns.map((column) => (
                <th
                  key={column.key}
                  scope="col"
                  role="columnheader"
                  className={cx(
                    "h-8 px-3 font-medium whitespace-nowrap first:pl-4 last:pr-4",
                    column.align === "right" && "text-right",
                    column.width,
                  )}
                >
                  {column.isTitleHidden === true ? (
                    <span className="sr-only">{column.title}</span>
                  ) : (
                    column.title
                  )}
                </th>
              ))}
            </tr>
          </thead>
          {rows.map((row) => {
            const more = detail?.(row);
            return (
              <tbody
                key={keyOf(row)}
                role="rowgroup"
                className="border-b border-line last:border-b-0 @max-[30rem]:block"
              >
                <tr
                  role="row"
                  className="hover:bg-sunken @max-[30rem]:grid @max-[30rem]:gap-1.5 @max-[30rem]:px-4 @max-[30rem]:py-3"
                >
                  {columns.map((column) => (
                    <Cell key={column.key} column={column}>
                      {column.cell(row)}
                    </Cell>
                  ))}
                </tr>
                {more === undefined || more === null ? null : (
                  <tr role="row" className="@max-[30rem]:block">
                    <td role="cell" colSpan={columns.length} className="px-4 pb-3 @max-[30rem]:block">
                      {more}
                    </td>
                  </tr>
                )}
              </tbody>
            );
          })}
        </table>
      </div>
    </div>
  );
}

type CellProps = {
  readonly column: Pick<Column<never>, "title" | "isTitleHidden" | "align">;
  readonly children: ReactNode;
};

/** In a card the first cell is the headline, and the others have their titles before them. */
function Cell({ column, children }: CellProps): ReactNode {
  return (
    <td
      role="cell"
      className={cx(
        "group h-10 px-3 py-1.5 first:pl-4 last:pr-4",
        "@max-[30rem]:flex @max-[30rem]:h-auto @max-[30rem]:gap-3 @max-[30rem]:p-0! @max-[30rem]:text-left",
        column.align === "right" && "text-right",
      )}
    >
      {column.isTitleHidden === true ? null : (
        <span aria-hidden className="w-28 shrink-0 text-xs text-muted group-first:hidden @min-[30rem]:hidden">
          {column.title}
        </span>
      )}
      <div className="min-w-0 @max-[30rem]:flex-1">{children}</div>
    </td>
  );
}

/** Whether the table is wider than its box, and whether somebody has to scroll to see all of it. */
function useScrolls(
  box: RefObject<HTMLDivElement | null>,
  isLoading: boolean,
): { readonly isWide: boolean; readonly scrolls: boolean } {
  const [isWide, setWide] = useState(false);
  const [isHigh, setHigh] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    const table = element?.firstElementChild;
    if (element === null || table === null || table === undefined) return;
    const measure = (): void => {
      setWide(table.clientWidth > element.clientWidth);
      setHigh(getComputedStyle(element).overflowY !== "visible" && table.clientHeight > element.clientHeight);
    };
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    resized.observe(table);
    return () => resized.disconnect();
  }, [box, isLoading]);
  return { isWide, scrolls: isWide || isHigh };
}
