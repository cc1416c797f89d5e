import { platformWords } from "../../../app/format/platform.ts";
import { formatCount, formatTenths, plural } from "../../../app/format/quantity.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import type { Measures } from "../data/rows.ts";
import type { Progress } from "./ask-api.ts";

/** `isWide`: it takes a whole line. */
type Fact = { readonly label: string; readonly value: string; readonly isWide?: boolean };

const unknown = "–";

/** How an answer came about, as pairs of a label and a figure. They are the same ones at every moment, so nothing jumps. */
export function measureFacts({ firstTokenMs, end }: Progress, measures: Measures | null): readonly Fact[] {
  const usage = measures?.usage ?? null;
  return [
    { label: "Waited", value: timeWords(measures?.queuedMs ?? null) },
    { label: "First token", value: timeWords(firstTokenMs) },
    { label: "Total", value: timeWords(end?.ms ?? null) },
    { label: "Speed", value: speedWords(measures) },
    {
      label: "Tokens",
      value:
        usage === null
          ? unknown
          : `${formatCount(usage.promptTokens)} in, ${formatCount(usage.completionTokens)} out`,
    },
    {
      label: "Cost",
      value: measures?.priceMicro == null ? unknown : formatCredits(measures.priceMicro),
    },
    { label: "Device", value: deviceWords(measures?.device ?? null), isWide: true },
    ...(measures !== null && measures.attempts > 1
      ? [{ label: "Attempts", value: plural(measures.attempts, ["# device", "# devices"]) }]
      : []),
  ];
}

function timeWords(ms: number | null): string {
  if (ms === null) return unknown;
  return ms < 1_000 ? `${formatCount(Math.max(0, Math.round(ms)))} ms` : `${formatTenths(ms / 1_000)} s`;
}

/** Of the device, by its own report: what comes through the network comes in pieces. */
function speedWords(measures: Measures | null): string {
  const { usage, timing } = measures ?? {};
  if (!usage || !timing || usage.completionTokens === 0 || timing.generateMs <= 0) return unknown;
  return `${formatCount(Math.round((usage.completionTokens * 1_000) / timing.generateMs))} tokens/s`;
}

function deviceWords(device: Measures["device"]): string {
  if (device === null) return unknown;
  const { platform, gpu, memoryGb } = device;
  const memory = memoryGb === null ? [] : [`up to ${formatCount(memoryGb)} GB`];
  return [platformWords(platform), ...(gpu ? ["GPU"] : []), ...memory].join(", ");
}
