import { expect, it } from "vitest";
import { changeHeldMs } from "../../../app/jobs/limits.ts";
import { heldNotice, retryAllNotice, retryNotice, undoneNotice, undoPriorityNotice } from "./retry-words.ts";

it("tells whether a dead letter is retried", () => {
  expect(retryNotice({ kind: "ready" })).toEqual({ words: "The job is ready again." });
  expect(retryNotice({ kind: "quota-exceeded" }).tone).toBe("bad");
});

it("tells how many dead letters are retried", () => {
  expect(retryAllNotice({ started: 0, more: false }).tone).toBe("bad");
  expect(retryAllNotice({ started: 1, more: false }).words).toBe("One job is ready again.");
  expect(retryAllNotice({ started: 12, more: false }).words).toBe("12 jobs are ready again.");
  expect(retryAllNotice({ started: 0, more: true }).tone).toBeUndefined();
});

it("says when jobs are canceled, and offers the undo a little shorter than it is possible", () => {
  const undo = (): undefined => undefined;
  const notice = heldNotice("cancel", 1, undo);
  expect(notice).toMatchObject({ words: "The job is canceled in 8 seconds.", undo });
  expect(notice.undoForMs).toBeLessThan(changeHeldMs);
  expect(heldNotice("cancel", 12, undo).words).toBe("12 jobs are canceled in 8 seconds.");
  expect(heldNotice("discard", 1, undo).words).toBe("The job is discarded in 8 seconds.");
  expect(heldNotice("retry", 2, undo).words).toBe("2 jobs are retried in 8 seconds.");
});

it("tells an undo that came too late", () => {
  const [undone, late] = [{ kind: "undone" }, { kind: "too-late" }] as const;
  expect(undoneNotice("discard", [undone, undone])).toEqual({ words: "Nothing was discarded." });
  expect(undoneNotice("cancel", [undone, late]).tone).toBe("bad");
  expect(undoPriorityNotice(undone).tone).toBeUndefined();
  expect(undoPriorityNotice(late).tone).toBe("bad");
});
