import { expect, it } from "vitest";
import { kindOf as ofBaseline } from "../baseline/side.ts";
import { isWorthSending } from "../baseline/worker.ts";
import { kindOf as ofOurs } from "../ours/call-kinds.ts";
import { token } from "./tokens.ts";

const answered = (name: string, value: unknown) => ({ name, value, error: null });

it.each([
  [answered("work:take", { kind: "ok", jobs: [{}] }), "claim"],
  [answered("work:take", { kind: "ok", jobs: [] }), "empty"],
  [answered("work:take", { kind: "unable", reason: "full" }), "empty"],
  [answered("work:claim", { kind: "claimed", job: {} }), "claim"],
  [answered("work:claim", { kind: "taken" }), "empty"],
  [answered("work:complete", { kind: "completed", jobs: [{}] }), "completion"],
  [answered("work:complete", { kind: "fenced", jobs: [] }), "other"],
  [answered("work:heartbeat", null), "other"],
  [{ name: "work:claim", value: null, error: "lost every race" }, "failure"],
] as const)("our queue's call %j counts as %s", (call, kind) => {
  expect(ofOurs(call)).toBe(kind);
});

it.each([
  [answered("workers:claim", { jobId: "j", payload: {} }), "claim"],
  [answered("workers:claim", null), "empty"],
  [answered("workers:complete", null), "completion"],
  [answered("workers:stream", null), "other"],
  [{ name: "workers:complete", value: null, error: "lost every race" }, "failure"],
] as const)("the baseline's call %j counts as %s", (call, kind) => {
  expect(ofBaseline(call)).toBe(kind);
});

it("the baseline sends text at each punctuation mark, and when it is longer than 100 characters", () => {
  expect(["a,", "a.", "a\n", "a!", "a?", "x".repeat(101)].map(isWorthSending)).toEqual(Array(6).fill(true));
  expect(["", " a b", "x".repeat(100)].map(isWorthSending)).toEqual(Array(3).fill(false));
});

it("answers have punctuation marks about as often as sentences do", () => {
  const tokens = Array.from({ length: 200 }, (_, n) => token(n));
  const marks = tokens.filter(isWorthSending).length;
  expect(marks).toBeGreaterThan(200 / 20);
  expect(marks).toBeLessThan(200 / 5);
  expect(tokens.every((each) => /^ \S+$/.test(each))).toBe(true);
});
