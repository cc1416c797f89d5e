import { Batches } from "@gleaner/client/http";
import { formatCount } from "../../../app/format/quantity.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { CommandError } from "../../command/command.ts";
import { expectedEndWords, mistakeWords } from "../batch-words.ts";
import type { Api } from "../client/api.ts";
import { parseRequires } from "../client/requires.ts";
import { linesOfPart } from "./plan.ts";
import type { RunState } from "./run-state.ts";

/** The rows that are sent as a sample of all. */
const sampleRows = 20;
/** The server reads no more of a file. */
const sampleBytes = 1024 * 1024;

/**
 * The cost of the rows that are not submitted yet, and when they would be answered. The server gets some of them for that, which it
 * does not keep. Null: it cannot tell, as a server of an earlier version.
 */
export async function expectedEnd(
  api: Api,
  { settings, rows, parts, firstPriceMicro }: RunState,
): Promise<string | null> {
  const from = parts[0]?.from ?? rows;
  const sample = await sampleOf(settings, from);
  const { within, requires } = settings;
  const options = {
    within,
    requires: parseRequires(requires),
    sampleOf: rows - from,
    fileName: "sample.jsonl",
  };
  const told = await new Batches(api).estimate(sample, options).catch((error: unknown) => {
    // Then the calls that follow say what is wrong.
    if (error instanceof CommandError) return null;
    throw error;
  });
  if (told === null) return null;
  const cost = `The other ${formatCount(rows - from)} rows would cost about ${formatCredits(told.expected_price_micro)}.`;
  return [
    // Rows that were tried first have told it better.
    ...(firstPriceMicro === "0" ? [cost] : []),
    expectedEndWords(told.forecast),
    ...mistakeWords(told.errors),
  ].join("\n");
}

async function sampleOf(settings: RunState["settings"], from: number) {
  const lines: Buffer[] = [];
  let bytes = 0;
  for await (const line of linesOfPart(settings, { from, to: from + sampleRows })) {
    lines.push(line);
    bytes += line.length;
    if (bytes >= sampleBytes) break;
  }
  return {
    bytes,
    chunks: (async function* () {
      for (const line of lines) yield await Promise.resolve(line);
    })(),
  };
}
