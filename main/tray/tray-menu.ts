import { offersDonateNow } from "../../app/contract/donate-now.ts";
import type { CallArgument, CallName } from "../../app/contract/donor-calls.ts";
import { wayOut } from "../../app/contract/needs-you.ts";
import type { PanelTab } from "../../app/contract/panel-page.ts";
import { pauseChoices, type PauseLength } from "../../app/contract/pause-choices.ts";
import type { DonorSnapshot, EarningsView } from "../../app/contract/snapshot.ts";
import { plural } from "../../app/format/quantity.ts";
import { spellCredits } from "../../app/money/credits.ts";
import { hasToJoinAgain } from "../../app/policy/reasons.ts";
import { downloadLine } from "./download-line.ts";
import { traySentence } from "./tray-state.ts";

/** The action of an entry: open the window, pause, or another call of the contract. */
export type TrayAction =
  /** @param tab null: the window stays at the tab that it shows. */
  | { readonly kind: "open"; readonly tab: PanelTab | null }
  | { readonly kind: "pause"; readonly length: PauseLength }
  | {
      readonly [Name in CallName]: {
        readonly kind: "call";
        readonly name: Name;
        readonly argument: CallArgument<Name>;
      };
    }["resume" | "donateNow" | "finishThenPause" | "restartToUpdate" | "quit"];

export type TrayEntry =
  | { readonly kind: "text"; readonly label: string }
  | { readonly kind: "separator" }
  | { readonly kind: "action"; readonly label: string; readonly action: TrayAction }
  | { readonly kind: "submenu"; readonly label: string; readonly entries: readonly TrayEntry[] };

type Shown = Pick<
  DonorSnapshot,
  "work" | "pause" | "donateNowUntil" | "finishThenPause" | "device" | "models" | "organization" | "earnings"
> &
  Parameters<typeof wayOut>[0];

/** The tray's menu as a function of the snapshot. @param now in ms since the epoch */
export function trayMenu(snapshot: Shown, now: number): readonly TrayEntry[] {
  const { device, earnings, models } = snapshot;
  const enrolled = device !== null;
  const way = wayOut(snapshot);
  const download = downloadLine(models);
  return [
    { kind: "text", label: traySentence(snapshot, now) },
    ...(way === null ? [] : [call(way.label, { kind: "open", tab: way.tab })]),
    ...(enrolled && earnings !== null ? [{ kind: "text", label: todayLine(earnings) } as const] : []),
    ...(download === null ? [] : [{ kind: "text", label: download } as const]),
    { kind: "separator" },
    ...(enrolled ? switches(snapshot) : []),
    call("Open Gleaner", { kind: "open", tab: null }),
    // Before it has joined, the window has no settings.
    ...(enrolled ? [call("Preferences…", { kind: "open", tab: "settings" })] : []),
    { kind: "separator" },
    ...updateEntries(snapshot),
    call("Quit", { kind: "call", name: "quit", argument: null }),
  ];
}

function updateEntries({ updates }: Pick<Shown, "updates">): readonly TrayEntry[] {
  if (updates?.kind !== "on" || updates.next?.state !== "ready") return [];
  const label = `Restart to update to ${updates.next.version}`;
  return [call(label, { kind: "call", name: "restartToUpdate", argument: null })];
}

function todayLine({ todayJobs, todayMicro }: EarningsView): string {
  return `Today: ${plural(todayJobs, ["# job", "# jobs"])}, ${spellCredits(todayMicro)}`;
}

function switches(shown: Shown): readonly TrayEntry[] {
  const { activity, work, pause, donateNowUntil, finishThenPause } = shown;
  if (hasToJoinAgain(activity.reason)) return [];
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
  if (offersDonateNow(shown)) {
    entries.push(
      call("Donate now for 1 hour", { kind: "call", name: "donateNow", argument: { minutes: 60 } }),
    );
  }
  return entries;
}

const pauses: readonly TrayEntry[] = [
  ...pauseChoices.map(({ label, length }) => call(label, { kind: "pause", length })),
  call("Another time…", { kind: "open", tab: null }),
];

function call(label: string, action: TrayAction): TrayEntry {
  return { kind: "action", label, action };
}
