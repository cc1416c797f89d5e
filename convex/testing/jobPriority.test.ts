import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import { addOrganization, expectRefusal, jobOf, listKeys, signIn, submit } from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let { t, acme, session }: Awaited<ReturnType<typeof openWorld>> = {} as Awaited<ReturnType<typeof openWorld>>;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

it("lets an admin change the priority of a waiting job, which the audit trail shows", async () => {
  const jobId = await submit(t, acme);
  const outcome = await t.mutation(api.console.jobs.setPriority, { session, jobId, priority: "high" });
  expect(outcome).toMatchObject({ kind: "changed" });
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
  expect(await change(acme.apiKey)).toMatchObject({ kind: "changed" });
  expect((await jobOf(t, acme, jobId)).priority).toBe("low");
});

/** Changes a job's priority over HTTP. */
async function post(jobId: string, body: unknown, apiKey = acme.apiKey) {
  const response = await t.fetch(`/v1/jobs/${jobId}/priority`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}` },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as unknown };
}

describe("POST /v1/jobs/ID/priority", () => {
  it.each([
    ["priority", "high"],
    ["default", "normal"],
    ["auto", "normal"],
    ["flex", "low"],
  ])("with the tier %s gives a waiting job %s priority", async (tier, priority) => {
    const jobId = await submit(t, acme);
    const body = { id: jobId, object: "job", service_tier: tier };
    expect(await post(jobId, { service_tier: tier })).toEqual({ status: 200, body });
    expect((await jobOf(t, acme, jobId)).priority).toBe(priority);
  });

  it("refuses a priority above the highest of the key", async () => {
    const jobId = await submit(t, acme);
    const [key] = await listKeys(t, session);
    if (key === undefined) throw new Error("no key");
    await t.mutation(api.console.keys.setRights, { session, keyId: key.keyId, highestPriority: "normal" });
    expect(await post(jobId, { service_tier: "priority" })).toMatchObject({
      status: 403,
      body: { error: { code: "priority_not_allowed", param: "service_tier" } },
    });
    expect((await jobOf(t, acme, jobId)).priority).toBe("normal");
  });

  it("does not know jobs of other organizations, and no other id", async () => {
    const jobId = await submit(t, acme);
    const other = await addOrganization(t, { name: "Other" });
    const notFound = { status: 404, body: { error: { code: "not_found" } } };
    expect(await post(jobId, { service_tier: "flex" }, other.apiKey)).toMatchObject(notFound);
    expect(await post("nothing", { service_tier: "flex" })).toMatchObject(notFound);
    expect((await jobOf(t, acme, jobId)).priority).toBe("normal");
  });

  it("refuses a job that has ended", async () => {
    const jobId = await submit(t, acme);
    await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
    expect(await post(jobId, { service_tier: "flex" })).toMatchObject({
      status: 409,
      body: { error: { code: "job_not_queued" } },
    });
  });

  it.each([
    ["no JSON", "{", "invalid_json", null],
    ["no tier", {}, "missing_required_parameter", "service_tier"],
    ["an unknown tier", { service_tier: "turbo" }, "unsupported_value", "service_tier"],
  ])("refuses a body with %s", async (_, body, code, param) => {
    const jobId = await submit(t, acme);
    expect(await post(jobId, body)).toMatchObject({ status: 400, body: { error: { code, param } } });
  });

  it("asks for a key, and knows no other URL below a job", async () => {
    const jobId = await submit(t, acme);
    const withoutKey = await t.fetch(`/v1/jobs/${jobId}/priority`, { method: "POST" });
    expect(withoutKey.status).toBe(401);
    expect(await post(`${jobId}/more`, { service_tier: "flex" })).toMatchObject({
      status: 404,
      body: { error: { code: "unknown_url" } },
    });
  });
});
