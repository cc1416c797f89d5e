import { cloneOf } from "../../native/long-copies.ts";

export type PerformanceClock = {
  /** Milliseconds since `timeOrigin`, as the running function sees them. */
  readonly now: () => number;
  readonly timeOrigin: () => number;
  /** The running function. Each has its own entries, also in a world that several share. */
  readonly run: () => object | undefined;
};

type Parts = {
  readonly name: string;
  readonly entryType: "mark" | "measure";
  readonly startTime: number;
  readonly duration: number;
  readonly detail: unknown;
};
type MarkOptions = { readonly startTime?: number; readonly detail?: unknown };
type Mark = string | number;
type MeasureOptions = {
  readonly start?: Mark;
  readonly end?: Mark;
  readonly duration?: Mark;
  readonly detail?: unknown;
};

/** Only this file has it, so functions cannot make these objects themselves. */
const made = Symbol("made");

/** The globals of a realm, by their names. */
export type PerformanceGlobals = Readonly<
  Record<
    "performance" | "Performance" | "PerformanceEntry" | "PerformanceMark" | "PerformanceMeasure",
    object
  >
>;

/** Creates a realm's `performance` and its classes: the clock, marks and measures, as Convex has them. */
export function createPerformance({ now, timeOrigin, run }: PerformanceClock): PerformanceGlobals {
  class PerformanceEntry {
    readonly #parts: Parts;

    constructor(key: unknown, parts: Parts) {
      if (key !== made) throw new TypeError("Illegal constructor");
      this.#parts = parts;
    }

    get name(): string {
      return this.#parts.name;
    }
    get entryType(): string {
      return this.#parts.entryType;
    }
    get startTime(): number {
      return this.#parts.startTime;
    }
    get duration(): number {
      return this.#parts.duration;
    }
    get detail(): unknown {
      return this.#parts.detail;
    }
    get [Symbol.toStringTag](): string {
      return "PerformanceEntry";
    }
    toJSON(): object {
      return { ...this.#parts };
    }
  }

  class PerformanceMark extends PerformanceEntry {
    constructor(...[given, options = {}]: [name: unknown, options?: MarkOptions]) {
      const name = nameOf(given, "Failed to construct 'PerformanceMark'");
      const { startTime = now(), detail = null } = options;
      if (startTime < 0) {
        throw new TypeError(
          `Cannot construct PerformanceMark: startTime cannot be negative, received ${startTime}`,
        );
      }
      super(made, { name, entryType: "mark", startTime, duration: 0, detail: cloneOf(detail) });
    }
  }

  class PerformanceMeasure extends PerformanceEntry {}

  const entriesOfRuns = new WeakMap<object, readonly PerformanceEntry[]>();

  class Performance extends EventTarget {
    constructor(key: unknown) {
      if (key !== made) throw new TypeError("Illegal constructor");
      super();
    }

    get timeOrigin(): number {
      return timeOrigin();
    }
    now(): number {
      return now();
    }
    toJSON(): object {
      return { timeOrigin: timeOrigin() };
    }

    mark(...[name, options]: [name: unknown, options?: MarkOptions]): PerformanceMark {
      nameOf(name, "Failed to execute 'mark' on 'Performance'");
      return this.#add(new PerformanceMark(name, options));
    }

    measure(
      ...[given, from, endMark]: [name: unknown, from?: Mark | MeasureOptions | null, endMark?: Mark]
    ): PerformanceMeasure {
      const name = nameOf(given, "Failed to execute 'measure' on 'Performance'");
      const options = typeof from === "object" && from !== null ? from : null;
      checkOptions(options, endMark);
      const bounds = options ?? { start: from as Mark | undefined, end: endMark };
      const time = (mark: Mark | undefined): number | null =>
        mark === undefined ? null : this.#timeOf(mark);
      const [start, stop, lasted] = [time(bounds.start), time(bounds.end), time(options?.duration)];
      const end = stop ?? (start !== null && lasted !== null ? start + lasted : now());
      const startTime = start ?? (stop !== null && lasted !== null ? stop - lasted : 0);
      const detail = cloneOf(options?.detail ?? null);
      const parts = { name, entryType: "measure", startTime, duration: end - startTime, detail } as const;
      return this.#add(new PerformanceMeasure(made, parts));
    }

    clearMarks(name?: string): void {
      this.#remove("mark", name);
    }
    clearMeasures(name?: string): void {
      this.#remove("measure", name);
    }
    /** Nothing here makes such entries. */
    clearResourceTimings(): void {}
    setResourceTimingBufferSize(): void {}

    getEntries(): readonly PerformanceEntry[] {
      return [...this.#entries];
    }
    getEntriesByName(name: string, type?: string): readonly PerformanceEntry[] {
      return this.#entries.filter(
        (entry) => entry.name === name && (type === undefined || entry.entryType === type),
      );
    }
    getEntriesByType(type: string): readonly PerformanceEntry[] {
      return this.#entries.filter(({ entryType }) => entryType === type);
    }

    get #entries(): PerformanceEntry[] {
      const owner = run() ?? this;
      const entries = entriesOfRuns.get(owner) ?? [];
      entriesOfRuns.set(owner, entries);
      return entries as PerformanceEntry[];
    }

    #add<T extends PerformanceEntry>(entry: T): T {
      this.#entries.push(entry);
      return entry;
    }

    #remove(type: string, name: string | undefined): void {
      const kept = this.#entries.filter(
        (entry) => entry.entryType !== type || (name !== undefined && entry.name !== name),
      );
      entriesOfRuns.set(run() ?? this, kept);
    }

    #timeOf(mark: Mark): number {
      if (typeof mark === "number") {
        if (mark < 0) throw new TypeError(`Mark cannot be negative: received ${mark}`);
        return mark;
      }
      const found = this.#entries.findLast(({ name, entryType }) => entryType === "mark" && name === mark);
      if (found === undefined) throw new DOMException(`Cannot find mark: "${mark}"`, "SyntaxError");
      return found.startTime;
    }
  }

  const performance = new Performance(made);
  return { Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure, performance };
}

function nameOf(given: unknown, what: string): string {
  if (given === undefined) throw new TypeError(`${what}: 1 argument required, but only 0 present.`);
  // oxlint-disable-next-line typescript/no-base-to-string -- as web APIs do
  return String(given);
}

function checkOptions(options: MeasureOptions | null, endMark: Mark | undefined): void {
  if (options === null || Object.keys(options).length === 0) return;
  if (endMark !== undefined) throw new TypeError('Options cannot be passed with "endMark"');
  if ("start" in options && "duration" in options && "end" in options) {
    throw new TypeError('Cannot specify "start", "end", and "duration" together in options');
  }
}
