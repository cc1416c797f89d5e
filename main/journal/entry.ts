import { z } from "zod";

/** Ids, names and reasons: never long enough to hold what somebody wrote. */
const word = z.string().min(1).max(200);
const instant = z.number().int().min(0);
const count = z.number().int().min(0);

/** A fact as it was then: null where the platform did not tell. */
const factValue = z.union([z.number(), z.boolean(), word, z.null()]);
const facts = z.record(z.string().max(40), factValue);

const shapes = {
  /** The donor began to do something else, or for another reason; with the facts that mattered for it. */
  activity: z.object({
    kind: z.literal("activity"),
    at: instant,
    activity: z.enum(["donating", "holding"]),
    reason: word,
    facts,
  }),
  /** Written now and then while nothing changes: says that the donor still ran. */
  facts: z.object({ kind: z.literal("facts"), at: instant, facts }),
  /** What came of jobs since the entry of this kind before: of one, or of many. */
  jobs: z.object({
    kind: z.literal("jobs"),
    at: instant,
    begun: count,
    succeeded: count,
    failed: count,
    letGo: count,
    promptTokens: count,
    completionTokens: count,
    /** How often each failure came, by its code, which is one of ours. */
    codes: z.record(word, count).optional(),
  }),
  model: z.object({
    kind: z.literal("model"),
    at: instant,
    modelId: word,
    state: word,
    /** Of one that waits: what for. */
    why: word.optional(),
    sizeBytes: count.optional(),
  }),
  lifecycle: z.object({
    kind: z.literal("lifecycle"),
    at: instant,
    event: z.enum(["start", "stop", "suspend", "resume"]),
    version: word.optional(),
  }),
} as const;

/** One line of the journal. `at` is in ms since the epoch. No prompt and no answer fits into any of it. */
export const journalEntry = z.discriminatedUnion("kind", [
  shapes.activity,
  shapes.facts,
  shapes.jobs,
  shapes.model,
  shapes.lifecycle,
]);

export type JournalEntry = Readonly<z.infer<typeof journalEntry>>;
export type JournalFacts = Readonly<z.infer<typeof facts>>;

/** A line of the file; null for one that was cut off, damaged, or written by a version that knows more. */
export function parseEntry(line: string): JournalEntry | null {
  try {
    return journalEntry.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
