import { type ReactNode, useState } from "react";
import { energyWords } from "../../../app/format/energy.ts";
import { formatCount, formatPercent } from "../../../app/format/quantity.ts";
import { carbonGrams, cloudTotal, kilowattHours, measuredShare } from "../../../app/usage/comparison.ts";
import type { UsageRow } from "../../../app/usage/usage-table.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import type { UsageFactsRow } from "../data/rows.ts";
import { FactsDialog } from "./FactsDialog.tsx";
import { carbonWords, moneyWords } from "./usage-words.ts";

type Props = {
  /** Undefined while they load. */
  readonly facts: UsageFactsRow | undefined;
  readonly models: readonly UsageRow[] | undefined;
  readonly work: Pick<UsageRow, "runMs" | "energy"> | undefined;
  /** Null for those who may not change it. */
  readonly onSave: ((facts: UsageFactsRow) => Promise<boolean>) | null;
};

/** The same work in a cloud, and its energy and carbon: each with its method. */
export function ComparisonCard({ facts, models, work, onSave }: Props): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <Card
      title="Cloud, energy and carbon"
      aside={
        onSave === null || facts === undefined ? null : (
          <Button size="sm" onClick={() => setOpen(true)}>
            Enter numbers
          </Button>
        )
      }
    >
      {facts === undefined || models === undefined || work === undefined ? (
        <div className="-mx-4 -mb-4">
          <SkeletonRows />
        </div>
      ) : (
        <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[auto_1fr]">
          <Line name="In the cloud" value={cloudWords(facts, models)} method={cloudMethod(facts, models)} />
          <Line name="Energy" value={energyValue(work, facts)} method={energyMethod(work, facts)} />
          <Line
            name="Carbon"
            value={carbonValue(work, facts)}
            method={
              facts.gramsPerKwh === null
                ? "No carbon intensity of the grid is entered."
                : kilowattHours(work, facts) === null
                  ? "It needs the energy."
                  : typeof facts.gramsPerKwh === "number"
                    ? `Estimated: the energy × ${formatCount(facts.gramsPerKwh)} g CO₂ per kWh of the grid (entered).`
                    : "Estimated: the energy of each hour of the day × the carbon intensity of that hour (entered)."
            }
          />
        </dl>
      )}
      {open && onSave !== null && facts !== undefined ? (
        <FactsDialog
          facts={facts}
          models={(models ?? []).map(({ subject }) => subject).filter((subject) => subject !== "")}
          onSave={onSave}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </Card>
  );
}

type Work = NonNullable<Props["work"]>;

function energyValue(work: Work, facts: UsageFactsRow): string | null {
  const kwh = kilowattHours(work, facts);
  return kwh === null ? null : energyWords(kwh);
}

function energyMethod(work: Work, facts: UsageFactsRow): string {
  const { watts } = facts;
  const { energy, runMs } = work;
  if (energy === null) {
    return watts === null
      ? "No device told its energy, and no power of a device is entered."
      : `Estimated: ${formatCount(watts)} W per working device (entered) × the time that devices worked on answers (measured).`;
  }
  const share = measuredShare(work, facts) ?? 0;
  const sentences = [
    share === 0
      ? "Devices estimated it from their hardware."
      : `Meters of devices counted ${formatPercent(share * 100)} of it. The rest is estimated.`,
    "The draw at rest, failed attempts and the network are left out.",
  ];
  if (runMs > energy.runMs) {
    sentences.push(
      watts === null
        ? "Jobs whose device did not tell it are left out."
        : `For jobs whose device did not tell it: ${formatCount(watts)} W (entered) × their time.`,
    );
  }
  return sentences.join(" ");
}

function carbonValue(work: Work, facts: UsageFactsRow): string | null {
  const grams = carbonGrams(work, facts);
  return grams === null ? null : carbonWords(grams);
}

function cloudWords(facts: UsageFactsRow, models: readonly UsageRow[]): string | null {
  const { cost } = cloudTotal(models, facts.cloudPrices);
  return cost === null ? null : moneyWords(cost, facts.currency);
}

function cloudMethod({ cloudPrices }: UsageFactsRow, models: readonly UsageRow[]): string {
  if (cloudPrices.length === 0) return "No prices of a cloud are entered.";
  const { unpricedTokens } = cloudTotal(models, cloudPrices);
  const method = "The tokens of each model × the price of a cloud for a like model (entered).";
  const left = `${formatCount(unpricedTokens)} tokens of models without a price are left out.`;
  return unpricedTokens === 0 ? method : `${method} ${left}`;
}

type LineProps = { readonly name: string; readonly value: string | null; readonly method: string };

function Line({ name, value, method }: LineProps): ReactNode {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="mb-1 sm:mb-0">
        <span className="font-medium">{value ?? "–"}</span>
        <p className="text-xs text-muted">{method}</p>
      </dd>
    </>
  );
}
