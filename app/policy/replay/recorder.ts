import type { Facts } from "../../facts/facts.ts";
import type { Activity } from "../decision.ts";
import { neededFacts, type Rules } from "../rules.ts";
import { changedFields, type FactRecord, type Fields, fieldsOf } from "./record.ts";
import { aliveEveryMs } from "./replay.ts";

/** Changes of these alone are recorded at most this often, in ms. A replay may see them that much later. */
export const grainMs = 30_000;

const continuous = [
  "lastInput",
  "batteryPercent",
  "temperatureC",
  "otherCpuLoad",
  "memoryFreeMb",
  "diskFreeMb",
] as const;

/** After this time without input somebody returns. */
const awayAfterMs = 10_000;
/** Some systems report whole seconds only. */
const inputGrainMs = 1_000;

type Sample = {
  readonly at: number;
  readonly fields: Fields;
  readonly key: string;
  readonly isResting: boolean;
};

/** Records the facts of decisions: each change of the decision at once, other changes at intervals. */
export class FactRecorder {
  readonly #write: (record: FactRecord) => void;
  #recorded: Sample | null = null;
  #last: Sample | null = null;
  #rules: Rules | null = null;
  #needed: ReadonlySet<string> = new Set();

  constructor(write: (record: FactRecord) => void) {
    this.#write = write;
  }

  /** Call it after each decision, and at least every `aliveEveryMs`. */
  saw(activity: Activity, facts: Facts, rules: Rules): void {
    const last = this.#last;
    if (rules !== this.#rules) {
      this.#rules = rules;
      this.#needed = neededFacts(rules);
    }
    const sample = sampleOf(
      activity,
      facts,
      { sampled: this.#needed, programs: rules.excludedPrograms },
      last,
    );
    this.#last = sample;
    if (last === null || this.#recorded === null) {
      this.#recorded = sample;
      this.#write({ at: sample.at, starts: true, set: sample.fields });
      return;
    }
    const returned = isReturn(last, sample);
    if (returned || isNews(last, sample)) {
      // Exact facts until now, too.
      if (Object.keys(changedFields(this.#recorded.fields, last.fields)).length > 0)
        this.#record(last, false);
      this.#record(sample, returned);
    } else if (this.#isDue(sample)) this.#record(sample, false);
  }

  end(at: number): void {
    if (this.#last === null) return;
    this.#last = null;
    this.#recorded = null;
    this.#write({ at, ends: true, set: {} });
  }

  #isDue({ at, fields }: Sample): boolean {
    if (this.#recorded === null) return true;
    const ms = at - this.#recorded.at;
    // A timer may be a little early.
    if (ms < 0 || ms >= aliveEveryMs / 2) return true;
    return ms >= grainMs && Object.keys(changedFields(this.#recorded.fields, fields)).length > 0;
  }

  #record(sample: Sample, returned: boolean): void {
    const before = this.#recorded;
    const full = before === null || dayOf(before.at) !== dayOf(sample.at);
    const set = full ? sample.fields : changedFields(before.fields, sample.fields);
    this.#recorded = sample;
    this.#write({ at: sample.at, ...(full && { full }), ...(returned && { returned }), set });
  }
}

function sampleOf(
  activity: Activity,
  facts: Facts,
  looked: { readonly sampled: ReadonlySet<string>; readonly programs: readonly string[] },
  last: Sample | null,
): Sample {
  const fields = fieldsOf({ facts, donating: activity.kind === "donating", ...looked });
  const [before] = last?.fields["lastInput"] ?? [];
  const [after] = fields["lastInput"] ?? [];
  const isSameInput =
    typeof before === "number" && typeof after === "number" && Math.abs(after - before) <= inputGrainMs;
  return {
    at: facts.now,
    fields: isSameInput ? { ...fields, lastInput: [before] } : fields,
    key: `${activity.kind} ${activity.reason}`,
    isResting: activity.kind === "donating" && activity.limits.stillSince !== null,
  };
}

/** Files of whole days (UTC) are deleted, so each begins with all fields. */
function dayOf(at: number): number {
  return Math.floor(at / 86_400_000);
}

function isNews(last: Sample, next: Sample): boolean {
  if (last.key !== next.key || last.isResting !== next.isResting) return true;
  return Object.keys(changedFields(last.fields, next.fields, continuous)).length > 0;
}

function isReturn(last: Sample, next: Sample): boolean {
  const [before] = last.fields["lastInput"] ?? [];
  const [after] = next.fields["lastInput"] ?? [];
  if (typeof before !== "number" || typeof after !== "number" || after <= before) return false;
  return last.at - before >= awayAfterMs || (next.isResting && !last.isResting);
}
