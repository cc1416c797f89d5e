import { expect, it } from "vitest";
import { type NotDonating, outlookWords, unansweredWords, type WaitsFor } from "./outlook.ts";

const busy = { ahead: { jobs: 12, exact: false }, expectedMs: 40_400, workers: 3, notDonating: null };

it("says how many jobs are before a job, how long they take, and how many devices there are", () => {
  expect(outlookWords(busy)).toBe("about 12 jobs before it, about 40 s, 3 devices");
  expect(
    outlookWords({ ahead: { jobs: 1, exact: true }, expectedMs: null, workers: 1, notDonating: null }),
  ).toBe("1 job before it, 1 device");
  expect(outlookWords({ ahead: null, expectedMs: null, workers: 0, notDonating: null })).toBe("0 devices");
});

it("tells devices that are offline from those that people use, if none donates", () => {
  const wordsWith = (some: Partial<NotDonating>): [why: string, short: string] => {
    const notDonating = { offline: 0, standby: 0, paused: 0, outdated: 0, pending: 0, ...some };
    const outlook = { ...busy, ahead: null, expectedMs: null, workers: 0, notDonating };
    return [unansweredWords({ status: "queued", waitsFor: "no-worker", outlook }), outlookWords(outlook)];
  };
  const none = "No device of your organization donates at the moment";
  expect(wordsWith({})).toEqual([`${none}.`, "0 devices"]);
  expect(wordsWith({ offline: 1 })).toEqual([`${none}: 1 is offline.`, "0 devices: 1 is offline"]);
  const many =
    "5 are offline, 2 are in use or wait by their own rules, 1 is paused, 3 need an update, 1 waits for approval";
  expect(wordsWith({ offline: 5, standby: 2, paused: 1, outdated: 3, pending: 1 })).toEqual([
    `${none}: ${many}.`,
    `0 devices: ${many}`,
  ]);
});

it("says why a job has no answer yet, for each reason in other words", () => {
  const reasons: readonly WaitsFor[] = [
    "time",
    "job",
    "limit",
    "paused",
    "no-worker",
    "no-model",
    "no-match",
    "busy",
    null,
  ];
  const words = reasons.map((waitsFor) => unansweredWords({ status: "queued", waitsFor, outlook: busy }));
  expect(new Set(words).size).toBe(reasons.length);
  expect(words).toContain(
    "All devices that could do it are busy: about 12 jobs before it, about 40 s, 3 devices.",
  );
  expect(unansweredWords({ status: "running", waitsFor: null, outlook: null })).toMatch(/works on it/);
});
