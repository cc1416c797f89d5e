import { afterEach, beforeEach, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import { addOrganization, expectRefusal, jobOf, signIn, submit } from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let { t, acme, session }: Awaited<ReturnType<typeof openWorld>> = {} as Awaited<ReturnType<typeof openWorld>>;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

it("lets an admin change the priority of a waiting job, which the audit trail shows", async () => {
  const jobId = await submit(t, acme);
  const outcome = await t.mutation(api.console.jobs.setPriority, { session, jobId, priority: "high" });
  expect(outcome).toEqual({ kind: "changed" });
  expect(await jobOf(t, acme, jobId)).toMatchObject({ priority: "high", status: "ready" });
  const paginationOpts = { numItems: 50, cursor: null };
  const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
  expect(page[0]).toMatchObject({ action: "job.prioritized", subject: jobId });
});

it("lets a requester change the priority of its own jobs only", async () => {
  const jobId = await submit(t, acme);
  const other = await addOrganization(t, { name: "Other" });
  const change = async (apiKey: string) =>
    await t.mutation(api.requests.setPriority, { apiKey, jobId, priority: "low" });
  await expectRefusal(change(other.apiKey), "not_found");
  const theirs = { session: await signIn(t, other), jobId, priority: "low" } as const;
  await expectRefusal(t.mutation(api.console.jobs.setPriority, theirs), "not_found");
  expect(await change(acme.apiKey)).toEqual({ kind: "changed" });
  expect((await jobOf(t, acme, jobId)).priority).toBe("low");
});
