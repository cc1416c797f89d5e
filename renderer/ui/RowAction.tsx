import type { ReactNode } from "react";
import { Button } from "./controls/Button.tsx";
import type { Column } from "./Table.tsx";

type Props = {
  readonly verb: string;
  /** Completes the name of the button for screen readers, e.g. "Retire" + "Ada's laptop". */
  readonly object: string;
  readonly look?: "quiet" | "plain";
  readonly disabled?: boolean;
  readonly onClick: () => void;
};

/** A button that acts on one row of a table. */
export function RowAction({ verb, object, look = "quiet", disabled = false, onClick }: Props): ReactNode {
  return (
    <Button size="sm" look={look} aria-label={`${verb} ${object}`} disabled={disabled} onClick={onClick}>
      {verb}
    </Button>
  );
}

/** A table's last column: the actions on a row. */
export function actionColumn<Row>(width: string, actions: (row: Row) => ReactNode): Column<Row> {
  return {
    key: "actions",
    title: "",
    align: "right",
    width,
    cell: (row) => <span className="inline-flex flex-wrap justify-end gap-1">{actions(row)}</span>,
  };
}
