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

test("a mutation that arrives over a replaced connection is looked up", () => {
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

test("a mutation that ran over a replaced connection is not new over the newest one", async () => {
  const { engine, connect } = open();
  const old = connect("s");
  const newer = connect("s");
  expect(newer.isNew(1)).toBe(true);
  await record(engine, "s", 1);
  expect(old.isNew(2)).toBe(false);
  await record(engine, "s", 2);
  expect([2, 3].map((requestId) => newer.isNew(requestId))).toEqual([false, true]);
});

test("records are deletable until they were deleted", () => {
  const records = open().connect("s");
  expect([records.deletable(-1), records.deletable(2), records.deletable(2)]).toEqual([null, 2, 2]);
  records.deleted(2);
  expect([records.deletable(2), records.deletable(3)]).toEqual([null, 3]);
});
