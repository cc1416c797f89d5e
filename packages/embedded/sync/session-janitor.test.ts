import { expect, onTestFinished, test } from "vitest";
import { openEngine } from "../engine/engine.ts";
import { sessionTable } from "../runtime/tables/session-requests.ts";
import { fullRange } from "../values/keys/index-range.ts";
import { sweepSessionRequests } from "./session-janitor.ts";

const dayMs = 86_400_000;

test("records of sessions away for 15 days are removed, and those of 13 days stay", async () => {
  const engine = openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  engine.applySchema([sessionTable]);
  const now = 1_800_000_000_000;
  const record = async (createdAt: number, count: number): Promise<void> => {
    const transaction = engine.begin({ now: createdAt });
    for (let requestId = 0; requestId < count; requestId++) {
      transaction.insert(sessionTable.name, { sessionId: String(createdAt), requestId, value: null });
    }
    await engine.commit(transaction);
  };
  await record(now - 15 * dayMs, 1200);
  await record(now - 13 * dayMs, 3);
  expect(await sweepSessionRequests(engine, now)).toBe(1200);
  expect(await sweepSessionRequests(engine, now)).toBe(0);
  const reader = engine.begin();
  const scan = reader.scan(fullRange(sessionTable.name, "by_creation_time"), "asc");
  const left: unknown[] = [];
  for (let entry = scan.next(); entry !== null; entry = scan.next()) left.push(entry.document["requestId"]);
  engine.discard(reader);
  expect(left).toEqual([0, 1, 2]);
});
