import { formatCount } from "../../../app/format/quantity.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { countedSum, countedWords } from "../../../app/statistics/counted.ts";
import type { Tone } from "../../ui/tone.ts";
import type { QueueStats, Summary } from "../data/rows.ts";

export type Tile = {
  readonly label: string;
  readonly value: string;
  readonly note: string;
  readonly tone: Tone | null;
};

const labels = [
  "Devices online",
  "Jobs running",
  "Jobs queued",
  "Jobs done",
  "Credits earned",
  "Ledger",
] as const;

/** The overview's figures. Dashes fill their places while they load, so that nothing moves. */
export function tilesOf(
  summary: Summary | undefined,
  queue: Pick<QueueStats, "ready" | "waiting" | "running"> | undefined,
): readonly Tile[] {
  if (summary === undefined || queue === undefined)
    return labels.map((label) => ({ label, value: "–", note: " ", tone: null }));
  const queued = countedSum(queue.ready, queue.waiting);
  const unserved = queued.count > 0 && summary.devicesDonating === 0;
  const values: readonly Omit<Tile, "label">[] = [
    {
      value: formatCount(summary.devicesOnline),
      note: `${formatCount(summary.devicesDonating)} donating`,
      tone: summary.devicesDonating > 0 ? "good" : null,
    },
    { value: countedWords(queue.running), note: "on a device now", tone: null },
    {
      value: countedWords(queued),
      note: unserved ? "no device is donating" : "ready or waiting",
      tone: unserved ? "hold" : null,
    },
    {
      value: formatCount(summary.succeeded),
      note: `${formatCount(summary.failed)} failed`,
      tone: summary.failed > 0 ? "bad" : null,
    },
    ...(summary.money === null ? [] : moneyTiles(summary.money)),
  ];
  return values.map((tile, at) => ({ label: labels[at] ?? "", ...tile }));
}

/** Credits and the ledger, for those who see money. */
function moneyTiles({
  ledgerSum,
  spentMicro,
  earnedMicro,
}: NonNullable<Summary["money"]>): readonly Omit<Tile, "label">[] {
  const balanced = ledgerSum === 0n;
  return [
    { value: formatCredits(earnedMicro), note: `${formatCredits(spentMicro)} spent`, tone: null },
    {
      value: balanced ? "Balanced" : formatCredits(ledgerSum),
      note: balanced ? "all accounts sum to 0" : "accounts must sum to 0",
      tone: balanced ? "good" : "bad",
    },
  ];
}
