import type { CallArgument, CallName } from "../../app/contract/donor-calls.ts";
import { pauseChoices, type PauseLength } from "../../app/contract/pause-choices.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { isOutOfService } from "../../app/policy/reasons.ts";
import { downloadLine } from "./download-line.ts";
import { trayTooltip } from "./tray-state.ts";

/** The action of an entry: open the window, pause, or another call of the contract. */
export type TrayAction =
  | { readonly kind: "open" }
  | { readonly kind: "pause"; readonly length: PauseLength }
  | {
      readonly [Name in CallName]: {
        readonly kind: "call";
        readonly name: Name;
        readonly argument: CallArgument<Name>;
      };
    }["resume" | "donateNow" | "finishThenPause" | "quit"];

export type TrayEntry =
  | { readonly kind: "text"; readonly label: string }
  | { readonly kind: "separator" }
  | { readonly kind: "action"; readonly label: string; readonly action: TrayAction }
  | { readonly kind: "submenu"; readonly label: string; readonly entries: readonly TrayEntry[] };

type Shown = Pick<
  DonorSnapshot,
  "activity" | "work" | "pause" | "donateNowUntil" | "finishThenPause" | "rules" | "device" | "models"
>;

/** The tray's menu as a function of the snapshot. */
export function trayMenu(snapshot: Shown): readonly TrayEntry[] {
  const enrolled = snapshot.device !== null;
  const download = downloadLine(snapshot.models);
  return [
    { kind: "text", label: trayTooltip(snapshot) },
    ...(download === null ? [] : [{ kind: "text", label: download } as const]),
    { kind: "separator" },
    ...(enrolled ? switches(snapshot) : []),
    {
      kind: "action",
      label: enrolled ? "Open Gleaner" : "Join your organization…",
      action: { kind: "open" },
    },
    { kind: "separator" },
    call("Quit", { kind: "call", name: "quit", argument: null }),
  ];
}

function switches({
  activity,
  work,
  pause,
  donateNowUntil,
  finishThenPause,
  rules,
}: Shown): readonly TrayEntry[] {
  const entries: TrayEntry[] = [];
  if (pause !== null || donateNowUntil !== null || finishThenPause) {
    const label = pause !== null ? "Resume" : finishThenPause ? "Keep donating" : "Stop donating now";
    entries.push(call(label, { kind: "call", name: "resume", argument: null }));
  }
  if (pause === null) {
    if (work !== null && !finishThenPause) {
      const finish = { kind: "call", name: "finishThenPause", argument: null } as const;
      entries.push(call("Finish this job, then pause", finish));
    }
    entries.push({ kind: "submenu", label: "Pause", entries: pauses });
  }
  if (donateNowUntil === null && rules.allowDonateNow && !isOutOfService(activity.reason)) {
    entries.push(
      call("Donate now for 1 hour", { kind: "call", name: "donateNow", argument: { minutes: 60 } }),
    );
  }
  return entries;
}

const pauses: readonly TrayEntry[] = [
  ...pauseChoices.map(({ label, length }) => call(label, { kind: "pause", length })),
  call("Another time…", { kind: "open" }),
];

function call(label: string, action: TrayAction): TrayEntry {
  return { kind: "action", label, action };
}
