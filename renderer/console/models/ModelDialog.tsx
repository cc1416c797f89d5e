import { type ReactNode, useCallback, useId, useState } from "react";
import { Field, inputClass } from "../../ui/controls/Field.tsx";
import { Tabs } from "../../ui/controls/Tabs.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { emptyRollout, parseRollout, type WantedRollout } from "../rollouts/rollout-form.ts";
import { RolloutChoice } from "../rollouts/RolloutFields.tsx";
import { EntryField } from "./EntryField.tsx";
import { type FormField, type ModelForm, parseForm } from "./model-form.ts";

type Parsed = Extract<ReturnType<typeof parseForm>, { kind: "ok" }>;

type Props = {
  /** The form's initial values. */
  readonly initial: ModelForm;
  /** Edits an existing model, whose name and file cannot change. */
  readonly isKnown: boolean;
  /** Reads a new model's file and fills the form with it. */
  readonly fromLink?: (fill: (fields: Partial<ModelForm>) => void) => ReactNode;
  /** The source of a new model's facts that is chosen at first. */
  readonly initialFrom?: "link" | "file";
  /** Devices in service, for the stages of a new model. Null while they are counted. */
  readonly devices?: number | null;
  /** `rollout`: null for all devices at once. Resolves to whether the server accepted it. */
  readonly onSave: (model: Parsed, rollout: WantedRollout | null) => Promise<boolean>;
  readonly onClose: () => void;
};

export function ModelDialog({
  initial,
  isKnown,
  fromLink,
  initialFrom = "link",
  devices = null,
  onSave,
  onClose,
}: Props): ReactNode {
  const [form, setForm] = useState(initial);
  const [rolloutForm, setRolloutForm] = useState(emptyRollout);
  const [tried, setTried] = useState(false);
  const [from, setFrom] = useState(initialFrom);
  const templateId = useId();
  const fill = useCallback((fields: Partial<ModelForm>) => setForm((now) => ({ ...now, ...fields })), []);
  const parsed = parseForm(form);
  const rollout = parseRollout(rolloutForm);
  const problems = tried && parsed.kind === "wrong" ? parsed.problems : {};
  const set = (field: FormField) => (typed: string) => setForm({ ...form, [field]: typed });
  const input = (field: FormField, label: string, more: { hint?: string; unit?: string } = {}): ReactNode => (
    <Field
      label={label}
      {...more}
      value={form[field]}
      error={problems[field] ?? null}
      onChange={(event) => set(field)(event.target.value)}
    />
  );
  const save = async (model: Parsed, wanted: WantedRollout | null): Promise<void> => {
    if (await onSave(model, wanted)) onClose();
  };
  return (
    <Dialog title={isKnown ? `Edit ${initial.modelId}` : "Add a model"} onClose={onClose}>
      <DialogForm
        action={isKnown ? "Save" : "Add"}
        onSubmit={() => {
          setTried(true);
          return parsed.kind === "ok" && rollout.kind === "ok" ? save(parsed, rollout.rollout) : undefined;
        }}
        onClose={onClose}
      >
        {isKnown ? null : (
          <>
            <div className="rounded-md border border-line p-3 pt-1">
              <Tabs
                label="Where the facts about the model come from"
                value={from}
                tabs={[
                  { value: "link", label: "From a link", content: fromLink?.(fill) },
                  { value: "file", label: "From your own file", content: <EntryField onRead={fill} /> },
                ]}
                onChange={setFrom}
              />
            </div>
            {input("modelId", "Name", { hint: "Requests use this name, e.g. “qwen3-4b”." })}
          </>
        )}
        {input("source", "Source", { hint: "Such as https://…, hf:user/repository/file.gguf, or bundled." })}
        {isKnown ? null : (
          <div className="grid grid-cols-[minmax(0,1fr)_9rem] items-start gap-3">
            {input("sha256", "SHA-256")}
            {input("sizeBytes", "Size", { unit: "bytes" })}
          </div>
        )}
        <div className="grid grid-cols-2 items-start gap-3">
          {input("contextTokens", "Context", { unit: "tokens" })}
          {input("licence", "License", { hint: "E.g. Apache-2.0." })}
          {input("prompt", "Prompt price (credits)", { unit: "per 1,000 tokens" })}
          {input("completion", "Answer price (credits)", { unit: "per 1,000 tokens" })}
        </div>
        <div className="grid gap-1">
          <label htmlFor={templateId} className="font-medium">
            Chat template (optional)
          </label>
          <textarea
            id={templateId}
            rows={3}
            value={form.template}
            placeholder="Default: the template in the model file"
            onChange={(event) => set("template")(event.target.value)}
            className={`${inputClass(problems.template !== undefined)} h-auto py-1.5 font-mono text-xs`}
          />
          {problems.template === undefined ? null : (
            <p role="alert" className="text-xs text-bad">
              {problems.template}
            </p>
          )}
        </div>
        {isKnown ? null : (
          <RolloutChoice
            form={rolloutForm}
            onChange={setRolloutForm}
            devices={devices}
            sizeBytes={parsed.kind === "ok" ? parsed.entry.sizeBytes : null}
          />
        )}
      </DialogForm>
    </Dialog>
  );
}
