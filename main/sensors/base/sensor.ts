import type { ComputerFacts, Known } from "../../../app/facts/facts.ts";

/** What sensors tell: the facts about this computer, and whether it is on its way to sleep. */
export type Sensed = ComputerFacts & { readonly suspended: Known<boolean> };

export type FactName = keyof Sensed;

/** Some facts, as a sensor just found them. What is missing is unknown to that sensor. */
export type Found = Partial<Sensed>;

/** What the rules look at now: nothing else is worth a wake-up. */
export type Needs = {
  readonly facts: ReadonlySet<FactName>;
  /** The rules' excluded programs. */
  readonly programs: readonly string[];
  readonly donating: boolean;
};

/** One source of facts. It never throws and never guesses: what it does not know, it leaves out. */
export type Sensor = {
  /** As a person would name it: "UPower", "/proc/meminfo". */
  readonly source: string;
  readonly facts: readonly FactName[];
  /** Milliseconds until a new sample is worth its cost; null: it tells of every change by itself. */
  readonly everyMs: number | null;
  /** Where samples take a subprocess: how often they do, in milliseconds. */
  readonly subprocessEveryMs?: number;
  /** So costly that it is only asked while the donor works. */
  readonly onlyWhileDonating?: boolean;
  readonly sample?: (needs: Needs) => Found | Promise<Found>;
  /** Tells of changes from now on, until the returned function is called. */
  readonly follow?: (tell: (found: Found) => void) => () => void;
};

export type Reading<T = unknown> = {
  readonly value: Known<T>;
  /** Who said so; of an unknown value, who was asked. */
  readonly source: string;
  /** When, in milliseconds since the epoch; null: never, since no rule looks at it or nothing here tells. */
  readonly at: number | null;
};

export type Readings = { readonly [F in FactName]: Reading };
