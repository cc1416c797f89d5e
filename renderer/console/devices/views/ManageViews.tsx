import type { ReactNode } from "react";
import { Button } from "../../../ui/controls/Button.tsx";
import { Dialog, DialogActions } from "../../../ui/overlays/Dialog.tsx";
import { RowAction } from "../../../ui/RowAction.tsx";
import type { ViewRow } from "../../data/rows.ts";
import { hrefOf } from "../../shell/route.ts";
import { viewOf } from "../fleet-filters.ts";

type OnView = (row: ViewRow) => void;

type Props = {
  readonly views: readonly ViewRow[];
  readonly mayShare: boolean;
  readonly onRename: OnView;
  /** Puts what the page shows now into the view. */
  readonly onOverwrite: OnView;
  readonly onShare: (row: ViewRow, shared: boolean) => void;
  readonly onDelete: OnView;
  readonly onClose: () => void;
};

/** All views that the member has. Deleting one can be undone. */
export function ManageViews(props: Props): ReactNode {
  const { views, mayShare, onRename, onOverwrite, onShare, onDelete, onClose } = props;
  return (
    <Dialog title="Views" onClose={onClose}>
      <ul className="-mx-2 grid max-h-[60vh] overflow-y-auto">
        {views.map((row) => (
          <li key={row.viewId} className="grid gap-1 border-b border-line px-2 py-2.5 last:border-b-0">
            <div className="min-w-0">
              <a
                href={hrefOf("devices", undefined, viewOf(row.view))}
                className="font-medium wrap-anywhere text-accent hover:underline"
                onClick={onClose}
              >
                {row.name}
              </a>
              <p className="text-xs text-muted">
                {row.shared ? (row.isOwn ? "Shared by you" : `Shared by ${row.by}`) : "Only you see it"}
              </p>
            </div>
            {row.mayChange ? (
              <div className="-ml-2 flex flex-wrap gap-1">
                <RowAction verb="Rename" object={row.name} onClick={() => onRename(row)} />
                <RowAction
                  verb="Overwrite"
                  object={`${row.name} with what the page shows`}
                  onClick={() => onOverwrite(row)}
                />
                {mayShare && (row.isOwn || !row.shared) ? (
                  <RowAction
                    verb={row.shared ? "Stop sharing" : "Share"}
                    object={row.name}
                    onClick={() => onShare(row, !row.shared)}
                  />
                ) : null}
                <RowAction verb="Delete" object={row.name} onClick={() => onDelete(row)} />
              </div>
            ) : null}
          </li>
        ))}
      </ul>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}
