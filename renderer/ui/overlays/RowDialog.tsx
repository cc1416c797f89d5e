import type { ReactNode } from "react";
import { Dialog } from "./Dialog.tsx";

type Props<Row> = {
  /** Null closes the dialog, which then forgets what was typed. */
  readonly row: Row | null;
  readonly title: (name: string) => string;
  readonly onClose: () => void;
  readonly children: (row: Row) => ReactNode;
};

/** A dialog about one row of a table. */
export function RowDialog<Row extends { readonly name: string }>(props: Props<Row>): ReactNode {
  const { row, title, onClose, children } = props;
  return (
    <Dialog open={row !== null} title={title(row?.name ?? "")} onClose={onClose}>
      {row === null ? null : children(row)}
    </Dialog>
  );
}
