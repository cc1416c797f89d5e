import { type ReactNode, useState } from "react";
import { formatMonth } from "../../../app/format/time.ts";
import { Card } from "../../ui/Card.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { RetentionRow } from "../data/rows.ts";
import { kindWords } from "./archive-words.ts";

type Props = {
  /** Undefined while they load. */
  readonly retention: readonly RetentionRow[] | undefined;
  /** Null for members who may only look. */
  readonly onEdit: ((kept: RetentionRow) => void) | null;
};

/** How long rows of each kind are kept in the database. */
export function RetentionCard({ retention, onEdit }: Props): ReactNode {
  return (
    <Card flush title="Kept in the database">
      <Table
        label="Kept in the database"
        columns={onEdit === null ? columns : [...columns, changeColumn(onEdit)]}
        rows={retention}
        keyOf={({ kind }) => kind}
      />
    </Card>
  );
}

const columns: readonly Column<RetentionRow>[] = [
  { key: "kind", title: "Rows of", cell: ({ kind }) => kindWords(kind) },
  { key: "days", title: "Days", align: "right", width: "w-24", cell: ({ days }) => String(days) },
  { key: "least", title: "At least", align: "right", width: "w-24", cell: ({ least }) => String(least) },
  { key: "before", title: "In archives before", width: "w-40", cell: ({ before }) => formatMonth(before) },
];

function changeColumn(onEdit: (kept: RetentionRow) => void): Column<RetentionRow> {
  return actionColumn("w-28", (kept) => (
    <RowAction verb="Change" object={kindWords(kept.kind)} onClick={() => onEdit(kept)} />
  ));
}

type DialogProps = {
  readonly kept: RetentionRow;
  /** Resolves to whether it was saved. */
  readonly onSave: (days: number, reason: string) => Promise<boolean>;
  readonly onClose: () => void;
};

export function RetentionDialog({
  kept: { kind, days, standard, least, most },
  onSave,
  onClose,
}: DialogProps): ReactNode {
  const [typed, setTyped] = useState(String(days));
  const [reason, setReason] = useState("");
  const wanted = /^\d{1,5}$/.test(typed.trim()) ? Number(typed) : NaN;
  const fits = wanted >= least && wanted <= most;
  return (
    <Dialog title={`Days for ${kindWords(kind)}`} onClose={onClose}>
      <DialogForm
        action="Save"
        disabled={!fits || wanted === days || reason.trim() === ""}
        onSubmit={async () => {
          if (await onSave(wanted, reason)) onClose();
        }}
        onClose={onClose}
      >
        <Field
          label="Days in the database"
          hint={`From ${String(least)} to ${String(most)}. Without a setting: ${String(standard)}.`}
          inputMode="numeric"
          error={fits ? null : `Type a whole number from ${String(least)} to ${String(most)}.`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Field
          label="Reason"
          hint="It is kept in the audit trail."
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <p className="text-xs text-muted">
          Rows that are older move into archives within six hours. They do not come back when you choose a
          longer time.
        </p>
      </DialogForm>
    </Dialog>
  );
}
