import { inspect, isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { test } from "vitest";
import { pagePrograms, rulePrograms, searchPrograms, watchPrograms } from "./arbitrary.ts";
import { openEmbeddedNotes } from "./embedded-backend.ts";
import { execute, type NoteProgram, type Trace } from "./execute.ts";
import { openModel } from "./model-backend.ts";

const seed = Number(process.env["DIFFERENTIAL_SEED"] ?? 20_261_121);
const numRuns = Math.ceil(Number(process.env["DIFFERENTIAL_RUNS"] ?? 1_000) / 10);

async function tracesOf(program: NoteProgram): Promise<readonly [embedded: Trace, model: Trace]> {
  const embedded = await openEmbeddedNotes();
  try {
    return [await execute(embedded, program), await execute(openModel(), program)];
  } finally {
    await embedded.close();
  }
}

/** The first step in which they differ, or in which more queries have run than the model allows. */
function firstDifference([embedded, model]: Awaited<ReturnType<typeof tracesOf>>): object | null {
  const n = embedded.findIndex(
    ({ outcome, runs }, at) => !isDeepStrictEqual(outcome, model[at]!.outcome) || runs > model[at]!.runs,
  );
  return n === -1 ? null : { step: n, embedded: embedded[n], model: model[n] };
}

test.each([
  ["pages", pagePrograms],
  ["watched pages", watchPrograms],
  ["searches", searchPrograms],
  ["rollbacks, work that is not awaited, ids and names", rulePrograms],
])(
  "programs of %s give the same results as a model of Convex's rules",
  { timeout: 3_600_000 },
  async (_, programs) => {
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        const difference = firstDifference(await tracesOf(program));
        if (difference !== null) throw new Error(inspect(difference, { depth: 20 }));
      }),
      { numRuns, seed },
    );
  },
);
