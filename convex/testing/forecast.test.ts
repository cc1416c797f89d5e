import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { emptyTally } from "../../app/statistics/tally.ts";
import { api, internal } from "../_generated/api.js";
import { queue } from "../model/queue.ts";
import {
  addDevice,
  addOrganization,
  type Backend,
  countQueue,
  type Device,
  modelId,
  type Organization,
  pass,
  startBackend,
  submit,
  take,
} from "./backend.fixture.ts";
import { ask, collectEnds, line, runDue, uploadFile } from "./batchFile.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";

let t: Backend;
let acme: Organization;
let device: Device;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
});

afterEach(() => {
  vi.useRealTimers();
});

type Forecast = {
  readonly expected_at: number | null;
  readonly latest_at: number | null;
  readonly on_time: number;
};
type Answer = {
  readonly id: string;
  readonly status: string;
  readonly errors: { readonly data: readonly { readonly code: string; readonly message: string }[] } | null;
  readonly forecast: Forecast | null;
};
type Estimate = Omit<Answer, "id" | "status"> & {
  readonly model: string | null;
  readonly requests: { readonly total: number; readonly is_exact: boolean; readonly refused: number | null };
  readonly expected_price_micro: string;
  readonly most_price_micro: string;
};

const dayMs = 24 * 3_600_000;
const hourMs = 3_600_000;

async function call(path: string, init: Pick<RequestInit, "method" | "body"> = {}): Promise<Response> {
  return await t.fetch(path, { ...init, headers: { authorization: `Bearer ${acme.apiKey}` } });
}

/** A file of so many requests, with more in the body of each. */
const lines = (count: number, more: object = {}): string =>
  Array.from({ length: count }, (_, n) =>
    line(`q${String(n)}`, { ...ask(`Answer ${String(n)}.`), ...more }),
  ).join("\n");

const upload = async (content: string): Promise<string> => await uploadFile(t, acme.apiKey, content);

async function post<Body>(path: string, fileId: string, window = "24h", more: object = {}): Promise<Body> {
  const asked = { input_file_id: fileId, endpoint: "/v1/chat/completions", completion_window: window };
  const body = { ...asked, ...more };
  const response = await call(path, { method: "POST", body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  return (await response.json()) as Body;
}

const estimate = async (fileId: string, window?: string): Promise<Estimate> =>
  await post("/v1/batches/estimate", fileId, window);

async function start(fileId: string, window?: string): Promise<Answer> {
  const { id } = await post<Answer>("/v1/batches", fileId, window);
  await runDue(t);
  return await get(id);
}

const get = async (id: string): Promise<Answer> => (await (await call(`/v1/batches/${id}`)).json()) as Answer;

const minutesUntil = ({ forecast }: Pick<Answer, "forecast">): number =>
  ((forecast?.expected_at ?? 0) - Date.now() / 1_000) / 60;

/** Stores days on which so many devices donated in every hour, and 100 jobs of a minute. */
async function remember(days: number, devices: number): Promise<void> {
  const { organizationId } = acme;
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  await t.run(async (ctx) => {
    for (let back = 1; back <= days; back += 1) {
      const startAt = today - back * dayMs;
      const hours = Array.from({ length: 24 }, (_, hour) => ({
        startAt: startAt + hour * hourMs,
        samples: 60,
        devices: 60 * devices,
        busyDevices: 0,
        busyJobs: 0,
      }));
      await ctx.db.insert("capacityDays", { organizationId, startAt, hours });
    }
    const run = { bins: [111], counts: [100], sum: 100 * 60_000 };
    const tokens = { promptTokens: 1_000, completionTokens: 2_000 };
    const tally = { ...emptyTally(), ...tokens, succeeded: 100, run };
    const total = { organizationId, by: "model" as const, spanMs: 0, startAt: 0 };
    await ctx.db.insert("statistics", { ...total, subjects: [{ subject: modelId, tally }] });
  });
}

describe("the estimate of a batch", () => {
  it("tells the requests, the cost and the end, and starts nothing", async () => {
    await remember(14, 1);
    const fileId = await upload(lines(60, { max_tokens: 100 }));
    const told = await estimate(fileId);
    expect(told).toMatchObject({
      object: "batch.estimate",
      model: modelId,
      requests: { total: 60, is_exact: true, refused: 0 },
      errors: null,
    });
    const { expected_price_micro: expected, most_price_micro: most } = told;
    // The mean answer until now has 20 of the 100 tokens.
    expect(BigInt(expected)).toBeGreaterThan(0n);
    expect(BigInt(expected)).toBeLessThan(BigInt(most));
    // 60 requests of a minute each on one device.
    expect(Math.abs(minutesUntil(told) - 60)).toBeLessThan(10);
    const listed = (await (await call("/v1/batches")).json()) as { data: unknown[] };
    expect(listed.data).toEqual([]);
  });

  it("costs at most as much as the batch reserves", async () => {
    const fileId = await upload(lines(3, { max_tokens: 50 }));
    const { most_price_micro: most } = await estimate(fileId);
    await start(fileId);
    const reserved = await t.run(async (ctx) =>
      (await ctx.db.query("orders").collect()).reduce((sum, order) => sum + order.reservedMicro, 0n),
    );
    expect(BigInt(most)).toBe(reserved);
  });

  it("scales what it read of a large file", async () => {
    const count = 6_000;
    const fileId = await upload(lines(count, { user: "x".repeat(900) }));
    const { requests } = await estimate(fileId);
    expect(requests).toMatchObject({ is_exact: false, refused: null });
    expect(Math.abs(requests.total - count)).toBeLessThan(count / 50);
  });

  it("tells of all requests of which the file is a sample, also of more than a batch may have", async () => {
    await remember(6, 1);
    const fileId = await upload(lines(10));
    const ofSample = async (all: number): Promise<Estimate> =>
      await post("/v1/batches/estimate", fileId, "7d", { sample_of: all });
    const ten = await estimate(fileId);
    const told = await ofSample(600);
    expect(told).toMatchObject({ requests: { total: 600, is_exact: false, refused: null }, errors: null });
    expect(BigInt(told.expected_price_micro)).toBe(60n * BigInt(ten.expected_price_micro));
    // Requests of a minute each on one device.
    expect(Math.abs(minutesUntil(told) - 600)).toBeLessThan(60);
    expect(await ofSample(300_000)).toMatchObject({ requests: { total: 300_000 }, errors: null });
  });

  it("reads a whole file that ends with blank lines, and says when it has read only a part of one with mistakes", async () => {
    const blank = await estimate(await upload(`${lines(3)}\n\n \n`));
    expect(blank.requests).toEqual({ total: 3, is_exact: true, refused: 0 });
    const large = lines(6_000, { user: "x".repeat(900) });
    const wrong = await estimate(await upload(`no JSON\n${large}`));
    expect(wrong.requests).toMatchObject({ is_exact: false, refused: null });
    expect(wrong.requests.total).toBeGreaterThan(5_000);
  });

  it("counts requests that would be refused, and names mistakes that keep the batch from starting", async () => {
    const refused = lines(1, { model: "none" }).replace("q0", "other");
    const { requests } = await estimate(await upload([lines(2), refused].join("\n")));
    expect(requests).toEqual({ total: 3, is_exact: true, refused: 1 });
    const { errors } = await estimate(await upload(`${lines(1)}\nno JSON`));
    expect(errors?.data.map(({ code }) => code)).toEqual(["invalid_json_line"]);
  });

  it("knows no end before the model has answered anything", async () => {
    expect((await estimate(await upload(lines(2)))).forecast).toBeNull();
  });

  it("refuses another key's file, and a wrong body", async () => {
    const body = { input_file_id: "file-none", endpoint: "/v1/chat/completions", completion_window: "24h" };
    const unknown = await call("/v1/batches/estimate", { method: "POST", body: JSON.stringify(body) });
    expect(unknown.status).toBe(404);
    const wrong = await call("/v1/batches/estimate", { method: "POST", body: "{}" });
    expect(wrong.status).toBe(400);
  });
});

describe("a batch's admission", () => {
  it("refuses a batch that cannot end in its time, and says what to do", async () => {
    await remember(14, 1);
    // 400 minutes of one device are long after one hour.
    const fileId = await upload(lines(400));
    expect((await estimate(fileId, "1h")).errors?.data[0]?.code).toBe("deadline_unreachable");
    const refused = await start(fileId, "1h");
    expect(refused).toMatchObject({ status: "failed", forecast: null });
    expect(refused.errors?.data[0]?.message).toContain("Ask for a longer completion_window");
    expect((await start(fileId, "7d")).status).toBe("in_progress");
  });

  it("refuses none with less than a week of history", async () => {
    await remember(6, 1);
    const started = await start(await upload(lines(400)), "1h");
    expect(started).toMatchObject({ status: "in_progress", forecast: { on_time: 0 } });
  });
});

describe("a running batch", () => {
  it("has a forecast at once, and a new one each minute, until it ends", async () => {
    await remember(14, 1);
    const { id, forecast } = await start(await upload(lines(2)));
    expect(forecast?.on_time).toBe(1);
    await pass(t, 60_000);
    await t.action(internal.batchSteps.forecast, {});
    const later = (await get(id)).forecast;
    expect(later?.expected_at).toBeGreaterThan(forecast?.expected_at ?? Infinity);
    for (let n = 0; n < 2; n += 1) {
      await takeJob(t, device, async ({ complete }) => await complete("Done."));
    }
    await collectEnds(t);
    expect(await get(id)).toMatchObject({ status: "completed", forecast: null });
  });

  it("tells at its end how far the estimate was off, which later forecasts count on", async () => {
    await remember(14, 1);
    const { id } = await start(await upload(lines(20)));
    const startAt = Math.floor(Date.now() / dayMs) * dayMs;
    const hours = [0, 1, 2, 3, 4].map((hour) => ({
      startAt: Math.floor(Date.now() / hourMs) * hourMs + hour * hourMs,
      samples: 60,
      devices: 60,
      busyDevices: 0,
      busyJobs: 0,
    }));
    const { organizationId } = acme;
    await t.run(async (ctx) => await ctx.db.insert("capacityDays", { organizationId, startAt, hours }));
    vi.setSystemTime(Date.now() + 40 * 60_000);
    for (let n = 0; n < 20; n += 1) await takeJob(t, device, async ({ complete }) => await complete("Done."));
    await collectEnds(t);
    expect((await get(id)).status).toBe("completed");
    const [batch] = await t.run(async (ctx) => await ctx.db.query("batches").collect());
    // One device took 40 minutes for what was to be 20.
    expect(batch?.workHours).toBeCloseTo(1 / 60, 3);
    expect(batch?.workError).toBeCloseTo(Math.log(2), 1);

    const fileId = await upload(lines(20));
    const spanOf = async (): Promise<number> => {
      const { forecast } = await estimate(fileId);
      return (forecast?.latest_at ?? 0) - (forecast?.expected_at ?? 0);
    };
    const before = await spanOf();
    await t.run(async (ctx) => await ctx.db.patch("batches", batch!._id, { workError: Math.log(8) }));
    expect(await spanOf()).toBeGreaterThan(1.2 * before);
  });
});

describe("a batch beside others", () => {
  it("shares its key's turns with them, and the fleet with each other key", async () => {
    await remember(14, 1);
    for (let n = 0; n < 4; n += 1) await start(await upload(lines(40)));
    const fileId = await upload(lines(40));
    // All five have 40 requests of a minute.
    expect(Math.abs(minutesUntil(await estimate(fileId)) - 200)).toBeLessThan(30);
    await t.run(async (ctx) => {
      const [key] = await ctx.db.query("apiKeys").collect();
      const { _id: _own, _creationTime: _time, ...fields } = key!;
      const apiKeyId = await ctx.db.insert("apiKeys", { ...fields, keyHash: "other" });
      for (const { _id } of await ctx.db.query("batches").collect())
        await ctx.db.patch("batches", _id, { apiKeyId });
    });
    expect(Math.abs(minutesUntil(await estimate(fileId)) - 80)).toBeLessThan(12);
  });
});

describe("a batch behind jobs of higher priority", () => {
  const high = { service_tier: "priority" };

  /** The device takes a minute for each job. So many jobs of normal priority are ready, and counted. */
  beforeEach(async () => {
    await remember(14, 1);
    for (let n = 0; n < 6; n += 1) {
      await submit(t, acme);
      await takeJob(t, device, async ({ complete }) => {
        await pass(t, 60_000);
        await complete("Done.");
      });
    }
    for (let n = 0; n < 50; n += 1) await submit(t, acme);
    await countQueue(t);
  });

  it("ends later by the time that the devices take for them, before and after its start", async () => {
    const fileId = await upload(lines(10));
    expect(Math.abs(minutesUntil(await estimate(fileId)) - 60)).toBeLessThan(15);
    const { id } = await start(fileId);
    expect(Math.abs(minutesUntil(await get(id)) - 60)).toBeLessThan(15);
    // Its own jobs are ready now, but they have the low priority.
    await countQueue(t);
    await t.action(internal.batchSteps.forecast, {});
    expect(Math.abs(minutesUntil(await get(id)) - 60)).toBeLessThan(15);
  });

  it("does not wait for them with requests of high priority", async () => {
    expect(minutesUntil(await estimate(await upload(lines(10, high))))).toBeLessThan(20);
  });

  it("does not count them once the last count is old", async () => {
    await pass(t, 3 * 60_000 + 1);
    expect(minutesUntil(await estimate(await upload(lines(10))))).toBeLessThan(20);
  });

  it("counts the requests of another batch with high priority once, also those that are not in the queue yet", async () => {
    const other = await start(await upload(lines(30, high)));
    await countQueue(t);
    const fileId = await upload(lines(10));
    expect(Math.abs(minutesUntil(await estimate(fileId)) - 90)).toBeLessThan(20);
    await t.run(async (ctx) => {
      const batchId = ctx.db.normalizeId("batches", other.id.slice("batch_".length))!;
      await ctx.db.patch("batches", batchId, { total: 60 });
    });
    expect(Math.abs(minutesUntil(await estimate(fileId)) - 120)).toBeLessThan(25);
  });

  it("waits for jobs of another kind, too, while no job of its own kind is ready", async () => {
    const url = "/v1/completions";
    const body = { model: modelId, prompt: "Once" };
    const own = await upload(
      Array.from({ length: 10 }, (_, n) => line(`q${String(n)}`, body, { url })).join("\n"),
    );
    const estimateOwn = async (): Promise<number> =>
      minutesUntil(await post<Estimate>("/v1/batches/estimate", own, "24h", { endpoint: url }));
    // One job, so that the queue knows the kind.
    const headers = { authorization: `Bearer ${acme.apiKey}`, prefer: "respond-async" };
    const asked = await t.fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    const { id } = (await asked.json()) as { id: string };
    expect((await call(`/v1/jobs/${id}/cancel`, { method: "POST" })).status).toBe(200);
    // The device waits in the new lane, too.
    await take(t, device, 0);
    await pass(t, 1_000);
    await countQueue(t);
    expect(Math.abs((await estimateOwn()) - 60)).toBeLessThan(15);
    await start(await upload(lines(30, high)));
    await countQueue(t);
    expect(Math.abs((await estimateOwn()) - 90)).toBeLessThan(20);
  });

  it("lets no batch of low priority before one of high priority", async () => {
    await start(await upload(lines(40)));
    expect(minutesUntil(await estimate(await upload(lines(10, high))))).toBeLessThan(20);
  });
});

describe("a batch that only some devices could answer", () => {
  let other: Device;
  let fileId: string;

  /** Two devices donate, as in the past weeks. Each answers a request of the file in a minute. */
  beforeEach(async () => {
    await remember(14, 2);
    other = await addDevice(t, acme, "other");
    fileId = await upload(lines(60));
  });

  const requireGroup = async (group: string): Promise<void> => {
    await t.run(async (ctx) => {
      const [key] = await ctx.db.query("apiKeys").collect();
      await ctx.db.patch("apiKeys", key!._id, { requirements: { groups: [group] } });
    });
  };

  it("is forecast from those that can hold its model, before and while it runs", async () => {
    expect(Math.abs(minutesUntil(await estimate(fileId)) - 30)).toBeLessThan(5);
    const { id } = await start(fileId);
    const capabilities = { kinds: ["chat"], models: [], memoryMb: 1, gpu: false };
    await t.mutation(api.work.hello, { key: other.key, version: "0.1.0", capabilities, startup: false });
    await t.action(internal.batchSteps.forecast, {});
    expect(Math.abs(minutesUntil(await get(id)) - 60)).toBeLessThan(10);
    const beside = await estimate(await upload(lines(60)));
    expect(Math.abs(minutesUntil(beside) - 120)).toBeLessThan(20);
  });

  it("is forecast from those that its key may use, and refused if none could answer it", async () => {
    await t.run(async (ctx) => {
      const { workerId } = (await queue.workers.byKey(ctx, device.key))!;
      await queue.workers.update(ctx, acme.organizationId, { workerId, groups: ["lab"] });
    });
    await requireGroup("lab");
    expect(Math.abs(minutesUntil(await estimate(fileId)) - 60)).toBeLessThan(10);
    await requireGroup("none");
    const refused = await start(fileId);
    expect(refused).toMatchObject({ status: "failed", errors: { data: [{ code: "deadline_unreachable" }] } });
    expect(refused.errors?.data[0]?.message).toContain("None of the devices that were online");
  });
});

describe("many running batches", () => {
  it("all get new forecasts", async () => {
    await remember(14, 1);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await start(await upload(lines(2)))).id);
    await pass(t, 60_000);
    await t.action(internal.batchSteps.forecast, {});
    for (let times = 0; times < 4; times += 1) await pass(t, 0);
    const rows = await t.run(async (ctx) => await ctx.db.query("batches").collect());
    const now = Date.now();
    expect(rows.filter(({ forecast }) => now - (forecast?.madeAt ?? 0) < 60_000)).toHaveLength(ids.length);
  });
});

describe("a batch that is being canceled", () => {
  it("has no forecast, and lets no other batch seem slower", async () => {
    await remember(14, 1);
    const first = await start(await upload(lines(40)));
    const alone = await estimate(await upload(lines(10)));
    await takeJob(t, device, async () => {
      const canceled = await call(`/v1/batches/${first.id}/cancel`, { method: "POST" });
      expect(await canceled.json()).toMatchObject({ status: "cancelling", forecast: null });
      const beside = await estimate(await upload(lines(10)));
      expect(beside.forecast?.expected_at).toBeLessThan(alone.forecast?.expected_at ?? 0);
    });
  });
});

describe("a batch without a known model", () => {
  it("does not take the record of the models that have none of their own", async () => {
    await remember(14, 1);
    await t.run(async (ctx) => {
      const [row] = await ctx.db.query("statistics").collect();
      const subjects = row!.subjects.map((each) => ({ ...each, subject: "" }));
      await ctx.db.patch("statistics", row!._id, { subjects });
    });
    expect((await estimate(await upload(lines(5, { model: "none" })))).forecast).toBeNull();
  });
});

describe("the record of a fleet", () => {
  it("notes each minute how many devices donate, and keeps six weeks", async () => {
    await remember(60, 3);
    const { organizationId } = acme;
    await t.action(internal.fleet.steps.followFleet, { organizationId });
    await pass(t, 60_000);
    await t.action(internal.fleet.steps.followFleet, { organizationId });
    const days = await t.run(async (ctx) => await ctx.db.query("capacityDays").collect());
    const newest = days.reduce((last, day) => (day.startAt > last.startAt ? day : last));
    expect(newest.hours.reduce((sum, { samples }) => sum + samples, 0)).toBe(2);
    expect(days.length).toBeLessThan(60);
  });

  it("is kept when the clock is wrong by months for a while", async () => {
    await remember(40, 3);
    const { organizationId } = acme;
    const now = Date.now();
    vi.setSystemTime(now + 60 * dayMs);
    await t.action(internal.fleet.steps.followFleet, { organizationId });
    vi.setSystemTime(now);
    await t.action(internal.fleet.steps.followFleet, { organizationId });
    const days = await t.run(async (ctx) => await ctx.db.query("capacityDays").collect());
    expect(days.filter(({ startAt }) => startAt < now)).toHaveLength(41);
  });
});
