import { expect, test } from "vitest";
import { openFixture, request } from "../runtime/runtime.fixture.ts";
import { commitWithRetries } from "../runtime/commit-with-retries.ts";
import { SESSION_TABLE } from "../runtime/session-requests.ts";
import { fullRange } from "../values/index-range.ts";
import { insertScheduled, setScheduledState } from "./scheduled-function.ts";
import { states } from "./scheduling.fixture.ts";
import { Sweeper } from "./sweeper.ts";

const DAY_MS = 86_400_000;

test("finished rows go after a week and session records after a day; pending rows stay", async () => {
  const fixture = await openFixture();
  const { engine, runner } = fixture;
  await commitWithRetries(engine, async (transaction) => {
    const job = { component: "", name: "later.js:note", args: {}, scheduledTime: 0 };
    for (let count = 0; count < 600; count += 1) {
      setScheduledState(transaction, insertScheduled(transaction, "", job), { kind: "success" });
    }
    insertScheduled(transaction, "", job);
    return { commit: true, result: null };
  });
  const session = { sessionId: "s", requestId: 0, acknowledgedThrough: -1 };
  await runner.runMutation({ ...request("notes:increment", { name: "swept" }), session });

  let now = Date.now() + 6 * DAY_MS;
  const sweeper = new Sweeper({
    engine,
    components: [""],
    clock: () => now,
    onError: (error) => expect.unreachable(String(error)),
  });
  await sweeper.sweep();
  expect(await states(fixture)).toHaveLength(601);
  const transaction = engine.begin();
  expect(transaction.scan(fullRange(SESSION_TABLE.name, "by_creation_time"), "asc").next()).toBeNull();
  engine.discard(transaction);

  now += 2 * DAY_MS;
  await sweeper.sweep();
  expect(await states(fixture)).toEqual(["pending"]);
  await engine.close();
});
