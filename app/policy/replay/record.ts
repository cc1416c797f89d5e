import * as z from "zod";
import { type FactName, factNames, type Facts } from "../../facts/facts.ts";
import { parseJson } from "../../json.ts";

/*
 * The record that a device keeps of its own last days, to tell how other rules would have decided. It never leaves the device.
 */

/** These may narrow the limits of a donating computer. They never decide whether it donates. */
const withoutEffect = ["displayOff", "fanRpm", "otherGpuLoad", "vramFreeMb"] as const;

export type RecordedFact = Exclude<FactName, (typeof withoutEffect)[number] | "idleSeconds">;

const isRecorded = (name: FactName): name is RecordedFact =>
  name !== "idleSeconds" && !withoutEffect.some((other) => other === name);

export const recordedFacts: readonly RecordedFact[] = factNames.filter(isRecorded);

/** Facts that every decision knows. */
export const donorFacts = [
  "suspended",
  "connection",
  "membership",
  "pause",
  "finishThenPause",
  "donateNowUntil",
  "modelReady",
] as const satisfies readonly (keyof Facts)[];

const text = z.string().max(200);
const scalar = z.union([z.number(), z.boolean(), text, z.null()]);
const value = z.union([scalar, z.array(text).max(100), z.object({ until: z.number().nullable() })]);

/** One value is known, none is unknown, and null means that no rule needed the fact, so nothing sampled it. */
const field = z.union([z.tuple([value]), z.tuple([])]).nullable();

const factRecord = z.object({
  /** In ms since the epoch. */
  at: z.number().int().min(0),
  /** The first one of a start. Nothing is known about the time before. */
  starts: z.literal(true).optional(),
  /** It has all fields, so a reader may begin here. The first one of a start has them, too. */
  full: z.literal(true).optional(),
  /** The donor stops. */
  ends: z.literal(true).optional(),
  /** Nobody touched the computer between the previous record and this one's last input. */
  returned: z.literal(true).optional(),
  /** Fields that differ from the previous record. */
  set: z.record(z.string().max(40), field),
});

/** One line of the file. */
export type FactRecord = Readonly<z.infer<typeof factRecord>>;
export type Fields = FactRecord["set"];

/** Parses a line. Null if it is cut off, damaged or of a newer version. */
export function parseRecord(line: string): FactRecord | null {
  return factRecord.safeParse(parseJson(line)).data ?? null;
}

type Moment = {
  readonly facts: Facts;
  readonly donating: boolean;
  /** The facts that the rules need, and so sensors sample. */
  readonly sampled: ReadonlySet<string>;
  /** The programs that the rules exclude. The fact is about no others. */
  readonly programs: readonly string[];
};

/** All fields of a moment. */
export function fieldsOf({ facts, donating, sampled, programs }: Moment): Fields {
  const fields: Record<string, Fields[string]> = { donating: [donating] };
  for (const name of recordedFacts) {
    const fact = facts[name];
    // A sensor may tell more than the rules need.
    fields[name] = fact.known ? [plain(fact.value)] : sampled.has(name) ? [] : null;
  }
  for (const name of donorFacts) fields[name] = [plain(facts[name])];
  fields["programs"] = [programs.slice(0, 100)];
  const { idleSeconds } = facts;
  fields["lastInput"] = idleSeconds.known
    ? [Math.max(0, Math.round(facts.now - idleSeconds.value * 1_000))]
    : [];
  return fields;
}

function plain(given: unknown): z.infer<typeof value> {
  if (given === null || typeof given === "boolean") return given;
  const parsed = value.safeParse(typeof given === "number" ? Math.round(given * 1e4) / 1e4 : given);
  return parsed.success ? parsed.data : null;
}

/** The fields that differ. Names in `ignored` do not count. */
export function changedFields(before: Fields, after: Fields, ignored: readonly string[] = []): Fields {
  const changed: Record<string, Fields[string]> = {};
  for (const [name, field] of Object.entries(after)) {
    if (!ignored.includes(name) && !isSame(before[name], field)) changed[name] = field;
  }
  return changed;
}

function isSame(one: Fields[string] | undefined, other: Fields[string]): boolean {
  if (one === other) return true;
  if (!one || other === null || one.length !== other.length) return false;
  const [a, b] = [one[0], other[0]];
  return (
    a === b || (typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b))
  );
}
