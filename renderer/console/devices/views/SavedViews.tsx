import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../../convex/_generated/api.js";
import { Button } from "../../../ui/controls/Button.tsx";
import { Menu } from "../../../ui/controls/Menu.tsx";
import { NameDialog } from "../../../ui/overlays/NameDialog.tsx";
import type { ViewRow } from "../../data/rows.ts";
import { useAct, useScope, useSession } from "../../data/session-context.ts";
import { type Filters, settingsOf, viewOf } from "../fleet-filters.ts";
import { ManageViews } from "./ManageViews.tsx";
import { SaveView } from "./SaveView.tsx";

type Props = { readonly filters: Filters; readonly onFilters: (filters: Filters) => void };

type Opened = { readonly kind: "save" | "manage" } | { readonly kind: "rename"; readonly row: ViewRow };

/** Opens, saves and changes views: filters, order and columns under a name. */
export function SavedViews({ filters, onFilters }: Props): ReactNode {
  const views = useQuery(api.console.fleet.views.list, { session: useSession() });
  const mayShare = useScope("devices.change") !== null;
  const save = useAct(api.console.fleet.views.save);
  const change = useAct(api.console.fleet.views.change);
  const remove = useAct(api.console.fleet.views.remove);
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = (): void => setOpened(null);
  const changeRow = ({ viewId }: ViewRow, parts: Partial<Parts>, words: string) =>
    change({ viewId, ...parts }, (before) => ({
      words,
      undo: () => void change({ viewId, ...before }, "The view is as before."),
    }));
  return (
    <>
      <ViewMenu
        views={views ?? []}
        filters={filters}
        onOpen={(row) => onFilters(viewOf(row.view))}
        onSave={() => setOpened({ kind: "save" })}
        onManage={() => setOpened({ kind: "manage" })}
      />
      {opened?.kind === "save" ? (
        <SaveView
          mayShare={mayShare}
          onSave={(name, shared) =>
            save({ name, shared, view: settingsOf(filters) }, `The view ${name} was saved.`)
          }
          onClose={close}
        />
      ) : null}
      {opened?.kind === "manage" ? (
        <ManageViews
          views={views ?? []}
          mayShare={mayShare}
          onRename={(row) => setOpened({ kind: "rename", row })}
          onOverwrite={(row) => {
            close();
            void changeRow(row, { view: settingsOf(filters) }, `${row.name} shows what you see now.`);
          }}
          onShare={(row, shared) => {
            close();
            void changeRow(
              row,
              { shared },
              shared ? `${row.name} is shared.` : `${row.name} is not shared anymore.`,
            );
          }}
          onDelete={(row) => {
            close();
            const { viewId, name } = row;
            void remove({ viewId }, (deleted) => ({
              words: `The view ${name} was deleted.`,
              undo: () => void save(deleted, `${name} is back.`),
            }));
          }}
          onClose={close}
        />
      ) : null}
      {opened?.kind === "rename" ? (
        <NameDialog
          title={`Rename ${opened.row.name}`}
          action="Rename"
          initial={opened.row.name}
          onSave={(name) => changeRow(opened.row, { name }, `The view is called ${name}.`)}
          onClose={close}
        />
      ) : null}
    </>
  );
}

type Parts = Pick<ViewRow, "name" | "view" | "shared">;

type MenuProps = {
  readonly views: readonly ViewRow[];
  readonly filters: Filters;
  readonly onOpen: (row: ViewRow) => void;
  readonly onSave: () => void;
  readonly onManage: () => void;
};

/** The button names the view that is shown. */
export function ViewMenu({ views, filters, onOpen, onSave, onManage }: MenuProps): ReactNode {
  const shown = views.find(({ view }) => isShown(view, filters));
  return (
    <Menu
      label="Views"
      trigger={
        <Button className="max-w-56">
          <span className="truncate">{shown === undefined ? "Views" : `View: ${shown.name}`}</span>
        </Button>
      }
      entries={[
        ...views.map((row) => ({ label: viewLabel(row), onSelect: () => onOpen(row) })),
        { label: "Save as view…", onSelect: onSave },
        ...(views.length === 0 ? [] : [{ label: "Manage views…", onSelect: onManage }]),
      ]}
    />
  );
}

function viewLabel({ name, shared }: ViewRow): string {
  return shared ? `${name} (shared)` : name;
}

function isShown(view: ViewRow["view"], filters: Filters): boolean {
  return JSON.stringify(viewOf(view)) === JSON.stringify(filters);
}
