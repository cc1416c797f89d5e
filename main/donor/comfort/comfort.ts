import * as z from "zod";
import { countHours } from "../../../app/comfort/fleet.ts";
import { type ComfortHour, comfortHour, type MeasuredHour } from "../../../app/comfort/hour.ts";
import { ComfortMeter, openHour } from "../../../app/comfort/meter.ts";
import { type Tightening, tighteningOf, tightenRules } from "../../../app/comfort/tighten.ts";
import type { ComfortView } from "../../../app/comfort/view.ts";
import type { Facts } from "../../../app/facts/facts.ts";
import type { Activity } from "../../../app/policy/decision.ts";
import type { Rules } from "../../../app/policy/rules.ts";
import { errorName, type Log } from "../../log.ts";
import { loadJson, saveJson } from "../../store/json-file.ts";
import { SerialWrites } from "../../store/serial-writes.ts";

/** Hours of donation that are kept, at least two weeks. */
const mostHours = 336;
const weekMs = 7 * 24 * 3_600_000;

/** The file in the data folder. */
export const comfortFile = z.object({
  version: z.literal(1),
  /** Oldest first. Those of earlier versions have more fields. */
  hours: z.array(comfortHour.strip()).max(mostHours),
  open: openHour.nullable(),
  /** The start of the last hour that the organization has. */
  sentTo: z.number().min(0),
});
type Stored = z.infer<typeof comfortFile>;

type ComfortDeps = {
  readonly path: string;
  /** The threads that this computer gives without a rule. */
  readonly mostThreads: number;
  /** Called after each hour with enough donation. */
  readonly onHour: (hour: ComfortHour) => void;
  /** Called when the limits were tightened, or eased. */
  readonly onTightened: (tightening: Tightening) => void;
  readonly log: Log;
  readonly now?: () => number;
};

/** Moves an unreadable file aside. Its measurements are then lost, and nothing is tightened. */
export async function openComfort(deps: ComfortDeps): Promise<Comfort> {
  const loaded = await loadJson(deps.path, comfortFile);
  if (loaded.kind === "corrupt") deps.log("error", "comfort.corrupt", { movedTo: loaded.movedTo });
  return new Comfort(deps, loaded.kind === "loaded" ? loaded.value : null);
}

/** Measures how much the donor disturbs, keeps the measured hours, and tightens the rules by them. */
export class Comfort {
  readonly #deps: ComfortDeps;
  readonly #now: () => number;
  readonly #meter: ComfortMeter;
  readonly #writes = new SerialWrites();
  #hours: readonly ComfortHour[];
  #tightening: Tightening;
  #sentTo: number;
  #narrowed: { readonly from: Rules; readonly step: number; readonly to: Rules } | null = null;

  constructor(deps: ComfortDeps, stored: Stored | null) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    this.#hours = stored?.hours ?? [];
    this.#tightening = tighteningOf(this.#hours, this.#now());
    this.#sentTo = stored?.sentTo ?? 0;
    this.#meter = new ComfortMeter((hour) => this.#ended(hour), stored?.open ?? null);
  }

  /** The rules, as tight as the measured hours demand. The same object for the same rules. */
  narrow(rules: Rules): Rules {
    const { step } = this.#tightening;
    if (this.#narrowed?.from !== rules || this.#narrowed.step !== step)
      this.#narrowed = { from: rules, step, to: tightenRules(rules, step, this.#deps.mostThreads) };
    return this.#narrowed.to;
  }

  /** Call it after each decision of the loop. */
  decided(activity: Activity, facts: Facts, rules: Rules): void {
    this.#meter.decided(activity, facts, rules);
    // Time eases the limits, too.
    if (this.#tightening.step > 0) this.#updateTightening();
  }

  /** Work was stopped. @param tookMs from the input, or another reason, until nothing of a job ran. */
  yielded(tookMs: number): void {
    this.#meter.yielded(tookMs);
  }

  /** A timer of normal priority fired this much too late. */
  delayed(lateMs: number, isWorking: boolean): void {
    this.#meter.delayed(lateMs, isWorking);
  }

  get view(): ComfortView {
    const since = this.#now() - weekMs;
    const recent = this.#hours.filter(({ startAt }) => startAt >= since);
    const { hours, keptHours } = countHours(recent.map((hour) => ({ deviceId: "", hour })));
    return {
      hour: this.#hours.at(-1) ?? null,
      week: { hours, keptHours },
      tightening: this.#tightening,
      mostThreads: this.#deps.mostThreads,
    };
  }

  /** The hours that the organization does not have yet, oldest first. */
  get unsent(): readonly ComfortHour[] {
    const [now, sentTo] = [this.#now(), this.#sentUntilNow()];
    return this.#hours.filter(({ startAt }) => startAt > sentTo && startAt <= now);
  }

  /** The organization has all hours up to this one. */
  sent(startAt: number): void {
    this.#sentTo = Math.max(this.#sentUntilNow(), startAt);
    this.#save();
  }

  /** An hour that lies ahead was sent while the clock was wrong. The organization did not store it. */
  #sentUntilNow(): number {
    return this.#sentTo > this.#now() ? 0 : this.#sentTo;
  }

  /** Stores the hour that is being measured. Resolves when it is on disk. */
  async close(): Promise<void> {
    this.#save();
    await this.#writes.close();
  }

  #ended(measured: MeasuredHour): void {
    // After a clock was set back, an hour may come twice. The first one counts.
    if (this.#hours.some(({ startAt }) => startAt === measured.startAt)) return;
    const earlier = this.#hours.slice(1 - mostHours);
    const { step } = tighteningOf([...earlier, measured], this.#now());
    const hour = { ...measured, step };
    this.#hours = [...earlier, hour];
    this.#updateTightening();
    this.#save();
    this.#deps.onHour(hour);
  }

  #updateTightening(): void {
    const before = this.#tightening.step;
    this.#tightening = tighteningOf(this.#hours, this.#now());
    if (this.#tightening.step !== before) this.#deps.onTightened(this.#tightening);
  }

  #save(): void {
    const stored: Stored = {
      version: 1,
      hours: [...this.#hours],
      open: this.#meter.open(),
      sentTo: this.#sentTo,
    };
    this.#writes
      .run(() => saveJson(this.#deps.path, stored))
      .catch((error: unknown) => this.#deps.log("error", "comfort.not-saved", { error: errorName(error) }));
  }
}
