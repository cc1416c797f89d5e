import { formatBytes, formatCount, plural } from "../../../app/format/quantity.ts";
import { afterAct, type RolloutAct } from "../../../app/models/rollout/acts.ts";
import { countsUpTo, nextStep, noDevices, type StageCounts } from "../../../app/models/rollout/next-step.ts";
import { sizeWords } from "../../../app/models/rollout/stages.ts";
import { waitWords } from "../../../app/models/wait-reasons.ts";
import type { Tone } from "../../ui/tone.ts";
import type { RolloutRow } from "../data/rows.ts";

export const rolloutBadges: Readonly<
  Record<RolloutRow["state"], { readonly words: string; readonly tone: Tone }>
> = {
  planning: { words: "Roll-out begins", tone: "hold" },
  running: { words: "Rolling out", tone: "good" },
  paused: { words: "Roll-out paused", tone: "hold" },
  stopped: { words: "Roll-out stopped", tone: "bad" },
  "rolled-back": { words: "Rolled back", tone: "bad" },
  done: { words: "Rolled out", tone: "quiet" },
};

/** A stage with the devices that it adds to those of the stages before. */
export type StageLine = StageCounts & {
  readonly name: string;
  readonly devices: number;
  readonly waiting: number;
  readonly place: "past" | "present" | "future";
};

export function stageLines({ stages, stage, byStage, state }: RolloutRow): readonly StageLine[] {
  const isPlanned = state !== "planning";
  return stages.map(({ size, devices: all }, at) => {
    const counts = byStage[at] ?? noDevices;
    const known = counts.downloading + counts.ready + counts.failed;
    const devices = Math.max(all - (stages[at - 1]?.devices ?? 0), known);
    const place = !isPlanned || at > stage ? "future" : at === stage ? "present" : "past";
    return { ...counts, name: sizeWords(size), devices, waiting: devices - known, place };
  });
}

/** The devices of a stage in words: "3 ready, 1 downloading, 1 waiting". */
export function lineWords({ ready, downloading, failed, waiting, place }: StageLine): string {
  const parts = [
    [ready, /* @wc-include */ "ready"],
    [downloading, /* @wc-include */ "downloading"],
    [failed, /* @wc-include */ "failed"],
    [waiting, place === "future" ? "not asked yet" : /* @wc-include */ "waiting"],
  ] as const;
  const told = parts.flatMap(([count, words]) => (count > 0 ? [`${formatCount(count)} ${words}`] : []));
  return told.length === 0 ? "no devices" : told.join(", ");
}

/** How the roll-out goes on, in a sentence. */
export function situationWords(rollout: RolloutRow, now: number): string {
  switch (rollout.state) {
    case "planning":
      return "Gleaner finds the devices of each stage.";
    case "running":
      return nextWords(rollout, now);
    case "paused":
      return "The devices of this stage go on. No further stage begins until somebody continues the roll-out.";
    case "stopped":
      return rollout.why === null
        ? "Devices that have begun keep the model. No other device begins."
        : `It stopped by itself: ${rollout.why}. Devices that have begun keep the model. No other device begins.`;
    case "rolled-back":
      return rollout.isNew
        ? "No device has the model. Requests for it wait until somebody continues the roll-out."
        : "Only devices that had the model before the roll-out have it.";
    case "done":
      return "All devices may have the model.";
  }
}

function nextWords(rollout: RolloutRow, now: number): string {
  const { byStage, stage, stages } = rollout;
  const isLast = stage === stages.length - 1;
  const step = nextStep(rollout, countsUpTo(byStage, stage), now);
  switch (step.kind) {
    case "wait-ready":
      return isLast
        ? `It is done when ${ready(step.needed)}: ${formatCount(step.ready)} so far.`
        : `The next stage begins when ${ready(step.needed)}: ${formatCount(step.ready)} so far.`;
    case "wait-time": {
      const wait = plural(Math.ceil((step.until - now) / 60_000), ["# minute", "# minutes"]);
      return isLast
        ? `This stage is healthy. It is done in ${wait}.`
        : `This stage is healthy. The next one begins in ${wait}.`;
    }
    case "wait-person":
      return "This stage is healthy. It waits until somebody begins the next one.";
    case "advance":
    case "finish":
      return isLast
        ? "This stage is healthy. It is done in a moment."
        : "This stage is healthy. The next one begins in a moment.";
    case "stop":
      return "Too many devices failed. It stops in a moment.";
  }
}

function ready(devices: number): string {
  return plural(devices, ["# device is ready", "# devices are ready"]);
}

/** The label of each act's button, and its past tense for the toast. */
export const actWords: Readonly<Record<RolloutAct, { readonly button: string; readonly done: string }>> = {
  advance: { button: "Begin next stage", done: "The next stage began." },
  release: { button: "Give to all devices", done: "All devices get the model now." },
  pause: { button: "Pause", done: "The roll-out is paused." },
  continue: { button: "Continue", done: "The roll-out goes on." },
  stop: { button: "Stop", done: "The roll-out was stopped." },
  "roll-back": { button: "Roll back", done: "The roll-out was rolled back." },
  undo: { button: "Undo", done: "The last change was undone." },
};

/** The acts that are possible now, the most likely one first. */
export function possibleActs(rollout: RolloutRow): readonly Exclude<RolloutAct, "undo">[] {
  const acts = ["continue", "advance", "pause", "stop", "roll-back", "release"] as const;
  return acts.filter((act) => afterAct({ ...rollout, previous: undefined }, act) !== null);
}

/** An act's effect before it happens, in sentences. */
export function impactWords(rollout: RolloutRow, act: RolloutAct, sizeBytes: number): string {
  const { stages, stage, state, byStage, isNew } = rollout;
  const next = afterAct({ ...rollout, previous: rollout.previous ?? undefined }, act) ?? { state, stage };
  const begun = sumOf(countsUpTo(byStage, stages.length));
  const within = stages[stage]?.devices ?? 0;
  const waiting = Math.max(0, within - sumOf(countsUpTo(byStage, stage)));
  const asked = state === "running" || state === "paused" ? within : within - waiting;
  const more = Math.max(0, (stages[next.stage]?.devices ?? 0) - asked);
  switch (act) {
    case "advance":
    case "release":
    case "continue":
      if (act === "continue" && state === "paused") return "Further stages begin again by themselves.";
      return more === 0
        ? "This asks no further device now. Devices that join later are asked, too."
        : `${asks(more, sizeBytes)} You can undo it for devices that have not begun.`;
    case "pause":
      return `${plural(within, ["The device of this stage goes on.", "The # devices of this stage go on."])} No further stage begins until somebody continues.`;
    case "stop":
      return `${begins(waiting)} ${keeps(begun)} You can continue at any time.`;
    case "roll-back":
      return isNew
        ? `${gives(begun)} Requests for the model wait until you continue. Retire it to refuse them. You can continue at any time.`
        : `${gives(begun)} Devices that had the model before the roll-out keep it. You can continue at any time.`;
    case "undo":
      return "Devices that have begun keep the model. Others wait for their stage again.";
  }
}

function asks(devices: number, sizeBytes: number): string {
  const size = formatBytes(sizeBytes);
  return plural(devices, [
    `This will ask # more device to download ${size}.`,
    `This will ask # more devices to download ${size} each, ${formatBytes(devices * sizeBytes)} in all.`,
  ]);
}

function begins(devices: number): string {
  if (devices === 0) return "All devices of this stage have begun.";
  return plural(devices, [
    "# device of this stage that has not begun will not begin.",
    "# devices of this stage that have not begun will not begin.",
  ]);
}

function keeps(devices: number): string {
  if (devices === 0) return "No device has begun.";
  return plural(devices, [
    "# device that has begun keeps the model and may run its jobs.",
    "# devices that have begun keep the model and may run its jobs.",
  ]);
}

function gives(devices: number): string {
  if (devices === 0) return "No device has begun, so none loses the model.";
  return plural(devices, [
    "# device that has begun gets no more jobs of it, and may delete the file.",
    "# devices that have begun get no more jobs of it, and may delete the file.",
  ]);
}

function sumOf({ downloading, ready, failed }: StageCounts): number {
  return downloading + ready + failed;
}

/** Why the model failed on a device. An unknown reason is shown as it is. */
export function failureWords(why: string): string {
  if (why === "corrupt") return "The file is damaged";
  if (why === "jobs") return "Its jobs failed";
  return (waitWords as Readonly<Record<string, string>>)[why] ?? why;
}
