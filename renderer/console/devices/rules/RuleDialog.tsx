import { type ReactNode, useState } from "react";
import { platformWords } from "../../../../app/format/platform.ts";
import { Field } from "../../../ui/controls/Field.tsx";
import { type Option, Select } from "../../../ui/controls/Select.tsx";
import { Dialog } from "../../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../../ui/overlays/DialogForm.tsx";
import { draftOf, type RuleForm } from "./rule-form.ts";
import type { RuleDraft } from "./useRulePreview.ts";

type Props = {
  readonly title: string;
  readonly initial: RuleForm;
  /** Chooses the owner that the rule asks for. */
  readonly ownerPicker: (value: RuleForm["owner"], onChange: (owner: RuleForm["owner"]) => void) => ReactNode;
  /** Shows what the draft would do; undefined while the form means no rule. */
  readonly preview: (draft: RuleDraft | undefined) => ReactNode;
  /** Resolves to false if the server refused. */
  readonly onSave: (draft: RuleDraft) => Promise<boolean>;
  readonly onClose: () => void;
};

const systems: readonly Option[] = [
  { value: "", label: "Any" },
  ...["win32", "darwin", "linux"].map((value) => ({ value, label: platformWords(value) })),
];

const gpus: readonly Option[] = [
  { value: "", label: "Any or none" },
  { value: "any", label: "Some GPU" },
  { value: "cuda", label: "GPU with CUDA" },
  { value: "vulkan", label: "GPU with Vulkan" },
  { value: "metal", label: "GPU with Metal" },
  { value: "none", label: "No GPU" },
];

/** A new rule, or a change of one. Devices have to fit all conditions. */
export function RuleDialog({ title, initial, ownerPicker, preview, onSave, onClose }: Props): ReactNode {
  const [form, setForm] = useState(initial);
  const [error, setError] = useState<string | null>(null);
  const draft = draftOf(form);
  const set = (part: Partial<RuleForm>): void => {
    setError(null);
    setForm({ ...form, ...part });
  };
  const text = (name: "named" | "fromVersion" | "memoryGb" | "tag" | "model", label: string, more = {}) => (
    <Field
      label={label}
      maxLength={120}
      value={form[name]}
      onChange={({ target }) => set({ [name]: target.value })}
      {...more}
    />
  );
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm
        action="Save"
        onSubmit={() => {
          if ("error" in draft) {
            setError(draft.error);
            return undefined;
          }
          return onSave(draft).then((saved) => (saved ? onClose() : undefined));
        }}
        onClose={onClose}
      >
        <Field
          label="Group"
          hint="Devices that fit all conditions below join this group."
          maxLength={120}
          value={form.group}
          onChange={({ target }) => set({ group: target.value })}
        />
        <fieldset className="grid items-start gap-3 sm:grid-cols-2">
          <legend className="mb-1 text-xs text-muted">Conditions. Leave out those that do not matter.</legend>
          {text("named", "Name contains")}
          <Select
            label="System"
            value={form.platform}
            options={systems}
            onChange={(platform) => set({ platform })}
          />
          {text("memoryGb", "Memory, at least", { unit: "GB", inputMode: "decimal" })}
          <Select label="GPU" value={form.gpu} options={gpus} onChange={(gpu) => set({ gpu })} />
          {text("fromVersion", "Version, at least", { placeholder: "0.3.0" })}
          {text("tag", "Tag")}
          {text("model", "Offers the model")}
          {ownerPicker(form.owner, (owner) => set({ owner }))}
        </fieldset>
        {error === null ? null : (
          <p role="alert" className="text-bad">
            {error}
          </p>
        )}
        {preview("error" in draft ? undefined : draft)}
      </DialogForm>
    </Dialog>
  );
}
