import { type ReactNode, useState } from "react";
import { defaultAlias } from "../../../app/models/aliases.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { AliasRow } from "../data/rows.ts";

type Props = {
  /** The alias to change; null for a new one. */
  readonly changed: AliasRow | null;
  /** The fixed name of a new alias; null if the member chooses it. */
  readonly newName: string | null;
  /** The models that are not retired. */
  readonly models: readonly string[];
  /** The keys that a change affects. */
  readonly users: ReactNode;
  /** Resolves to whether the server accepted it. */
  readonly onSave: (wanted: { readonly alias: string; readonly modelId: string }) => Promise<boolean>;
  readonly onClose: () => void;
};

/** Adds an alias, or lets it stand for another model. */
export function AliasDialog({ changed, newName, models, users, onSave, onClose }: Props): ReactNode {
  const [name, setName] = useState(newName ?? "");
  const [picked, setPicked] = useState<string | null>(null);
  // The models may come after the dialog was opened.
  const present = changed !== null && models.includes(changed.modelId) ? changed.modelId : (models[0] ?? "");
  const modelId = picked ?? present;
  const alias = changed?.alias ?? name.trim();
  const isDefault = alias === defaultAlias;
  const title =
    changed !== null
      ? isDefault
        ? "Change the default model"
        : `Change ${alias}`
      : newName === defaultAlias
        ? "Set a default model"
        : "Add an alias";
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm
        action="Save"
        disabled={alias === "" || modelId === "" || changed?.modelId === modelId}
        onSubmit={async () => {
          if (await onSave({ alias, modelId })) onClose();
        }}
        onClose={onClose}
      >
        {changed !== null || newName !== null ? null : (
          <Field
            label="Alias"
            hint="Requests may use this name, e.g. “gpt-4o-mini” or “small”."
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
        <Select
          label={isDefault ? "Model of requests that name none" : "Stands for"}
          value={modelId}
          options={models.map((value) => ({ value, label: value }))}
          onChange={setPicked}
        />
        {changed === null ? null : users}
      </DialogForm>
    </Dialog>
  );
}
