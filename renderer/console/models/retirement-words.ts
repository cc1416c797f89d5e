import { formatCount } from "../../../app/format/quantity.ts";
import { countedWords } from "../../../app/statistics/counted.ts";
import type { RetirementImpact } from "../data/rows.ts";

type Row = { readonly label: string; readonly words: string };

/** The things that a model's retirement touches, each with its number and what happens to it. */
export function impactRows(
  { waiting, running, isDefault, aliases, devices }: RetirementImpact,
  isRollingOut: boolean,
): readonly Row[] {
  return [
    {
      label: "Waiting jobs",
      words:
        waiting.count === 0 && waiting.exact ? "None" : `${countedWords(waiting)}: they end with an error`,
    },
    {
      label: "Running jobs",
      words: running.count === 0 && running.exact ? "None" : `${countedWords(running)}: they finish`,
    },
    {
      label: "Default model",
      words: isDefault ? "Yes: requests that name no model are refused" : "No",
    },
    {
      label: "Aliases",
      words: aliases.length === 0 ? "None" : `${aliases.join(", ")}: requests for them are refused`,
    },
    {
      label: "Devices with it",
      words: devices === 0 ? "None" : `${formatCount(devices)}: they may delete the file`,
    },
    ...(isRollingOut ? [{ label: "Roll-out", words: "It rests until you reinstate the model" }] : []),
  ];
}
