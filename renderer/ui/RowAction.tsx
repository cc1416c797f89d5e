import { Ellipsis } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./controls/Button.tsx";
import { Menu } from "./controls/Menu.tsx";
import { cx } from "./cx.ts";
import type { Column } from "./Table.tsx";

export type RowActionProps = {
  readonly verb: string;
  /** Completes the name of the button for screen readers, e.g. "Retire" + "Ada's laptop". */
  readonly object: string;
  readonly look?: "quiet" | "plain";
  readonly disabled?: boolean;
  readonly onClick: () => void;
};

/** A button that acts on one row of a table. */
export function RowAction({
  verb,
  object,
  look = "quiet",
  disabled = false,
  onClick,
}: RowActionProps): ReactNode {
  return (
    <Button size="sm" look={look} disabled={disabled} onClick={onClick}>
      {verb}
      <span className="sr-only"> {object}</span>
    </Button>
  );
}

type RowActionsProps = {
  /** The row's name, for screen readers. */
  readonly row: string;
  /** The most usual action. Null: the row has only a menu. */
  readonly main: RowActionProps | null;
  readonly more: readonly Pick<RowActionProps, "verb" | "onClick">[];
};

/** The actions on a row that has no room for all: one is a button, and a menu has the others. */
export function RowActions({ row, main, more }: RowActionsProps): ReactNode {
  return (
    <>
      {main === null ? null : <RowAction {...main} />}
      {more.length === 0 ? null : (
        <Menu
          label={`More actions for ${row}`}
          align="end"
          trigger={
            <Button
              size="sm"
              look="quiet"
              aria-label={`More actions for ${row}`}
              data-row-menu
              className="px-1.5!"
            >
              <Ellipsis size={16} aria-hidden />
            </Button>
          }
          entries={more.map(({ verb, onClick }) => ({ label: verb, onSelect: onClick }))}
        />
      )}
    </>
  );
}

/**
 * A table's last column: the actions on a row.
 * @param width a Tailwind class: the width of a row's usual buttons in one line. More buttons wrap.
 */
export function actionColumn<Row>(width: string, actions: (row: Row) => ReactNode): Column<Row> {
  return {
    key: "actions",
    title: "Actions",
    isTitleHidden: true,
    align: "right",
    // The smallest width that holds the buttons.
    width: "w-px",
    cell: (row) => (
      <div
        className={cx(
          "ml-auto flex flex-wrap justify-end gap-1 @max-[30rem]:mx-0 @max-[30rem]:w-auto @max-[30rem]:justify-start",
          // In a card the words of the first button begin where the labels do.
          "@max-[30rem]:has-[>[data-look=quiet]:first-child]:-ml-2.5",
          width,
        )}
      >
        {actions(row)}
      </div>
    ),
  };
}
