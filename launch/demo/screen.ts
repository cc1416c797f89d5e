import { formatDuration } from "../../app/format/time.ts";
import { formatExactCredits } from "../../app/money/credits.ts";
import type { Answer } from "../farm/ask.ts";
import { type DemoResult, isCorrect } from "./result.ts";

/** Shows the demo's progress on standard error, since standard output is for the result. */
export type Screen = {
  say(line: string): void;
  answer(done: number, total: number, answer: Answer): void;
};

export function makeScreen(quiet: boolean, out: NodeJS.WriteStream = process.stderr): Screen {
  if (quiet) return { say: () => undefined, answer: () => undefined };
  const live = out.isTTY;
  let bar = "";
  const print = (line: string): void => {
    out.write(live ? `\r\u001b[K${line}\n${bar}` : `${line}\n`);
  };
  return {
    say: print,
    answer: (done, total, answer) => {
      bar = live ? progressBar(done, total) : "";
      print(answerLine(done, total, answer));
      if (live && done === total) out.write("\r\u001b[K");
    },
  };
}

function progressBar(done: number, total: number, width = 32): string {
  const filled = Math.round((done / total) * width);
  return `${"█".repeat(filled)}${"░".repeat(width - filled)} ${done}/${total}`;
}

function answerLine(done: number, total: number, answer: Answer): string {
  const mark = answer.outcome.kind === "failed" ? "✗" : isCorrect(answer) ? "✓" : "~";
  const text = answer.outcome.kind === "failed" ? answer.outcome.message : answer.outcome.text;
  const how = answer.streamed ? "stream" : "      ";
  const count = `${String(done).padStart(2)}/${total}`;
  return `${count} ${mark} ${how} ${formatDuration(answer.seconds * 1_000).padStart(6)}  ${clip(answer.prompt.prompt, 56)} → ${clip(text, 48)}`;
}

function clip(text: string, width: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

/** The closing table. */
export function resultTable(result: DemoResult): string {
  const rows: readonly (readonly [string, string])[] = [
    ["submitted", String(result.submitted)],
    ["succeeded", String(result.succeeded)],
    ["retried after a loss", String(result.retried)],
    ["lost", String(result.lost)],
    ["right answers", `${result.correct} of ${result.graded}`],
    ["tokens per busy second", String(result.tokensPerSecond)],
    ["credits spent", credits(result.credits.spentMicro)],
    ...Object.entries(result.credits.byDonor).map(
      ([name, micro]) => [`credits earned by ${name}`, credits(micro)] as const,
    ),
    ["sum of the ledger", String(result.ledgerSum)],
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`).join("\n");
}

function credits(micro: number): string {
  return formatExactCredits(BigInt(micro));
}
