import { expect, onTestFinished, test } from "vitest";
import { openEngine } from "../../engine/engine.ts";
import type { Engine } from "../../engine/model/types.ts";
import { transact } from "../../engine/transact/transact.ts";
import { recordSessionRequest, sessionTable } from "../../runtime/tables/session-requests.ts";
import { type NewestConnections, SessionRecords } from "./session-records.ts";

function open() {
  const engine = openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  engine.applySchema([sessionTable]);
  const connections: NewestConnections = new Map();
  return {
    engine,
    connect: (sessionId: string) => new SessionRecords(engine, connections, sessionId),
    connections,
  };
}

async function record(engine: Engine, sessionId: string, requestId: number): Promise<void> {
  await transact(engine, (transaction) =>
    recordSessionRequest(transaction, { sessionId, requestId, acknowledgedThrough: null }, null),
  );
}

test("every mutation of a session without records is new", async () => {
  const { engine, connect } = open();
  await record(engine, "other", 7);
  const records = connect("s");
  expect(records.isNew(0)).toBe(true);
  await record(engine, "s", 0);
  expect(records.isNew(1)).toBe(true);
});

test("a mutation may have been sent before over an earlier connection, up to the newest recorded one", async () => {
  const { engine, connect } = open();
  for (const requestId of [3, 5, 4]) await record(engine, "s", requestId);
  const records = connect("s");
  expect([2, 5, 6].map((requestId) => records.isNew(requestId))).toEqual([false, false, true]);
});

test("what arrives over an old connection while, or after, there was a newer one may have been sent over both", () => {
  const { connect, connections } = open();
  const old = connect("s");
  expect(old.isNew(0)).toBe(true);
  const newer = connect("s");
  expect([old.isNew(1), newer.isNew(1)]).toEqual([false, true]);
  old.close();
  expect(newer.isNew(1)).toBe(true);
  newer.close();
  expect([old.isNew(2), connections.size]).toEqual([false, 0]);
});

test("each acknowledgment is passed on once", () => {
  const records = open().connect("s");
  expect([-1, 2, 2, 1, 3].map((through) => records.newlyAcknowledged(through))).toEqual([
    null,
    2,
    null,
    null,
    3,
  ]);
});
