import { type ReactNode, useState } from "react";
import { typedNumber } from "../../../app/format/typed-number.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { TextArea } from "../../ui/controls/TextArea.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { UsageFactsRow } from "../data/rows.ts";
import { parseFacts } from "./parse-usage-form.ts";

type Props = {
  readonly facts: UsageFactsRow;
  /** The models that were used in the time. */
  readonly models: readonly string[];
  /** Resolves to whether it was saved. */
  readonly onSave: (facts: UsageFactsRow) => Promise<boolean>;
  readonly onClose: () => void;
};

/** Enters the numbers that usage is compared with. An empty field means unknown. */
export function FactsDialog({ facts, models, onSave, onClose }: Props): ReactNode {
  const [currency, setCurrency] = useState(facts.currency);
  const [watts, setWatts] = useState(facts.watts === null ? "" : typedNumber(facts.watts));
  const [grams, setGrams] = useState(() =>
    [facts.gramsPerKwh ?? []]
      .flat()
      .map((each) => typedNumber(each))
      .join(" "),
  );
  const [prices, setPrices] = useState(() => initialPrices(facts, models));
  const parsed = parseFacts({ currency, watts, grams, prices });
  const setPrice = (at: number, part: "prompt" | "completion", text: string): void =>
    setPrices(prices.map((price, index) => (index === at ? { ...price, [part]: text } : price)));
  return (
    <Dialog title="Cloud, energy and carbon" onClose={onClose}>
      <DialogForm
        action="Save"
        disabled={parsed.kind === "wrong"}
        onSubmit={async () => {
          if (parsed.kind === "ok" && (await onSave(parsed.facts))) onClose();
        }}
        onClose={onClose}
      >
        <p className="text-xs text-muted">
          Only what you enter is used. An empty field means unknown, and nothing is estimated from it.
        </p>
        <Field
          label="Power of a device that works on an answer"
          hint="Only for jobs whose device did not tell its energy. Measure it at the plug: the power while it works, less the power while it does nothing."
          unit="W"
          inputMode="decimal"
          value={watts}
          onChange={(event) => setWatts(event.target.value)}
        />
        <TextArea
          label="Carbon intensity of your grid, g CO₂ per kWh"
          hint="One number, or 24 for the hours of the day from midnight UTC. Your supplier or your grid operator publishes it."
          rows={2}
          value={grams}
          onChange={(event) => setGrams(event.target.value)}
        />
        <Field
          label="Currency of cloud prices"
          hint="Such as EUR."
          value={currency}
          onChange={(event) => setCurrency(event.target.value)}
        />
        {prices.map(({ modelId, prompt, completion }, at) => (
          <fieldset key={modelId} className="grid grid-cols-2 gap-3">
            <legend className="mb-1 font-medium wrap-anywhere">
              {modelId} <span className="font-normal text-muted">in a cloud, per million tokens</span>
            </legend>
            <Field
              label="Prompt"
              inputMode="decimal"
              value={prompt}
              onChange={(event) => setPrice(at, "prompt", event.target.value)}
            />
            <Field
              label="Answer"
              inputMode="decimal"
              value={completion}
              onChange={(event) => setPrice(at, "completion", event.target.value)}
            />
          </fieldset>
        ))}
        {parsed.kind === "wrong" ? (
          <p role="alert" className="text-xs text-bad">
            {parsed.why}
          </p>
        ) : null}
      </DialogForm>
    </Dialog>
  );
}

function initialPrices({ cloudPrices }: UsageFactsRow, models: readonly string[]) {
  const known = new Map(cloudPrices.map((price) => [price.modelId, price]));
  const typed = (price: number | undefined): string => (price === undefined ? "" : typedNumber(price));
  return [...new Set([...models, ...known.keys()])].map((modelId) => ({
    modelId,
    prompt: typed(known.get(modelId)?.prompt),
    completion: typed(known.get(modelId)?.completion),
  }));
}
