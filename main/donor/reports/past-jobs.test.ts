import { expect, it } from "vitest";
import { silentLog } from "../../log.ts";
import type { Organization } from "../organization/organization.ts";
import { PastJobs } from "./past-jobs.ts";

const row = {
  attemptId: "a1",
  kind: "chat",
  modelId: "m",
  status: "succeeded",
  startedAt: 1,
  endedAt: 2,
  promptTokens: 3,
  completionTokens: 4,
  earnedMicro: "30",
  energy: { microWh: 9, source: "measured" },
  pay: {
    kind: "paid",
    formula: {
      promptTokens: 3,
      completionTokens: 4,
      promptMicro: "2",
      completionMicro: "6",
      percent: 40,
      parts: { priority: 50, kind: 100, hour: 80 },
      version: "1.2",
    },
    limited: false,
    bonus: { micro: "10", percent: 50 },
    check: { kind: "taken", micro: "3" },
  },
  explanation: "3 tokens in × 2 + 4 out × 6",
} as const;
const energy = { microWh: 9, measuredMicroWh: 4, runMs: 5, byHour: { "7": 9 } };
const models = [{ subject: "m", promptTokens: 3, completionTokens: 4 }];
const work = { answered: 1, promptTokens: 3, completionTokens: 4, runMs: 5, energy, models };
const day = { startAt: 0, jobs: 2, micro: 30n, ...work };
const facts = {
  cloudPrices: [{ modelId: "m", prompt: 0.2, completion: 0.6 }],
  currency: "EUR",
  watts: null,
  gramsPerKwh: Array.from({ length: 24 }, (_, hour) => hour),
};

// A newer backend may count events that this program does not know.
const standings = [{ modelId: "m", rank: "new" as const, passed: 2, counts: { abort: 1, newer: 3 } }];

type Asked = Parameters<Organization["historyPage"]>;

function pastJobs(change: Partial<Organization> = {}, isConnected = true) {
  const asked: Asked[] = [];
  const organization = {
    earningsByDay: () => Promise.resolve({ days: [day], since: 0, facts, standings }),
    historyPage: (...which: Asked) => {
      asked.push(which);
      return Promise.resolve({ page: [row], isDone: false, continueCursor: "[1]" });
    },
    ...change,
  };
  const past = new PastJobs({
    organization,
    isConnected: () => isConnected,
    log: silentLog,
    withinMs: 20,
  });
  return { past, asked };
}

it("answers with the device's days and its jobs", async () => {
  const { past, asked } = pastJobs();
  expect(await past.earnings()).toEqual({
    kind: "ok",
    value: {
      days: [{ startAt: 0, micro: "30", ...work }],
      since: 0,
      facts,
      standings,
    },
  });
  const filter = { model: "m", status: "succeeded" } as const;
  expect(await past.history({ cursor: "[2]", filter })).toEqual({
    kind: "ok",
    value: { rows: [row], next: "[1]" },
  });
  expect(asked).toEqual([[filter, "[2]"]]);
});

it("keeps the explanation of a backend whose reason for the pay it does not know", async () => {
  const { pay: _, ...known } = row;
  const { past } = pastJobs({
    historyPage: () =>
      Promise.resolve({
        page: [{ ...row, pay: { kind: "newer" } as unknown as typeof row.pay }],
        isDone: true,
        continueCursor: "",
      }),
  });
  expect(await past.history({ cursor: null, filter: {} })).toEqual({
    kind: "ok",
    value: { rows: [known], next: null },
  });
});

it("has no next page after the last one", async () => {
  const { past } = pastJobs({
    historyPage: () => Promise.resolve({ page: [], isDone: true, continueCursor: "" }),
  });
  expect(await past.history({ cursor: null, filter: {} })).toEqual({
    kind: "ok",
    value: { rows: [], next: null },
  });
});

it("refuses at once without a connection, and after a while without an answer", async () => {
  const refusal = { kind: "refused", message: expect.stringContaining("cannot be reached now") as string };
  const { past, asked } = pastJobs({}, false);
  expect(await past.history({ cursor: null, filter: {} })).toMatchObject(refusal);
  expect(asked).toEqual([]);
  const silent = pastJobs({ earningsByDay: () => new Promise(() => undefined) });
  expect(await silent.past.earnings()).toMatchObject(refusal);
});

it("refuses an answer that it does not understand, and one that the server refused", async () => {
  const strange = { ...row, status: "vanished" } as never;
  const { past } = pastJobs({
    historyPage: () => Promise.resolve({ page: [strange], isDone: true, continueCursor: "" }),
    earningsByDay: () => Promise.reject(new Error("refused")),
  });
  expect(await past.history({ cursor: null, filter: {} })).toMatchObject({
    message: expect.stringContaining("Update Gleaner") as string,
  });
  expect(await past.earnings()).toMatchObject({
    message: expect.stringContaining("Try again later") as string,
  });
});
