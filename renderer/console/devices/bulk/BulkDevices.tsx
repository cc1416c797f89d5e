import { type ReactNode, useState } from "react";
import type { BulkAct, BulkKind } from "../../../../app/devices/bulk.ts";
import { plural } from "../../../../app/format/quantity.ts";
import { api } from "../../../../convex/_generated/api.js";
import type { Id } from "../../../../convex/_generated/dataModel.js";
import { Button } from "../../../ui/controls/Button.tsx";
import { Toolbar } from "../../../ui/controls/Toolbar.tsx";
import { useAct } from "../../data/session-context.ts";
import { type Filters, listArgsOf } from "../fleet-filters.ts";
import { BulkProgress } from "./BulkProgress.tsx";
import { GroupDialog } from "./GroupDialog.tsx";
import { UpdateDialog } from "./UpdateDialog.tsx";

/** The chosen devices, or all that fit the filters. */
export type Selection = ReadonlySet<string> | "all";

type Props = {
  readonly selection: Selection;
  readonly filters: Filters;
  /** The newest version that a device has. "" before one has told its version. */
  readonly newest: string;
  readonly onSelect: (selection: Selection) => void;
};

/** Acts on many devices. Each act first shows its preview. */
export function BulkDevices({ selection, filters, newest, onSelect }: Props): ReactNode {
  const prepare = useAct(api.console.bulkDevices.prepare);
  const [bulkId, setBulkId] = useState<Id<"bulkActs"> | null>(null);
  const [asking, setAsking] = useState<"group" | "update" | null>(null);
  const preview = (act: BulkAct): void => {
    const { order: _order, descending: _descending, ...fitting } = listArgsOf(filters);
    const chosen =
      selection === "all" ? { filters: fitting } : { deviceIds: [...selection] as Id<"devices">[] };
    void prepare({ act, chosen }, (id) => {
      setBulkId(id);
      return undefined;
    });
  };
  return (
    <>
      <BulkBar
        selection={selection}
        onAct={(kind) =>
          kind === "group" || kind === "update" ? setAsking(kind) : preview({ kind, group: "" })
        }
        onSelect={onSelect}
      />
      {asking === "group" ? (
        <GroupDialog onGroup={(group) => preview({ kind: "group", group })} onClose={() => setAsking(null)} />
      ) : null}
      {asking === "update" ? (
        <UpdateDialog
          newest={newest}
          onVersion={(version) => preview({ kind: "update", group: "", version })}
          onClose={() => setAsking(null)}
        />
      ) : null}
      {bulkId === null ? null : <BulkProgress key={bulkId} bulkId={bulkId} onClose={() => setBulkId(null)} />}
    </>
  );
}

const acts: readonly { readonly label: string; readonly kind: BulkKind }[] = [
  { label: "Pause…", kind: "pause" },
  { label: "Finish and pause…", kind: "drain" },
  { label: "Resume…", kind: "resume" },
  { label: "Move to group…", kind: "group" },
  { label: "Ask for an update…", kind: "update" },
  { label: "Retire…", kind: "retire" },
];

type BarProps = {
  readonly selection: Selection;
  readonly onAct: (kind: BulkKind) => void;
  readonly onSelect: (selection: Selection) => void;
};

export function BulkBar({ selection, onAct, onSelect }: BarProps): ReactNode {
  const isEmpty = selection !== "all" && selection.size === 0;
  return (
    <Toolbar
      label="Selected devices"
      chosen={selection === "all" ? selection : selection.size}
      choosing={
        <>
          {selection === "all" ? null : (
            <Button size="sm" look="quiet" onClick={() => onSelect("all")}>
              Select all that fit
            </Button>
          )}
          {isEmpty ? null : (
            <Button size="sm" look="quiet" onClick={() => onSelect(new Set())}>
              Clear selection
            </Button>
          )}
        </>
      }
    >
      {isEmpty ? null : (
        <span className="mr-2 font-medium">
          {selection === "all"
            ? "All devices that fit are selected"
            : `${plural(selection.size, ["# device", "# devices"])} selected`}
        </span>
      )}
      {isEmpty
        ? null
        : acts.map(({ label, kind }) => (
            <Button key={kind} size="sm" onClick={() => onAct(kind)}>
              {label}
            </Button>
          ))}
    </Toolbar>
  );
}
