import { expect, it } from "vitest";
import { batchRows } from "../../gallery/fixtures/batch-rows.ts";
import {
  batchFilterOf,
  batchWaitWords,
  cancelWords,
  endWords,
  forecastWords,
  isCancelable,
  nameOf,
  progressWords,
  requestWords,
  stateOf,
} from "./batch-words.ts";

const now = new Date("2026-11-21T14:30:00").getTime();
const [checking, running, waiting, , failed, expired, canceled] = batchRows(now);

it("tells a batch that waits from one that runs", () => {
  expect(stateOf(running!).words).toBe("Running");
  expect(stateOf(waiting!)).toEqual({ tone: "hold", words: "Waiting" });
  expect(batchWaitWords(waiting!.wait!, now)).toBe("Its lane is paused by Ada Brandt since 14:00");
  expect(batchWaitWords({ kind: "credits" }, now)).toContain("too few credits");
  expect(batchWaitWords({ kind: "queue" }, now)).toContain("queue takes no more");
});

it("counts the requests that have ended, and names the batch by its file", () => {
  expect(progressWords(running!)).toBe("1,234 of 20,000");
  expect(nameOf(running!)).toBe("letters-2026-11.jsonl");
  expect(nameOf(expired!)).toMatch(/^batch_jx7/);
  expect(requestWords(running!)).toBe("chat, within 24 hours");
});

it("says what a cancel changes, and offers it while it changes something", () => {
  expect(cancelWords(running!)).toEqual([
    "18,766 requests that are not answered yet end as canceled.",
    "1,230 answers stay and are paid for.",
  ]);
  expect(cancelWords({ ...running!, total: 2, completed: 1, failed: 0 })).toEqual([
    "1 request that is not answered yet ends as canceled.",
    "1 answer stays and is paid for.",
  ]);
  expect(cancelWords({ ...running!, total: 2, completed: 0, failed: 1 })).toHaveLength(1);
  expect(cancelWords(checking!)[0]).toContain("none of its requests was sent");
  const offered = batchRows(now).filter(isCancelable);
  expect(offered).toEqual([checking, running, waiting]);
  expect(isCancelable({ status: "cancelling" })).toBe(false);
});

it("says why requests of an ended batch have no answer", () => {
  expect(endWords(running!)).toBeNull();
  expect(endWords(failed!)).toContain("has mistakes");
  const [mistake] = failed!.mistakes;
  const unreadable = [{ ...mistake!, code: "file_unreadable" }];
  expect(endWords({ status: "failed", mistakes: unreadable })).toContain("could not be read");
  const late = [{ ...mistake!, code: "deadline_unreachable" }];
  expect(endWords({ status: "failed", mistakes: late })).toContain("could not end in its time");
  expect(endWords(expired!)).toContain("time was over");
  expect(endWords(canceled!)).toContain("was canceled");
});

it("reads a filter from the address, and ignores an unknown one", () => {
  expect(batchFilterOf("open")).toBe("open");
  expect(batchFilterOf("cancelled")).toBe("cancelled");
  expect(batchFilterOf("nonsense")).toBeNull();
});

it("says when a batch will end, and the chance that it ends in time if that is not sure", () => {
  const [expectedAt, latestAt] = [now + 3 * 3_600_000, now + 5 * 3_600_000];
  const forecast = { expectedAt, latestAt, onTime: 1, days: 20, madeAt: now };
  expect(forecastWords(null, now)).toEqual([]);
  expect(forecastWords(forecast, now)).toEqual([
    "Expected to end 17:30; 19 of 20 such batches have ended by 19:30.",
  ]);
  expect(forecastWords({ ...forecast, latestAt: null, onTime: 0.6 }, now)).toEqual([
    "Expected to end 17:30, but it may take more than a week.",
    "The chance that all requests end in time is 60%.",
  ]);
  expect(forecastWords({ ...forecast, expectedAt: null, latestAt: null, onTime: 0.1 }, now)).toEqual([
    "It will probably take more than a week.",
    "It will probably not end in time: the chance is 10%.",
  ]);
});
