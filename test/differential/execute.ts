import type { Value } from "convex/values";
import type { Step } from "./arbitrary.ts";
import type { Backend, Outcome } from "./backend.ts";
import type { Known, Ran } from "./convex/program.ts";
import { normalized } from "./normalize.ts";

/** A backend's trace of a program, in a form that can be compared. */
export type Trace = readonly TraceEntry[];
export type TraceEntry = { readonly at: string; readonly outcome: Outcome };

const wholeTable = (table: string): Value => ({
  do: "query",
  query: { table, index: null, bounds: [], order: null, filters: [] },
  take: "all",
});

const finalReads: Value = [wholeTable("items"), wholeTable("strict"), { do: "scheduled", ref: "all" }];

/** Runs a program on an empty database and then reads all documents. */
export async function execute(backend: Backend, program: readonly Step[]): Promise<Trace> {
  const known: Known = { created: [], times: [], scheduled: [] };
  const trace: TraceEntry[] = [];
  const note = (at: string, outcome: Outcome): void => {
    trace.push({ at, outcome: normalized(outcome, known) });
  };
  const run = async (at: string, name: "mutate" | "read", operations: unknown): Promise<void> => {
    const outcome = await backend.call(name, { operations: operations as Value, known });
    if (outcome.kind === "value") {
      const ran = outcome.value as unknown as Ran;
      known.created.push(...ran.created);
      known.times.push(...ran.times);
      known.scheduled.push(...ran.scheduled);
    }
    note(at, outcome);
  };
  for (const [n, step] of program.entries()) {
    const at = `step ${n}`;
    if (step.kind !== "pages") await run(at, step.kind === "mutation" ? "mutate" : "read", step.operations);
    else await turnPages(step, at);
  }
  await run("the end", "read", finalReads);
  return trace;

  async function turnPages(step: Extract<Step, { kind: "pages" }>, at: string): Promise<void> {
    let cursor: string | null = null;
    // A cursor belongs to one query, so its bounds must not change between pages.
    const before: Known = structuredClone(known);
    for (const [n, { numItems, then }] of step.pages.entries()) {
      const paginationOpts = { numItems, cursor };
      const query = step.query as unknown as Value;
      const outcome = await backend.call("page", { query, known: before, paginationOpts });
      note(`${at}, page ${n}`, outcome);
      if (outcome.kind === "error") return;
      const page = outcome.value as { isDone: boolean; continueCursor: string };
      if (then.length > 0) await run(`${at}, after page ${n}`, "mutate", then);
      // The same page keeps its ends, whatever was written into it.
      const { continueCursor: endCursor } = page;
      const again = await backend.call("page", {
        query,
        known: before,
        paginationOpts: { ...paginationOpts, endCursor },
      });
      note(`${at}, the same page ${n}`, onlyDocuments(again));
      if (page.isDone) return;
      cursor = endCursor;
    }
  }
}

/** convex-test says isDone if a page's last document is gone: its cursor is a document, not a position. */
function onlyDocuments(outcome: Outcome): Outcome {
  if (outcome.kind === "error") return outcome;
  return { kind: "value", value: (outcome.value as { page: Value }).page };
}
