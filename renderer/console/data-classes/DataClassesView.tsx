import { type ReactNode, useState } from "react";
import { plural } from "../../../app/format/quantity.ts";
import {
  type DataClass,
  dataClassLimits,
  type Lookers,
  usualClasses,
} from "../../../app/keys/data-classes.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { joinNames } from "../../ui/names.ts";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import { DataClassDialog } from "./DataClassDialog.tsx";

type Save = (classes: readonly DataClass[], words: string) => void;

type Props = {
  readonly classes: readonly DataClass[] | undefined;
  /** Null for those who may change nothing. */
  readonly onSave: Save | null;
};

/** The classes of data: their devices, how long they are kept, and who may look. */
export function DataClassesView({ classes, onSave }: Props): ReactNode {
  /** The index of the class that is edited; that after the last one adds one. */
  const [edited, setEdited] = useState<number | null>(null);
  const all = classes ?? [];
  const isFull = all.length >= dataClassLimits.classes;
  return (
    <Card
      flush
      title="Data classes"
      aside={
        onSave === null || classes === undefined || isFull ? null : (
          <Button size="sm" onClick={() => setEdited(all.length)}>
            Add class
          </Button>
        )
      }
    >
      <Table
        label="Data classes"
        columns={columns(all, onSave, setEdited)}
        rows={classes}
        keyOf={({ name }) => name}
        empty={
          <Empty title="No data classes yet">
            Say which devices get confidential requests, how long these are kept, and who may look at them.
          </Empty>
        }
      />
      {all.length < 2 ? null : (
        <p className="border-t border-line px-4 py-2 text-xs text-muted">
          From the least to the most sensitive class. An API key has a usual class and a highest one.
        </p>
      )}
      {edited === null || onSave === null ? null : (
        <DataClassDialog
          edited={all[edited] ?? newClass(all)}
          isNew={edited >= all.length}
          taken={all.flatMap(({ name }, at) => (at === edited ? [] : [name]))}
          onSave={(saved) => {
            onSave(
              [...all.slice(0, edited), saved, ...all.slice(edited + 1)],
              `The data class ${saved.name} was saved.`,
            );
            setEdited(null);
          }}
          onClose={() => setEdited(null)}
        />
      )}
    </Card>
  );
}

function newClass(all: readonly DataClass[]): DataClass {
  const name = usualClasses.find((each) => !all.some((one) => one.name === each)) ?? "";
  return { name, groups: [], keptHours: dataClassLimits.keptHours.usual, lookers: "requester" };
}

function columns(
  all: readonly DataClass[],
  onSave: Save | null,
  onEdit: (index: number) => void,
): readonly Column<DataClass>[] {
  const shown: readonly Column<DataClass>[] = [
    { key: "name", title: "Class", cell: ({ name }) => <span className="font-medium">{name}</span> },
    {
      key: "groups",
      title: "Devices",
      cell: ({ groups }) => (groups.length === 0 ? "Those with this class" : joinNames(groups)),
    },
    { key: "kept", title: "Kept", cell: ({ keptHours }) => keptWords(keptHours) },
    { key: "look", title: "Who may look", cell: ({ lookers }) => <LookWords lookers={lookers} /> },
  ];
  if (onSave === null) return shown;
  return [
    ...shown,
    actionColumn("w-64", (row) => {
      const at = all.indexOf(row);
      const before = all[at - 1];
      return (
        <>
          {before === undefined ? null : (
            <RowAction
              verb="Move up"
              object={row.name}
              onClick={() =>
                onSave(
                  [...all.slice(0, at - 1), row, before, ...all.slice(at + 1)],
                  `${row.name} is less sensitive than ${before.name} now.`,
                )
              }
            />
          )}
          <RowAction verb="Change" object={row.name} onClick={() => onEdit(at)} />
          <RowAction
            verb="Remove"
            object={row.name}
            onClick={() =>
              onSave(
                all.filter((each) => each !== row),
                `The rules of the data class ${row.name} were removed.`,
              )
            }
          />
        </>
      );
    }),
  ];
}

function LookWords({ lookers }: { readonly lookers: Lookers }): ReactNode {
  if (lookers === "requester") return "The requester";
  return lookers === "owners" ? "The requester and owners" : "The requester, owners and administrators";
}

function keptWords(hours: number): string {
  return hours % 24 === 0 ? plural(hours / 24, ["# day", "# days"]) : plural(hours, ["# hour", "# hours"]);
}
