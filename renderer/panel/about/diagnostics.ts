import { describeConfinement } from "../../../app/contract/confinement.ts";
import type { CallAnswer } from "../../../app/contract/donor-calls.ts";
import type { DonorSnapshot, HistoryRow, ModelView } from "../../../app/contract/snapshot.ts";
import { factLabel, factNames, sayFact } from "../../../app/facts/facts.ts";
import { formatBytes, formatMebibytes, plural } from "../../../app/format/quantity.ts";
import { formatDuration, formatFull, formatRelative } from "../../../app/format/time.ts";
import { activityReasons } from "../../../app/policy/reasons.ts";
import { defaultRules, type RuleName, ruleNames, ruleOf } from "../../../app/policy/rules.ts";
import { sayRule } from "../../../app/policy/say-rule.ts";
import { attemptWords, modelWords } from "../../ui/status-words.ts";
import { progressWords } from "../models/model-progress.ts";
import { decidedBy } from "../settings/decided-by.ts";
import { connections } from "../status/connections.ts";
import { sayKeyStorage, shellWords } from "./program-words.ts";

/** This computer, as its donor describes it. */
export type Computer = CallAnswer<"computer">;

/**
 * One text for support, from what the panel shows anyway. It names only what helps: no key, no code, no link, no prompt and
 * no answer. Pure.
 * @param computer null if the donor did not tell.
 * @param now ms since the epoch.
 */
export function diagnosticsOf(snapshot: DonorSnapshot, computer: Computer | null, now: number): string {
  return [
    `Gleaner diagnostics, ${formatFull(now)}`,
    "",
    ...programLines(snapshot),
    ...computerLines(computer),
    "",
    ...stateLines(snapshot, now),
    "",
    "Rules that differ from the default:",
    ...orNone(ruleNames.flatMap((name) => ruleLine(name, snapshot))),
    "",
    "Models:",
    ...orNone(snapshot.models.map(modelLine)),
    "",
    "Facts:",
    ...factNames.map((name) => factLine(name, snapshot, now)),
    confinementLine(snapshot),
    "",
  ].join("\n");
}

function programLines(snapshot: DonorSnapshot): readonly string[] {
  const { version, shell, device, organization } = snapshot;
  const keyStorage = sayKeyStorage(snapshot);
  return [
    `Version: ${version}, ${shellWords[shell]}`,
    `Organization: ${organization === null ? /* @wc-include */ "none" : organization.name}`,
    `Device: ${device === null ? /* @wc-include */ "none" : `${device.name} (${device.id})`}`,
    ...(keyStorage === null ? [] : [`Key storage: ${keyStorage}`]),
  ];
}

function computerLines(computer: Computer | null): readonly string[] {
  if (computer === null) return ["Computer: not told"];
  const { system, processor, threads, memoryMb, gpu, backend } = computer;
  const memory = gpu.memoryMb === null ? /* @wc-include */ "none known" : formatMebibytes(gpu.memoryMb);
  return [
    `System: ${system}`,
    `Processor: ${processor}, ${plural(threads, ["# thread", "# threads"])}`,
    `Memory: ${formatMebibytes(memoryMb)}`,
    `GPU memory for models: ${memory}`,
    ...(gpu.backends.length === 0 ? [] : [`Models ran on: ${gpu.backends.join(", ")}`]),
    `Backend: ${backend ?? /* @wc-include */ "unknown"}`,
  ];
}

function stateLines(snapshot: DonorSnapshot, now: number): readonly string[] {
  const { connection, activity, problem = null, organization, work, history } = snapshot;
  const { short, sentence } = activityReasons[activity.reason];
  return [
    `Connection: ${connections[connection].words}`,
    `Activity: ${short}, for ${formatDuration(now - activity.since)}`,
    `Reason: ${activity.reason}. ${sentence}`,
    ...(problem === null ? [] : [`Problem: ${problem.kind}. ${problem.sentence}`]),
    ...(organization?.problem == null ? [] : [`List of models: ${organization.problem}`]),
    ...(organization?.needsVersion == null ? [] : [`Needs version: ${organization.needsVersion}`]),
    ...(work === null ? [] : [`Current job: ${work.modelId}, ${work.phase}`]),
    `Latest jobs: ${sayEnds(history)}`,
  ];
}

/** Only how the jobs ended. */
function sayEnds(history: readonly HistoryRow[]): string {
  const counts = new Map<HistoryRow["status"], number>();
  for (const { status } of history) counts.set(status, (counts.get(status) ?? 0) + 1);
  const ends = [...counts].map(([status, count]) => `${attemptWords[status].words} ${String(count)} ×`);
  return ends.join(", ") || /* @wc-include */ "none";
}

function ruleLine(name: RuleName, { rules, ruleLayers: { from, locked } }: DonorSnapshot): readonly string[] {
  if (JSON.stringify(rules[name]) === JSON.stringify(defaultRules[name])) return [];
  // The start of the program has defaults of its own.
  const who = from[name] === "default" ? "Set at the start" : decidedBy(from[name], locked.includes(name));
  return [`  ${ruleOf(name).title}: ${sayRule(name, rules[name])} (${who})`];
}

function modelLine(model: ModelView): string {
  const why = progressWords(model);
  const state = modelWords[model.state].words;
  return `  ${model.modelId}: ${state}, ${formatBytes(model.sizeBytes)}${why === null ? "" : `. ${why}`}`;
}

function factLine(
  name: (typeof factNames)[number],
  { facts, factSources }: Pick<DonorSnapshot, "facts" | "factSources">,
  now: number,
): string {
  const source = factSources[name];
  const age = source?.at == null ? "" : `, ${formatRelative(source.at - now)}`;
  const from = source === undefined ? "" : ` (${source.source}${age})`;
  return `  ${factLabel(name)}: ${sayFact(name, facts[name])}${from}`;
}

function confinementLine({ confinement }: DonorSnapshot): string {
  const { label, value, gaps } = describeConfinement(confinement);
  return `  ${[`${label}: ${value}`, ...gaps].join(". ")}`;
}

function orNone(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [`  ${/* @wc-include */ "none"}`] : lines;
}
