import { expect, test } from "vitest";
import { transact } from "../engine/transact/transact.ts";
import { openFixture, request } from "../runtime/runtime.fixture.ts";
import { findSessionRecord } from "../runtime/tables/session-requests.ts";
import { insertScheduled, runTablesOf, setScheduledState } from "./scheduled-function.ts";
import { scheduledInState } from "./scheduled-queries.ts";
import { states } from "./scheduling.fixture.ts";
import { sweepFinished } from "./sweep-finished.ts";

const dayMs = 86_400_000;

test("finished rows are removed after a week; pending ones and session records stay", async () => {
  const fixture = await openFixture();
  const { engine, runner } = fixture;
  const tables = runTablesOf([""]);
  const [scheduled, cronRuns] = tables as [string, string];
  await transact(engine, (transaction) => {
    const job = { component: "", name: "later.js:note", args: {}, scheduledTime: 0 };
    for (let count = 0; count < 600; count += 1) {
      setScheduledState(transaction, insertScheduled(transaction, scheduled, job), { kind: "success" });
      setScheduledState(transaction, insertScheduled(transaction, cronRuns, job), { kind: "success" });
    }
    for (const table of tables) insertScheduled(transaction, table, job);
  });
  const session = { sessionId: "s", requestId: 0, acknowledgedThrough: -1 };
  await runner.runMutation({ ...request("notes:increment", { name: "swept" }), session });

  const now = Date.now();
  await sweepFinished(engine, tables, now + 6 * dayMs);
  expect(await states(fixture)).toHaveLength(601);

  await sweepFinished(engine, tables, now + 8 * dayMs);
  expect(await states(fixture)).toEqual(["pending"]);
  const left = await transact(engine, (transaction) => ({
    cronRuns: ["pending", "success"].map(
      (kind) => scheduledInState(transaction, kind as "pending", cronRuns).length,
    ),
    session: findSessionRecord(transaction, session),
  }));
  expect(left).toEqual({ cronRuns: [1, 0], session: { sealed: expect.any(String), plain: undefined } });
  await engine.close();
});
