import type { ReactNode } from "react";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { Switch } from "../../ui/controls/Switch.tsx";
import { TextArea } from "../../ui/controls/TextArea.tsx";
import type { Format, FormProblems, NumberField, PlaygroundForm } from "./playground-request.ts";

type Props = {
  readonly form: PlaygroundForm;
  readonly problems: FormProblems;
  readonly onChange: (form: PlaygroundForm) => void;
};

const formats: Readonly<Record<Format, string>> = {
  text: "Text",
  json: "Any JSON",
  schema: "JSON of a schema",
  tools: "Text or tool calls",
};

/** The parameters of a chat or a completion. */
export function Parameters({ form, problems, onChange }: Props): ReactNode {
  const number = (field: NumberField, label: string, placeholder: string): ReactNode => (
    <Field
      label={label}
      inputMode="decimal"
      placeholder={placeholder}
      value={form[field]}
      error={problems[field] ?? null}
      onChange={(event) => onChange({ ...form, [field]: event.target.value })}
    />
  );
  const offered = Object.entries(formats)
    .filter(([value]) => value !== "tools" || form.mode === "chat")
    .map(([value, label]) => ({ value, label }));
  return (
    <div className="grid gap-3">
      <div className="grid grid-cols-2 items-start gap-3">
        {number("temperature", "Temperature", "1")}
        {number("maxTokens", "Max tokens", "model's limit")}
        {number("topP", "Top p", "1")}
        {number("seed", "Seed", /* @wc-include */ "random")}
      </div>
      <TextArea
        label="Stop texts, one a line"
        rows={2}
        value={form.stop}
        onChange={(event) => onChange({ ...form, stop: event.target.value })}
      />
      <Select
        label="Answer"
        value={form.mode === "chat" || form.format !== "tools" ? form.format : "text"}
        options={offered}
        onChange={(format) => onChange({ ...form, format: format as Format })}
      />
      {form.format === "schema" ? (
        <TextArea
          code
          label="JSON schema"
          rows={8}
          value={form.schema}
          error={problems.schema ?? null}
          onChange={(event) => onChange({ ...form, schema: event.target.value })}
        />
      ) : null}
      {form.format === "tools" && form.mode === "chat" ? (
        <TextArea
          code
          label="Tools"
          rows={8}
          value={form.tools}
          error={problems.tools ?? null}
          onChange={(event) => onChange({ ...form, tools: event.target.value })}
        />
      ) : null}
      <div className="flex items-center justify-between gap-3">
        <span className="font-medium">Stream the answer</span>
        <Switch
          label="Stream the answer"
          checked={form.stream}
          onChange={(stream) => onChange({ ...form, stream })}
        />
      </div>
    </div>
  );
}
