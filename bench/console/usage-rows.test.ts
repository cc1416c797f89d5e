import { expect, it } from "vitest";
import { bucketOf, spans } from "../../app/statistics/spans.ts";
import { mostSubjects, subjectKinds } from "../../app/statistics/tally.ts";
import type { Row } from "./copies.ts";
import { depthRows, organizationMonths, ownDays, statisticsRows, subjectMonths } from "./usage-rows.ts";

const numbered = (noun: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${noun} ${String(at)}`);
const subjects = {
  organizationId: "acme",
  keys: numbered("key", 200),
  members: numbered("member", 200),
  devices: numbered("device", 1_000),
};
const until = Date.UTC(2026, 10, 21, 13, 25);
const keyOf = (row: Row, ...fields: string[]): string => JSON.stringify(fields.map((field) => row[field]));

it("statistics end where the backend goes on to count: each bucket is there once, and none is later", () => {
  const rows = [...statisticsRows(subjects, until)];
  const ofSpan = (spanMs: number): Row[] => rows.filter((row) => row["spanMs"] === spanMs);
  expect(new Set(rows.map((row) => keyOf(row, "by", "spanMs", "startAt"))).size).toBe(rows.length);
  for (const spanMs of [spans.day, spans.hour, spans.short]) {
    const last = Math.max(...ofSpan(spanMs).map((row) => Number(row["startAt"])));
    expect(last + spanMs).toBe(bucketOf(until, spanMs));
  }
  expect(ofSpan(spans.day)).toHaveLength(90 * subjectKinds.length);
  const keys = ofSpan(spans.day).filter((row) => row["by"] === "key");
  // The others are under one subject more.
  expect(keys.map((row) => (row["subjects"] as unknown[]).length)).toEqual(Array(90).fill(mostSubjects + 1));
});

it("each key, member and device has its months once, with 30 days in all, and none is today", () => {
  const rows = [...organizationMonths(subjects, until), ...subjectMonths(subjects, until)];
  expect(new Set(rows.map((row) => keyOf(row, "subject", "startAt"))).size).toBe(rows.length);
  const bySubject = Map.groupBy(rows, (row) => row["subject"]);
  expect(bySubject.size).toBe(1 + 200 + 200 + 1_000);
  for (const subject of ["acme", "key 7", "member 7"]) {
    const days = (bySubject.get(subject) ?? []).flatMap((row) => row["days"] as { startAt: number }[]);
    expect(days).toHaveLength(30);
    expect(Math.max(...days.map(({ startAt }) => startAt))).toBe(bucketOf(until, spans.day) - spans.day);
  }
});

it("a member's day has the member's key, and the models of its jobs", () => {
  const rows = [...ownDays(subjects, until)];
  expect(rows).toHaveLength(200 * 30);
  const own = rows.find((row) => row["owner"] === "member 7");
  expect(own?.["keys"]).toMatchObject([{ subject: "key 7" }]);
});

it("the depth of the queue has each minute, up to this hour", () => {
  const rows = [...depthRows(subjects, until)];
  expect(new Set(rows.map((row) => keyOf(row, "by", "subject", "startAt"))).size).toBe(rows.length);
  expect(Math.max(...rows.map((row) => Number(row["startAt"])))).toBe(
    bucketOf(until, spans.hour) - spans.hour,
  );
  expect(rows[0]?.["samples"]).toHaveLength(60);
});
