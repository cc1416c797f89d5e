import type { FunctionArgs } from "convex/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api, internal } from "../_generated/api.js";
import { addDevice, claim, complete, fail, modelId, submit } from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { countStatistics } from "./statistics.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let { t, acme, session }: Awaited<ReturnType<typeof openWorld>> = {} as Awaited<ReturnType<typeof openWorld>>;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

const paginationOpts = { numItems: 50, cursor: null };
type Status = NonNullable<FunctionArgs<typeof api.console.jobs.list>["status"]>;

describe("numbers on two pages", () => {
  it("are the same for jobs that wait and run: overview, queue, its charts, and the list of jobs", async () => {
    const device = await addDevice(t, acme);
    const jobIds = [await submit(t, acme), await submit(t, acme), await submit(t, acme)];
    await claim(t, device, jobIds[0]!);
    const { ready, waiting, running, lanes } = await t.query(api.console.queue.stats, { session });
    const shown = { ready: ready.count, waiting: waiting.count, running: running.count };
    expect(shown).toEqual({ ready: 2, waiting: 0, running: 1 });
    expect(lanes).toMatchObject([{ ready: { count: 2 }, waiting: { count: 0 }, running: { count: 1 } }]);
    const listed = async (status: Status) =>
      (await t.query(api.console.jobs.list, { session, status, paginationOpts })).page.length;
    expect({
      ready: await listed("ready"),
      waiting: await listed("waiting"),
      running: await listed("running"),
    }).toEqual(shown);
    await t.action(internal.fleet.steps.followFleet, { organizationId: acme.organizationId });
    const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
    const charts = [
      ["all", ""],
      ["model", modelId],
      ["lane", lanes[0]!.name],
      ["key", keyId],
    ] as const;
    for (const [by, subject] of charts) {
      const chart = { session, by, subject, range: "hour", until: Date.now() } as const;
      expect(await t.query(api.console.queue.depths, chart)).toMatchObject([shown]);
    }
  });

  it("are the same for jobs that ended: overview, statistics, and the list of jobs", async () => {
    const device = await addDevice(t, acme);
    await complete(t, device, await claim(t, device, await submit(t, acme)));
    await complete(t, device, await claim(t, device, await submit(t, acme)));
    await fail(t, device, await claim(t, device, await submit(t, acme)), { retryable: false });
    await countStatistics(t, acme);
    const { succeeded, failed } = await t.query(api.console.overview.summary, { session });
    expect({ succeeded, failed }).toEqual({ succeeded: 2, failed: 1 });
    const wanted = { session, by: "model", range: "day", until: Date.now() + 300_000 } as const;
    const { points, subjects } = await t.query(api.console.statistics.report, wanted);
    for (const rows of [points, subjects]) {
      expect(rows.reduce((sum, { summary }) => sum + summary.succeeded, 0)).toBe(succeeded);
      expect(rows.reduce((sum, { summary }) => sum + summary.failed + summary.expired, 0)).toBe(failed);
    }
  });
});

it("a waiting job says why in every list that shows it, also to its own requester", async () => {
  const ada = await joinAs(t, session, { name: "Ada", roles: ["requester"] });
  const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
  await t.mutation(api.console.keys.setOwner, { session, keyId, owner: ada.memberId });
  const jobId = await submit(t, acme);
  const why = { kind: "no-worker" };
  for (const by of [session, ada.session]) {
    for (const filter of [{}, { status: "ready" as const }, { keyId }, { model: modelId }]) {
      const { page } = await t.query(api.console.jobs.list, { session: by, ...filter, paginationOpts });
      expect(page).toMatchObject([{ jobId, wait: why }]);
    }
    expect(await t.query(api.console.jobs.get, { session: by, jobId })).toMatchObject({ wait: why });
  }
});
