import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { cx } from "./cx.ts";
import { SkeletonRows } from "./Skeleton.tsx";

export type Column<Row> = {
  readonly key: string;
  readonly title: string;
  /** The title is there only for screen readers. */
  readonly isTitleHidden?: boolean;
  readonly align?: "left" | "right";
  /** A phone shows only the columns with this mark, as a table. Without any, each row is a card there. */
  readonly isNarrow?: boolean;
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

/** A table of more columns has less space between them, so that it fits into the window of a 13-inch laptop. */
const roomyColumns = 7;

/**
 * A plain table. In a box as narrow as a phone each row is a card, unless columns have the mark for it: the first column with a title is its headline, the
 * titles of the others are labels, and three numbers share a line. A table that is wider than its box scrolls
 * sideways. Any other keeps its head in view.
 *
 * The roles repeat the elements' own, because a browser drops those of a table that is laid out as cards.
 */
export function Table<Row>({ label, columns, rows, empty, keyOf, height, detail }: Props<Row>): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const { isWide, scrolls } = useScrolls(box, rows === undefined);
  if (rows === undefined) return <SkeletonRows />;
  if (rows.length === 0 && empty !== undefined) return empty;
  const isCards = columns.every(({ isNarrow }) => isNarrow !== true);
  const isLeftOut = ({ isNarrow }: Column<Row>): boolean => !isCards && isNarrow !== true;
  const headline = columns.find(({ isTitleHidden }) => isTitleHidden !== true);
  const [space, afterNumbers] = columns.length > roomyColumns ? ["px-2", "pl-3"] : ["px-3", "pl-6"];
  const spaceOf = (place: number): string => cx(space, isAfterNumbers(columns, place) && afterNumbers);
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
          className={cx("w-full border-collapse text-left", isCards && "@max-[30rem]:block")}
        >
          <thead role="rowgroup" className={cx("sticky top-0 z-1", isCards && "@max-[30rem]:sr-only")}>
            <tr role="row" className="bg-sunken text-xs text-muted shadow-[inset_0_-1px_0_var(--color-line)]">
              {columns.map((column, place) => (
                <th
                  key={column.key}
                  scope="col"
                  role="columnheader"
                  className={cx(
                    "h-8 font-medium first:pl-4 last:pr-4",
                    // A title breaks before the table gets wider than its box.
                    "py-1 align-bottom hyphens-auto",
                    spaceOf(place),
                    column.align === "right" && "text-right",
                    column.width,
                    isLeftOut(column) && leftOut,
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
                className={cx("border-b border-line last:border-b-0", isCards && "@max-[30rem]:block")}
              >
                <tr
                  role="row"
                  className={cx(
                    "hover:bg-sunken",
                    isCards &&
                      "@max-[30rem]:relative @max-[30rem]:grid @max-[30rem]:grid-cols-3 @max-[20rem]:grid-cols-1 @max-[30rem]:gap-x-3 @max-[30rem]:gap-y-1.5 @max-[30rem]:px-4 @max-[30rem]:py-3",
                  )}
                >
                  {columns.map((column, place) => (
                    <Cell
                      key={column.key}
                      column={column}
                      part={isCards ? partOf(columns, place, headline) : "column"}
                      className={cx(spaceOf(place), isLeftOut(column) && leftOut)}
                    >
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

const leftOut = "@max-[30rem]:hidden";

/** How a card shows a cell, or that a phone shows it in a column. A mark stands before the headline in the table, and in the corner of the card. */
type Part = "mark" | "headline" | "text" | "number" | "actions" | "column";

function partOf<Row>(
  columns: readonly Column<Row>[],
  place: number,
  headline: Column<Row> | undefined,
): Exclude<Part, "column"> {
  const column = columns[place];
  if (column === headline) return "headline";
  if (column?.isTitleHidden === true) return place === 0 ? "mark" : "actions";
  const isNumber = (at: number): boolean => columns[at] !== headline && isFigure(columns[at]);
  if (!isNumber(place)) return "text";
  let first = place;
  while (isNumber(first - 1)) first -= 1;
  // The last number of a row of numbers would be the only one in its line.
  const isAlone = !isNumber(place + 1) && (place - first) % numbersInLine === 0;
  return isAlone ? "text" : "number";
}

const numbersInLine = 3;

const isFigure = <Row,>(column: Column<Row> | undefined): boolean =>
  column?.align === "right" && column.isTitleHidden !== true;

/** Whether text comes right after a column of numbers, which it would touch. */
const isAfterNumbers = <Row,>(columns: readonly Column<Row>[], place: number): boolean =>
  isFigure(columns[place - 1]) && columns[place]?.align !== "right";

const cardCell = "@max-[30rem]:block @max-[30rem]:h-auto @max-[30rem]:p-0! @max-[30rem]:text-left";

const partLook: Readonly<Record<Part, string>> = {
  column: "",
  mark: "@max-[30rem]:absolute @max-[30rem]:top-3 @max-[30rem]:right-4",
  headline: "@max-[30rem]:col-span-full @max-[30rem]:pr-8!",
  // A value that is not there needs no label.
  text: "@max-[30rem]:col-span-full @max-[30rem]:flex @max-[20rem]:block @max-[30rem]:items-baseline @max-[30rem]:gap-3 @max-[30rem]:has-[>div:empty,>div>div:only-child:empty]:hidden",
  number: "",
  // A menu without other buttons has room beside the headline.
  actions:
    "@max-[30rem]:col-span-3 @max-[20rem]:col-span-1 @max-[30rem]:has-[[data-row-menu]:only-child]:absolute @max-[30rem]:has-[[data-row-menu]:only-child]:top-2 @max-[30rem]:has-[[data-row-menu]:only-child]:right-2 @max-[20rem]:has-[[data-row-menu]:only-child]:static",
};

type CellProps = {
  readonly column: Pick<Column<never>, "title" | "align">;
  readonly part: Part;
  readonly className: string;
  readonly children: ReactNode;
};

function Cell({ column, part, className, children }: CellProps): ReactNode {
  const isLabeled = part === "text" || part === "number";
  return (
    <td
      role="cell"
      className={cx(
        "h-10 py-1.5 first:pl-4 last:pr-4",
        part !== "column" && cardCell,
        className,
        partLook[part],
        column.align === "right" && "text-right @min-[30rem]:whitespace-nowrap",
      )}
    >
      {isLabeled ? (
        <span
          aria-hidden
          className={cx("text-xs text-muted @min-[30rem]:hidden", part === "text" && "w-28 shrink-0")}
        >
          {column.title}
        </span>
      ) : null}
      <div className={cx("min-w-0", part === "text" && "@max-[30rem]:flex-1")}>{children}</div>
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
