import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { ConvexHttpClient } from "convex/browser";
import { afterAll, beforeAll, expect, it } from "vitest";
import { api } from "../../../convex/_generated/api.js";
import { cuttableLine } from "../../../packages/queue/worker/cuttable-line.fixture.ts";
import { type Deployment, startDeployment } from "../../deployment.fixture.ts";
import { callDonor } from "../../face/local-socket/client.ts";
import { chat } from "../../runner/runner.fixture.ts";

let deployment: Deployment;

beforeAll(async () => {
  deployment = await startDeployment("slow");
});
afterAll(() => deployment.stop(), 30_000);

const away = 9_999;

/** Reads the console as the organization's owner. */
async function asOwner() {
  const client = new ConvexHttpClient(deployment.url, { logger: false });
  const [token, session] = [`gs_${"t".repeat(43)}`, `gs_${"s".repeat(43)}`];
  const tokenHash = createHash("sha256").update(token).digest("hex");
  await deployment.admin("setup:signInLink", { tokenHash });
  await client.mutation(api.console.account.signIn, { token, session });
  return { client, session };
}

it("leaves in the middle of a job: the job goes back, the organization is told, and no file is left", async () => {
  const donor = await deployment.startDonor("leaver", away);
  const jobId = await deployment.submit(chat("a b c ".repeat(500), { maxTokens: 300 }));
  await deployment.until(jobId, ({ status }) => status === "running");
  expect(await readdir(donor.dataDir)).toEqual(expect.arrayContaining(["device.json", "journal.jsonl"]));

  const outcome = await callDonor(donor.dataDir, "leave", null);
  expect(outcome).toMatchObject({ kind: "ok", value: { organization: "Test", isTold: true, kept: [] } });
  expect(await donor.exited).toBe(0);
  expect(await readdir(donor.dataDir)).toEqual([]);
  expect(await deployment.until(jobId, ({ status }) => status === "queued")).toMatchObject({ attempts: 1 });

  const { client, session } = await asOwner();
  const paginationOpts = { numItems: 20, cursor: null };
  const { page: devices } = await client.query(api.console.devices.list, { session, paginationOpts });
  const { deviceId } = devices.find(({ name }) => name === "leaver")!;
  expect(await client.query(api.console.devices.get, { session, deviceId })).toMatchObject({
    status: "retired",
    hasLeft: true,
  });
  const { page: entries } = await client.query(api.console.audit.list, { session, paginationOpts });
  expect(entries).toContainEqual(expect.objectContaining({ action: "device.left", subject: deviceId }));
});

it("leaves without its server, and says so", async () => {
  const line = await cuttableLine(new URL(deployment.url));
  const donor = await deployment.startDonor("cut-off", away, line.url);
  await expect.poll(() => donor.lines.join("\n")).toContain('"organization":"Test"');
  line.cut();

  const outcome = await callDonor(donor.dataDir, "leave", null);
  expect(outcome).toMatchObject({ kind: "ok", value: { organization: "Test", isTold: false, kept: [] } });
  expect(await donor.exited).toBe(0);
  expect(await readdir(donor.dataDir)).toEqual([]);
  expect(donor.lines.join("\n")).toContain("its server could not be reached");
  await line.close();
});
