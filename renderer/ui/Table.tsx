import type { ReactNode } from "react";
import { cx } from "./cx.ts";
import { SkeletonRows } from "./Skeleton.tsx";

export type Column<Row> = {
  readonly key: string;
  readonly title: string;
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

/** A plain table. In a narrow window it scrolls sideways in its own box. */
export function Table<Row>({ label, columns, rows, empty, keyOf, height, detail }: Props<Row>): ReactNode {
  if (rows === undefined) return <SkeletonRows />;
  if (rows.length === 0 && empty !== undefined) return empty;
  return (
    <div
      className={cx("overflow-auto focus-visible:-outline-offset-2", height)}
      tabIndex={0}
      role="group"
      aria-label={label}
    >
      <table aria-label={label} className="w-full border-collapse text-left">
        <thead>
          <tr className="border-b border-line bg-sunken text-xs text-muted">
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={cx(
                  "h-8 px-3 font-medium whitespace-nowrap first:pl-4 last:pr-4",
                  column.align === "right" && "text-right",
                  column.width,
                )}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        {rows.map((row) => {
          const more = detail?.(row);
          return (
            <tbody key={keyOf(row)} className="border-b border-line last:border-b-0">
              <tr className="hover:bg-sunken">
                {columns.map((column) => (
                  <td
                    key={column.key}
                    className={cx(
                      "h-10 px-3 py-1.5 first:pl-4 last:pr-4",
                      column.align === "right" && "text-right",
                    )}
                  >
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
              {more === undefined || more === null ? null : (
                <tr>
                  <td colSpan={columns.length} className="px-4 pb-3">
                    {more}
                  </td>
                </tr>
              )}
            </tbody>
          );
        })}
      </table>
    </div>
  );
}
