import * as z from "zod";
import { jobCounts } from "../../app/contract/explanation.ts";
import { parseJson } from "../../app/json.ts";

/** Ids, names and reasons. Too short for a prompt. */
const word = z.string().min(1).max(200);
const instant = z.number().int().min(0);
const count = z.number().int().min(0);

/** A fact at that time. Null if it was unknown. */
const factValue = z.union([z.number(), z.boolean(), word, z.null()]);
const facts = z.record(z.string().max(40), factValue);

const shapes = {
  /** The activity or its reason changed. Contains the facts that mattered. */
  activity: z.object({
    kind: z.literal("activity"),
    at: instant,
    activity: z.preprocess(
      // Older entries call standby "holding".
      (kind) => (kind === "holding" ? "standby" : kind),
      z.enum(["donating", "standby"]),
    ),
    reason: word,
    facts,
  }),
  /** Written at intervals without changes, as a sign that the donor ran. */
  facts: z.object({ kind: z.literal("facts"), at: instant, facts }),
  /** The ends of jobs since the previous entry of this kind. */
  jobs: z.object({
    kind: z.literal("jobs"),
    at: instant,
    ...jobCounts,
    /** The number of failures by code. The codes are ours. */
    codes: z.record(word, count).optional(),
  }),
  model: z.object({
    kind: z.literal("model"),
    at: instant,
    modelId: word,
    state: word,
    /** The reason of a model that waits. */
    why: word.optional(),
    sizeBytes: count.optional(),
  }),
  /** The limits were tightened or eased, to this step. Contains the promise that was broken, if one was. */
  comfort: z.object({ kind: z.literal("comfort"), at: instant, step: count, broken: word.optional() }),
  lifecycle: z.object({
    kind: z.literal("lifecycle"),
    at: instant,
    event: z.enum(["start", "stop", "suspend", "resume"]),
    version: word.optional(),
  }),
} as const;

/** One line of the journal. `at` is in ms since the epoch. No field can contain a prompt or an answer. */
const journalEntry = z.discriminatedUnion("kind", [
  shapes.activity,
  shapes.facts,
  shapes.jobs,
  shapes.model,
  shapes.comfort,
  shapes.lifecycle,
]);

export type JournalEntry = Readonly<z.infer<typeof journalEntry>>;
export type JournalFacts = Readonly<z.infer<typeof facts>>;

/** Parses a line of the file. Null if it is cut off, damaged or of a newer version. */
export function parseEntry(line: string): JournalEntry | null {
  return journalEntry.safeParse(parseJson(line)).data ?? null;
}
