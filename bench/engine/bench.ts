import type { Bench } from "../bench.ts";
import { barLines } from "../support/bars.ts";
import { tableRow } from "../support/rows.ts";
import { withScratch } from "../support/scratch.ts";
import { roundedNumbers } from "../support/statistics.ts";
import { type Details, embeddedFigures } from "./embedded-figures.ts";
import { bars, type EmbeddedFigures, type Figures, type PeerFigures } from "./figures.ts";
import { convexTestFigures } from "./peer-figures.ts";

/** The embedded backend against its bars, and against convex-test behind the same front end. */
export const engineBench: Bench = {
  summary: "the embedded backend: mutations, reads, fan-out, start, memory",
  run: (rounds, say) =>
    withScratch(async (folder) => {
      const { figures, details } = await embeddedFigures(folder, rounds, say);
      const peers = { "convex-test": await convexTestFigures(folder, rounds, say) };
      const result = roundedNumbers({ ...figures, peers, details });
      return { json: result, text: table(result) };
    }),
};

type EngineResult = EmbeddedFigures & {
  readonly peers: { readonly [peer: string]: PeerFigures };
  readonly details: Details;
};

const labels: readonly (readonly [keyof Figures, string])[] = [
  ["mutationsPerSecond", "durable one-document mutations, 8 clients, 1/s"],
  ["readMsAt1k", "index read of 10 documents of 1,000, ms"],
  ["readMsAt100k", "index read of 10 documents of 100,000, ms"],
  ["fanoutMs1000", "commit to the last of 1,000 subscribers, ms"],
  ["mutationMs", "claim, p95, ms"],
  ["mutationMsWith1000Subs", "claim, p95, 1,000 unrelated subscriptions, ms"],
  ["coldStartMs", "start with 100,000 documents, ms"],
  ["restMb", "resident at rest, MB"],
];

function table(result: EngineResult): string {
  const peers = Object.entries(result.peers);
  const notes = peers.flatMap(([peer, figures]) =>
    Object.entries(figures.notes).map(([figure, why]) => `  ${peer}, ${figure}: ${why}`),
  );
  return [
    tableRow("", ["embedded", ...peers.map(([peer]) => peer)]),
    ...labels.map(([name, label]) =>
      tableRow(label, [result[name], ...peers.map(([, figures]) => figures[name] ?? "–")]),
    ),
    "",
    ...barLines(bars(result, result.details.slowdownWith1000Subs)),
    "",
    ...notes,
    "",
    `  with a fresh world for each run: ${result.freshWorld.mutationsPerSecond} mutations/s, a query in ${result.freshWorld.queryMs} ms`,
    `  resident before, during and after 1,000 waiting calls: ${result.burst.beforeMb}, ${result.burst.duringMb}, ${result.burst.afterMb} MB`,
    `  time with ticks, relative to that without: ${tickPrices(result)}`,
    ...detailLines(result.details),
  ].join("\n");
}

function tickPrices({ ticks }: EngineResult): string {
  return Object.entries(ticks)
    .map(([program, price]) => `${program} ${price.toFixed(2)}`)
    .join(", ");
}

function detailLines({ fanoutMs1000Equal, memory, conflicts }: Details): readonly string[] {
  return [
    `  1,000 subscribers that share ten queries: notified within ${fanoutMs1000Equal} ms`,
    `  resident with 100,000 documents in the file: ${memory.restMbWith100kDocuments} MB`,
    ...conflicts.flatMap(({ readMs, commitMs, claimsPerSecond, functions }) => [
      `  8 clients claim the head of one lane, ${readMs} ms a read, ${commitMs} ms a commit: ${claimsPerSecond} claims/s`,
      ...Object.entries(functions)
        .filter(([, stats]) => stats.conflicts > 0)
        .flatMap(([name, stats]) => [
          `    ${name}: ${stats.conflicts} conflicts in ${stats.runs} runs, ${stats.exhausted} gave up`,
          ...stats.ranges.map(
            ({ table, range, conflicts }) => `      ${String(conflicts).padStart(6)} × ${table}.${range}`,
          ),
        ]),
    ]),
  ];
}
