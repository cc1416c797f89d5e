import { expect, it } from "vitest";
import {
  attentionOf,
  attentionPlace,
  attentionWords,
  type ConcernFacts,
  concernsOf,
  deviceConcerns,
  donateWithinMs,
  endedWords,
  fleetConcerns,
  startWithinMs,
  updateWithinMs,
} from "./attention.ts";

const now = 1_800_000_000_000;
const healthy: ConcernFacts = {
  inService: true,
  online: true,
  failing: false,
  outdated: false,
  askedVersion: null,
  rolledBackVersion: null,
  reason: "idle",
  since: now,
  enrolledAt: now,
  hasDonated: true,
};
const of = (change: Partial<ConcernFacts>, at = now) => concernsOf({ ...healthy, ...change }, at);

it("has no concern about a healthy device, and none about one that is out of service", () => {
  expect(of({})).toEqual({ concerns: [], recheckAt: null });
  expect(of({ inService: false, failing: true, hasDonated: false })).toEqual({
    concerns: [],
    recheckAt: null,
  });
});

it("is concerned about devices that fail, are outdated or sign with another key", () => {
  expect(of({ failing: true }).concerns).toEqual(["failing"]);
  expect(of({ outdated: true, reason: "other-key" }).concerns).toEqual(["outdated", "other-key"]);
});

it("is concerned about a device that has no update three days after it was asked for it", () => {
  const asked = { askedVersion: { version: "0.5.0", at: now } };
  expect(of(asked, now + updateWithinMs - 1)).toEqual({ concerns: [], recheckAt: now + updateWithinMs });
  expect(of(asked, now + updateWithinMs).concerns).toEqual(["not-updated"]);
});

it("has one concern about a device that went back to its earlier version: not also that it lacks this update", () => {
  const rolledBack = { rolledBackVersion: "0.5.0" };
  expect(of(rolledBack)).toEqual({ concerns: ["rolled-back"], recheckAt: null });
  const askedFor = (version: string) =>
    of({ ...rolledBack, askedVersion: { version, at: now } }, now + updateWithinMs).concerns;
  expect(askedFor("0.4.0")).toEqual(["rolled-back"]);
  expect(askedFor("0.5.0")).toEqual(["rolled-back"]);
  expect(askedFor("0.6.0")).toEqual(["rolled-back", "not-updated"]);
});

it("is concerned about a device that starts for an hour, and asks again then", () => {
  expect(of({ reason: "starting" })).toEqual({ concerns: [], recheckAt: now + startWithinMs });
  expect(of({ reason: "" }, now + startWithinMs)).toEqual({ concerns: ["stuck"], recheckAt: null });
  expect(of({ reason: "", online: false }, now + startWithinMs).concerns).toEqual([]);
});

it("is concerned about a device that has not donated within a week", () => {
  expect(of({ hasDonated: false })).toEqual({ concerns: [], recheckAt: now + donateWithinMs });
  expect(of({ hasDonated: false }, now + donateWithinMs).concerns).toEqual(["never-donated"]);
});

const fleet = {
  devices: 3,
  donating: 1,
  ready: 0,
  modelIds: ["a", "b"],
  served: ["a", "b"],
  expiringKeys: 0,
  concerns: {},
  disabledWebhooks: 0,
  comfort: { hours: 0, keptHours: 0 },
  openDisputes: 0,
  wrongInService: 0,
};

it("tells of disputes, of wrong answers, and of a missed objective of comfort, which one bad hour does not miss", () => {
  const kinds = (comfort: { readonly hours: number; readonly keptHours: number }) =>
    attentionOf({ ...fleet, comfort }).map(({ kind, count }) => [kind, count]);
  expect(kinds({ hours: 20, keptHours: 19 })).toEqual([]);
  expect(kinds({ hours: 200, keptHours: 198 })).toEqual([]);
  expect(kinds({ hours: 200, keptHours: 197 })).toEqual([["comfort-missed", 3]]);
  expect(attentionWords({ kind: "comfort-missed", subject: "", count: 3 }).sentence).toBe(
    "Donors were disturbed more often than the objective of 99% allows: 3 donated hours of the last week broke a promise.",
  );
  const disputed = attentionOf({ ...fleet, devices: 0, openDisputes: 2 });
  expect(disputed).toEqual([{ kind: "open-disputes", subject: "", count: 2 }]);
  expect(attentionPlace(disputed[0]!)).toEqual({ page: "disputes", filters: {} });
  const wrong = attentionOf({ ...fleet, devices: 0, wrongInService: 1 });
  expect(wrong).toEqual([{ kind: "wrong-answers", subject: "", count: 1 }]);
  expect(attentionPlace(wrong[0]!)).toEqual({ page: "checks", filters: {} });
});

it("names models that no device offers, and jobs that wait while none donates", () => {
  expect(attentionOf(fleet)).toEqual([]);
  expect(attentionOf({ ...fleet, served: ["a"] })).toEqual([
    { kind: "unserved-model", subject: "b", count: 0 },
  ]);
  expect(attentionOf({ ...fleet, donating: 0, ready: 4 })).toEqual([
    { kind: "unserved-jobs", subject: "", count: 4 },
  ]);
  expect(attentionOf({ ...fleet, ready: 4 })).toEqual([]);
  expect(attentionOf({ ...fleet, devices: 0, served: [] })).toEqual([]);
  const disabled = [{ kind: "disabled-webhook", subject: "", count: 1 }];
  expect(attentionOf({ ...fleet, devices: 0, disabledWebhooks: 1 })).toEqual(disabled);
});

it("counts the devices of each concern, in one sentence with the act that mends it", () => {
  const found = attentionOf({ ...fleet, concerns: { failing: 1, stuck: 2 } });
  expect(found.map(({ kind, count }) => [kind, count])).toEqual([
    ["failing", 1],
    ["stuck", 2],
  ]);
  expect(attentionWords(found[0]!)).toEqual({
    sentence: "1 device was paused because too many of its jobs failed.",
    act: "Look at the last jobs, then resume",
  });
  for (const kind of [...deviceConcerns, ...fleetConcerns]) {
    const { sentence, act } = attentionWords({ kind, subject: "model", count: 2 });
    expect(sentence).toMatch(/^[A-Z0-9].*\.$/);
    expect(act).not.toMatch(/\.$/);
    expect(endedWords({ kind, subject: "model" })).toMatch(/\.$/);
  }
});

it("names keys that expire soon, also before the first device joins", () => {
  const found = [{ kind: "expiring-keys", subject: "", count: 2 }] as const;
  expect(attentionOf({ ...fleet, expiringKeys: 2 })).toEqual(found);
  expect(attentionOf({ ...fleet, devices: 0, served: [], expiringKeys: 2 })).toEqual(found);
  expect(attentionPlace(found[0])).toEqual({ page: "keys", filters: {} });
});

it("leads to the devices of a model that no device can run", () => {
  expect(attentionPlace({ kind: "unserved-model", subject: "qwen3" })).toEqual({
    page: "models",
    filters: { model: "qwen3" },
  });
});
