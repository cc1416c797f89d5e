import { expect, it } from "vitest";
import { changeHeldMs } from "../../../app/jobs/limits.ts";
import {
  heldNotice,
  heldRetryOfAllWords,
  heldWords,
  retryNotice,
  undoneNotice,
  undoPriorityNotice,
} from "./retry-words.ts";

it("tells whether a dead letter is retried", () => {
  expect(retryNotice({ kind: "ready" })).toEqual({ words: "The job is ready again." });
  expect(retryNotice({ kind: "quota-exceeded" }).tone).toBe("bad");
});

it("says when jobs are canceled, and offers the undo a little shorter than it is possible", () => {
  const undo = (): undefined => undefined;
  const notice = heldNotice(heldWords("cancel", 1), undo);
  expect(notice).toMatchObject({ words: "The job is canceled in 8 seconds.", undo });
  expect(notice.undoForMs).toBeLessThan(changeHeldMs);
  expect(heldWords("cancel", 12)).toBe("12 jobs are canceled in 8 seconds.");
  expect(heldWords("discard", 1)).toBe("The job is discarded in 8 seconds.");
  expect(heldWords("retry", 2)).toBe("2 jobs are retried in 8 seconds.");
  expect(heldRetryOfAllWords()).toBe("The failed and expired jobs are retried in 8 seconds.");
});

it("tells an undo that came too late", () => {
  const [undone, late] = [{ kind: "undone" }, { kind: "too-late" }] as const;
  expect(undoneNotice("discard", [undone, undone])).toEqual({ words: "Nothing was discarded." });
  expect(undoneNotice("cancel", [undone, late]).tone).toBe("bad");
  expect(undoPriorityNotice(undone).tone).toBeUndefined();
  expect(undoPriorityNotice(late).tone).toBe("bad");
});
