import { type ReactNode, useId, useState } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Field, inputClass } from "../../ui/controls/Field.tsx";
import { Dialog, DialogActions } from "../../ui/overlays/Dialog.tsx";
import { type FormField, type ModelForm, parseForm, readEntry } from "./model-form.ts";

type Parsed = Extract<ReturnType<typeof parseForm>, { kind: "ok" }>;

type Props = {
  /** The form's initial values. Null while the dialog is closed. */
  readonly first: ModelForm | null;
  /** Edits an existing model, whose name and file cannot change. */
  readonly isKnown: boolean;
  /** Resolves to whether the server accepted it. */
  readonly onSave: (model: Parsed) => Promise<boolean>;
  readonly onClose: () => void;
};

export function ModelDialog({ first, isKnown, onSave, onClose }: Props): ReactNode {
  const title = isKnown ? `Change ${first?.modelId ?? ""}` : "Add a model";
  return (
    <Dialog open={first !== null} title={title} onClose={onClose}>
      {first === null ? null : <Form first={first} isKnown={isKnown} onSave={onSave} onClose={onClose} />}
    </Dialog>
  );
}

type FormProps = Omit<Props, "first"> & { readonly first: ModelForm };

function Form({ first, isKnown, onSave, onClose }: FormProps): ReactNode {
  const [form, setForm] = useState(first);
  const [tried, setTried] = useState(false);
  const [unread, setUnread] = useState(false);
  const [busy, setBusy] = useState(false);
  const templateId = useId();
  const fileId = useId();
  const parsed = parseForm(form);
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
  const submit = async (): Promise<void> => {
    setTried(true);
    if (parsed.kind === "wrong") return;
    setBusy(true);
    const taken = await onSave(parsed);
    setBusy(false);
    if (taken) onClose();
  };
  const read = async (file: File | undefined): Promise<void> => {
    const entry = file === undefined || file.size > 4_000_000 ? null : readEntry(await file.text());
    setUnread(entry === null);
    if (entry !== null) setForm({ ...form, ...entry });
  };
  return (
    <form
      noValidate
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {isKnown ? null : (
        <>
          <div className="grid gap-1">
            <label htmlFor={fileId} className="font-medium">
              Entry from a file (optional)
            </label>
            <input
              id={fileId}
              type="file"
              accept=".json,application/json"
              onChange={(event) => void read(event.target.files?.[0])}
              className="text-xs text-muted file:mr-3 file:h-7 file:rounded-md file:border file:border-line file:bg-surface file:px-2.5 file:text-xs file:font-medium file:text-ink"
            />
            <p
              role={unread ? "alert" : undefined}
              className={unread ? "text-xs text-bad" : "text-xs text-muted"}
            >
              {unread
                ? "This file does not contain a model entry."
                : form.pieces === null
                  ? "Create it with gleaner entry FILE --source …. With the hashes of the pieces, devices can share the file in an office."
                  : `${formatCount(form.pieces.pieceHashes.length)} hashes of pieces are included.`}
            </p>
          </div>
          {input("modelId", "Name", { hint: "The name in requests, e.g. “qwen3-4b”." })}
        </>
      )}
      {input("source", "Source", { hint: "https://…, hf:user/repository/file.gguf, or bundled." })}
      {isKnown ? null : (
        <div className="grid grid-cols-[minmax(0,1fr)_9rem] items-start gap-3">
          {input("sha256", "SHA-256")}
          {input("sizeBytes", "Size", { unit: "bytes" })}
        </div>
      )}
      <div className="grid grid-cols-2 items-start gap-3">
        {input("contextTokens", "Context", { unit: "tokens" })}
        {input("licence", "License", { hint: "E.g. Apache-2.0." })}
        {input("prompt", "Prompt", { unit: "credits / million" })}
        {input("completion", "Answer", { unit: "credits / million" })}
      </div>
      <div className="grid gap-1">
        <label htmlFor={templateId} className="font-medium">
          Chat template (optional)
        </label>
        <textarea
          id={templateId}
          rows={3}
          value={form.template}
          placeholder="The one in the model's file"
          onChange={(event) => set("template")(event.target.value)}
          className={`${inputClass(problems.template !== undefined)} h-auto py-1.5 font-mono text-xs`}
        />
        {problems.template === undefined ? null : (
          <p role="alert" className="text-xs text-bad">
            {problems.template}
          </p>
        )}
      </div>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={busy}>
          {isKnown ? "Change" : "Add"}
        </Button>
      </DialogActions>
    </form>
  );
}
