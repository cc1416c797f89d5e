import { type Facts, type Known, known, unknown, unknownComputer } from "../../facts/facts.ts";
import { decide } from "../decide.ts";
import type { Activity } from "../decision.ts";
import { neededFacts, type Rules } from "../rules.ts";
import { donorFacts, type FactRecord, type Fields, recordedFacts } from "./record.ts";

/** While a donor runs, it records something at least this often, in ms. */
export const aliveEveryMs = 10 * 60_000;
/** After a longer silence the computer slept, or the donor did not run. */
const silentAfterMs = 2.5 * aliveEveryMs;
/** Two decisions are at least this far apart, in ms. */
const minStepMs = 250;

export type ReplayOptions = {
  readonly rules: Rules;
  /** Time before it does not count, in ms since the epoch. */
  readonly since: number;
  /** The minute of the week at a moment, in the computer's time zone. */
  readonly minuteOfWeek: (at: number) => number;
  /** Hears each decision, and until when it lasts. */
  readonly onDecision?: (activity: Activity, facts: Facts, until: number) => void;
};

/** Times are in ms. */
export type ReplayTotals = {
  /** How long is recorded. */
  readonly recorded: number;
  /** How long the computer donated in fact. */
  readonly happened: number;
  /** How long it would have donated under the rules. */
  readonly donated: number;
  /** How often it would have started to donate. */
  readonly spans: number;
  /** How long a fact that was not recorded decides, because no rule needed it then. */
  readonly unsure: number;
};

export type Replay = {
  readonly at: number;
  /** Null while nothing is known. */
  readonly fields: Fields | null;
  readonly state: Activity;
  readonly totals: ReplayTotals;
};

const starting = (at: number): Activity => ({ kind: "standby", reason: "starting", since: at });

export function newReplay(): Replay {
  const totals = { recorded: 0, happened: 0, donated: 0, spans: 0, unsure: 0 };
  return { at: 0, fields: null, state: starting(0), totals };
}

/** Replays a device's records against rules, with the same `decide` that the donor uses. Pure. */
export function replay(records: readonly FactRecord[], options: ReplayOptions): ReplayTotals {
  return records.reduce((so, record) => replayTo(so, record, options), newReplay()).totals;
}

/** Replays the time until the next record. */
export function replayTo(so: Replay, record: FactRecord, options: ReplayOptions): Replay {
  const { at, set } = record;
  const isStart = record.starts === true;
  const before = isStart ? null : so.fields;
  const lived = before !== null && at - so.at <= silentAfterMs ? live(so, before, record, options) : so;
  const isWhole = isStart || record.full === true;
  const fields = isWhole ? set : before === null ? null : { ...before, ...set };
  return {
    // If the clock was set back, the time counts from there.
    at,
    fields: record.ends === true ? null : fields,
    state: before === null ? starting(at) : lived.state,
    totals: lived.totals,
  };
}

function live(
  so: Replay,
  fields: Fields,
  next: FactRecord,
  options: ReplayOptions,
): Pick<Replay, "state" | "totals"> {
  const { rules, since, minuteOfWeek } = options;
  const inputs = inputsOf(fields, next);
  const { facts, lacks } = factsOf(fields, rules);
  const [didDonate] = fields["donating"] ?? [];
  let { state } = so;
  const totals = { ...so.totals };
  for (let now = so.at; now < next.at;) {
    const wasDonating = state.kind === "donating";
    const current = { ...facts, now, minuteOfWeek: minuteOfWeek(now), idleSeconds: inputs.idleAt(now) };
    const decision = decide(state, current, rules);
    state = decision.next;
    const recheckAt = Math.max(decision.recheckAt ?? Number.POSITIVE_INFINITY, now + minStepMs);
    const until = Math.min(next.at, recheckAt, inputs.lastAt > now ? inputs.lastAt : next.at);
    options.onDecision?.(state, current, until);
    const ms = Math.max(0, until - Math.max(now, since));
    totals.recorded += ms;
    if (didDonate === true) totals.happened += ms;
    if (lacks && (state.kind === "donating" || state.reason.endsWith("-unknown"))) totals.unsure += ms;
    if (state.kind === "donating" && ms > 0) {
      totals.donated += ms;
      if (!wasDonating) totals.spans += 1;
    }
    now = until;
  }
  return { state, totals };
}

/** The idle time between two records. Unless somebody returned only at the end, they count as there until their last input. */
function inputsOf(
  fields: Fields,
  { set, returned }: FactRecord,
): { readonly idleAt: (at: number) => Known<number>; readonly lastAt: number } {
  const [first] = fields["lastInput"] ?? [];
  const [last] = set["lastInput"] ?? fields["lastInput"] ?? [];
  if (typeof first !== "number") return { idleAt: () => unknown, lastAt: 0 };
  const lastAt = typeof last === "number" ? Math.max(first, last) : first;
  let isFirst = true;
  return {
    lastAt,
    idleAt: (at) => {
      const isExact = isFirst || returned === true || lastAt === first;
      isFirst = false;
      if (at >= lastAt) return known((at - lastAt) / 1_000);
      return known(isExact ? Math.max(0, at - first) / 1_000 : 0);
    },
  };
}

type OtherFacts = Omit<Facts, "now" | "minuteOfWeek" | "idleSeconds">;

/** The recorded facts; and whether they lack one that the rules need. */
function factsOf(fields: Fields, rules: Rules): { readonly facts: OtherFacts; readonly lacks: boolean } {
  const needed = neededFacts(rules);
  const onMains = fields["power"]?.[0] === "ac";
  let lacks = false;
  const facts: Record<string, unknown> = { ...unknownComputer, gpuSampled: false };
  for (const name of recordedFacts) {
    const field = fields[name] ?? null;
    if (field === null && needed.has(name) && !(name === "batteryPercent" && onMains)) lacks = true;
    facts[name] = field === null || field.length === 0 ? unknown : known(field[0]);
  }
  for (const name of donorFacts) facts[name] = fields[name]?.[0] ?? null;
  if (rules.excludedPrograms.length > 0) {
    const { program, wasLooked } = programOf(fields, rules.excludedPrograms);
    facts["excludedProgram"] = program;
    if (!wasLooked) lacks = true;
  }
  return { facts: facts as OtherFacts, lacks };
}

/** A device looks only for the programs that its rules excluded then. */
function programOf(
  fields: Fields,
  excluded: readonly string[],
): { readonly program: Known<string | null>; readonly wasLooked: boolean } {
  const field = fields["excludedProgram"] ?? null;
  const [looked] = fields["programs"] ?? [];
  const wasLooked = Array.isArray(looked) && excluded.every((name) => looked.includes(name));
  if (field === null) return { program: known(null), wasLooked: false };
  const [found] = field;
  if (field.length === 0) return { program: unknown, wasLooked };
  if (typeof found === "string" && excluded.includes(found))
    return { program: known(found), wasLooked: true };
  // Another program that is excluded now may have run beside the one that was found.
  return { program: known(null), wasLooked: wasLooked && typeof found !== "string" };
}
