import type { CallArgument, CallName } from "../../app/contract/ipc.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { trayTooltip } from "./tray-state.ts";

/** What choosing an entry does: open the window, or one call of the panel's own contract. */
export type TrayAction =
  | { readonly kind: "open" }
  | {
      readonly [Name in CallName]: {
        readonly kind: "call";
        readonly name: Name;
        readonly argument: CallArgument<Name>;
      };
    }[Exclude<CallName, "getSnapshot" | "enroll" | "setRules">];

export type TrayEntry =
  | { readonly kind: "text"; readonly label: string }
  | { readonly kind: "separator" }
  | { readonly kind: "action"; readonly label: string; readonly action: TrayAction }
  | { readonly kind: "submenu"; readonly label: string; readonly entries: readonly TrayEntry[] };

type Shown = Pick<DonorSnapshot, "activity" | "work" | "pause" | "donateNowUntil" | "device">;

/** The tray's whole menu at `now` (ms since the epoch), from the snapshot alone. */
export function trayMenu(snapshot: Shown, now: number): readonly TrayEntry[] {
  const enrolled = snapshot.device !== null;
  return [
    { kind: "text", label: trayTooltip(snapshot) },
    { kind: "separator" },
    ...(enrolled ? switches(snapshot, now) : []),
    {
      kind: "action",
      label: enrolled ? "Open Gleaner" : "Join your organization…",
      action: { kind: "open" },
    },
    { kind: "separator" },
    call("Quit", { kind: "call", name: "quit", argument: null }),
  ];
}

function switches({ pause, donateNowUntil }: Shown, now: number): readonly TrayEntry[] {
  const entries: TrayEntry[] = [];
  if (pause !== null || donateNowUntil !== null) {
    const label = pause === null ? "Stop donating now" : "Resume";
    entries.push(call(label, { kind: "call", name: "resume", argument: null }));
  }
  if (pause === null) entries.push({ kind: "submenu", label: "Pause", entries: pauses(now) });
  if (donateNowUntil === null) {
    entries.push(
      call("Donate now for 1 hour", { kind: "call", name: "donateNow", argument: { minutes: 60 } }),
    );
  }
  return entries;
}

function pauses(now: number): readonly TrayEntry[] {
  const choices: readonly (readonly [string, number | null])[] = [
    ["For 15 minutes", 15],
    ["For 1 hour", 60],
    ["Until tomorrow 8:00", minutesUntilTomorrow(8, now)],
    ["Until I resume", null],
  ];
  return choices.map(([label, minutes]) =>
    call(label, { kind: "call", name: "pause", argument: { minutes } }),
  );
}

function call(label: string, action: TrayAction): TrayEntry {
  return { kind: "action", label, action };
}

/** Whole minutes, rounded up, until tomorrow's `hour` o'clock local time. */
export function minutesUntilTomorrow(hour: number, now: number): number {
  const at = new Date(now);
  at.setDate(at.getDate() + 1);
  at.setHours(hour, 0, 0, 0);
  return Math.ceil((at.getTime() - now) / 60_000);
}
