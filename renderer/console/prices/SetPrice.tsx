import { type ReactNode, useState } from "react";
import { typedNumber } from "../../../app/format/typed-number.ts";
import type { PriceFactors } from "../../../app/money/price-list.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { ModelRow } from "../data/rows.ts";
import { type ParsedPrice, parsePriceForm, type TypedPrice } from "./price-form.ts";

type Props = {
  readonly models: readonly ModelRow[];
  /** The valid percents. */
  readonly factors: PriceFactors;
  /** The names of the organization's data classes. */
  readonly dataClasses: readonly string[];
  /** ms epoch. */
  readonly now: number;
  /** Resolves to whether it was saved. */
  readonly onSave: (price: Extract<ParsedPrice, { kind: "ok" }>) => Promise<boolean>;
  readonly onClose: () => void;
};

const percents = [
  { name: "low", label: "Low priority" },
  { name: "normal", label: "Normal priority" },
  { name: "high", label: "High priority" },
  { name: "text", label: "Text" },
  { name: "embedding", label: "Embeddings" },
] as const;

/** Sets the price of a model, or the percents of all, from now on or from a later time on. */
export function SetPrice({ models, factors, dataClasses, now, onSave, onClose }: Props): ReactNode {
  const empty = (model: ModelRow | undefined): TypedPrice => formOf(model, factors, dataClasses);
  const [typed, setTyped] = useState<TypedPrice>(() => empty(models[0]));
  const parsed = parsePriceForm(typed, now);
  const field = (name: Exclude<keyof TypedPrice, "classes">) => ({
    value: typed[name],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setTyped({ ...typed, [name]: event.target.value }),
  });
  const options = [
    ...models.map(({ modelId }) => ({ value: modelId, label: modelId })),
    { value: "", label: "Percents of all models" },
  ];
  return (
    <Dialog title="Set a price" onClose={onClose}>
      <DialogForm
        action="Save"
        disabled={parsed.kind === "wrong"}
        onSubmit={async () => {
          if (parsed.kind === "ok" && (await onSave(parsed))) onClose();
        }}
        onClose={onClose}
      >
        <Select
          label="Price of"
          value={typed.subject}
          options={options}
          onChange={(subject) => {
            const chosen = models.find(({ modelId }) => modelId === subject);
            setTyped({ ...empty(chosen), begin: typed.begin, why: typed.why });
          }}
        />
        {typed.subject === "" ? (
          <>
            <p className="text-xs text-muted">
              Percent of the models’ prices. A job costs the product of its priority’s, its kind’s, its data
              class’s and its hour’s percent.
            </p>
            <div className="grid grid-cols-2 items-start gap-3">
              {percents.map(({ name, label }) => (
                <Field key={name} label={label} unit="%" inputMode="numeric" {...field(name)} />
              ))}
              {Object.entries(typed.classes).map(([name, percent]) => (
                <Field
                  key={name}
                  label={`Data class ${name}`}
                  unit="%"
                  inputMode="numeric"
                  value={percent}
                  onChange={({ target: { value } }) =>
                    setTyped({ ...typed, classes: { ...typed.classes, [name]: value } })
                  }
                />
              ))}
              <Field label="In some hours" unit="%" inputMode="numeric" {...field("hourPercent")} />
              <Field
                label="From hour"
                hint="UTC. Empty: no such hours."
                inputMode="numeric"
                {...field("from")}
              />
              <Field label="To hour" inputMode="numeric" {...field("to")} />
            </div>
          </>
        ) : (
          <div className="grid grid-cols-2 items-start gap-3">
            <Field label="Per 1,000 tokens in" unit="cr" inputMode="decimal" {...field("prompt")} />
            <Field label="Per 1,000 tokens out" unit="cr" inputMode="decimal" {...field("completion")} />
          </div>
        )}
        <Field
          label="Valid from"
          hint="Empty: from now on. Jobs keep the price of their submission."
          type="datetime-local"
          {...field("begin")}
        />
        <Field label="Reason" hint="It is shown in the history." maxLength={200} {...field("why")} />
        {parsed.kind === "wrong" ? (
          <p role="alert" className="text-xs text-bad">
            {parsed.why}
          </p>
        ) : null}
      </DialogForm>
    </Dialog>
  );
}

function formOf(
  model: ModelRow | undefined,
  factors: PriceFactors,
  dataClasses: readonly string[],
): TypedPrice {
  const { low, normal, high, text, embedding, classes = [], hours } = factors;
  // A class whose rules were removed may have a price.
  const names = new Set([...dataClasses, ...classes.map(({ name }) => name)]);
  const percentOf = (each: string): number => classes.find(({ name }) => name === each)?.percent ?? 100;
  const perThousand = (micro = 0n): string => typedNumber(Number(micro) / 1_000);
  return {
    subject: model?.modelId ?? "",
    prompt: perThousand(model?.price.promptMicro),
    completion: perThousand(model?.price.completionMicro),
    low: String(low),
    normal: String(normal),
    high: String(high),
    text: String(text),
    embedding: String(embedding),
    classes: Object.fromEntries([...names].map((name) => [name, String(percentOf(name))])),
    from: hours === null ? "" : String(hours.from),
    to: hours === null ? "" : String(hours.to),
    hourPercent: String(hours?.percent ?? 100),
    begin: "",
    why: "",
  };
}
