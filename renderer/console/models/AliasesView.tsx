import type { ReactNode } from "react";
import { defaultAlias } from "../../../app/models/aliases.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { AliasRow } from "../data/rows.ts";

type Changes = {
  readonly onAdd: () => void;
  readonly onSetDefault: () => void;
  readonly onChange: (alias: AliasRow) => void;
  readonly onRemove: (alias: AliasRow) => void;
};

type Props = {
  readonly aliases: readonly AliasRow[] | undefined;
  readonly retired: readonly string[];
  /** Null for those who may change no models. */
  readonly changes: Changes | null;
};

/** Other names for models, and the model of requests that name none. */
export function AliasesView({ aliases, retired, changes }: Props): ReactNode {
  const hasDefault = aliases?.some(({ alias }) => alias === defaultAlias) ?? true;
  return (
    <Card
      flush
      title="Aliases"
      aside={
        changes === null ? null : (
          <Button size="sm" onClick={changes.onAdd}>
            Add alias
          </Button>
        )
      }
    >
      <Table
        label="Aliases"
        columns={columns(retired, changes)}
        rows={aliases}
        keyOf={({ alias }) => alias}
        empty={
          <Empty title="No aliases yet">
            Programs that ask for “gpt-4o-mini” can use a model of yours: give it this name, too.
          </Empty>
        }
      />
      {hasDefault ? null : (
        <div className="flex items-center justify-between gap-3 border-t border-line px-4 py-1.5 text-xs text-muted">
          <p>There is no default model: requests that name none are refused.</p>
          {changes === null ? null : (
            <Button size="sm" look="quiet" className="-mr-2.5 shrink-0" onClick={changes.onSetDefault}>
              Set default model
            </Button>
          )}
        </div>
      )}
    </Card>
  );
}

function columns(retired: readonly string[], changes: Changes | null): readonly Column<AliasRow>[] {
  const shown: readonly Column<AliasRow>[] = [
    {
      key: "alias",
      title: "Alias",
      cell: ({ alias }) => (
        <div className="min-w-36 wrap-anywhere">
          <p className="font-medium">{alias}</p>
          {alias === defaultAlias ? (
            <p className="text-xs text-muted">Requests that name no model, and the playground</p>
          ) : null}
        </div>
      ),
    },
    {
      key: "model",
      title: "Stands for",
      cell: ({ modelId }) => (
        <span className="inline-flex flex-wrap items-center gap-1.5 wrap-anywhere">
          {modelId}
          {retired.includes(modelId) ? <Badge tone="hold">Retired: requests are refused</Badge> : null}
        </span>
      ),
    },
  ];
  if (changes === null) return shown;
  return [
    ...shown,
    actionColumn("w-44", (row) => (
      <>
        <RowAction verb="Change" object={row.alias} onClick={() => changes.onChange(row)} />
        <RowAction verb="Remove" object={row.alias} onClick={() => changes.onRemove(row)} />
      </>
    )),
  ];
}
