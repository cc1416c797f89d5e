import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { afterAll, beforeAll, expect, it } from "vitest";
import { api } from "../../../convex/_generated/api.js";
import { type Deployment, startDeployment } from "../../deployment.fixture.ts";

const devices = 150;
const totals = { recorded: 60, happened: 30, now: 30, draft: 40, nowSpans: 2, draftSpans: 1, unsure: 0 };
const secret = (prefix: string): string => `${prefix}${randomBytes(32).toString("base64url")}`;
const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment("demo");
});
afterAll(() => deployment.stop(), 30_000);

it("counts each of many answers that come at once, and an answer wakes no other device", async () => {
  const client = new ConvexHttpClient(deployment.url, { logger: false });
  const [token, session] = [secret("gs_"), secret("gs_")];
  await deployment.admin("setup:signInLink", { tokenHash: hashOf(token) });
  await client.mutation(api.console.account.signIn, { token, session });
  const code = "GLN-ABCD-EFGH-JKMN";
  await client.mutation(api.console.codes.create, {
    session,
    codeHash: hashOf(code),
    label: "many",
    uses: devices,
  });
  const keys = Array.from({ length: devices }, () => secret("gd_"));
  for (const key of keys) {
    await client.mutation(api.devices.enroll, { code, key, name: "laptop", platform: "linux x64" });
  }

  const live = new ConvexClient(deployment.url, { logger: false });
  const told: number[] = [];
  const watched = { key: keys[0] ?? "" };
  live.onUpdate(api.devices.policyPreviews, watched, (previews) => told.push(previews.length));
  await expect.poll(() => told).toEqual([0]);
  const { previewId } = await client.mutation(api.console.policy.startPreview, {
    session,
    group: "",
    draft: { rules: { values: { idleAfterSeconds: 60 }, locked: [] } },
  });
  await expect.poll(() => told).toEqual([0, 1]);

  // A client sends its mutations one after another, so each device has its own. The server asks devices to spread their
  // answers: 150 in a second.
  await Promise.all(
    keys.map(async (key) => {
      await sleep(Math.random() * 1_000);
      const device = new ConvexHttpClient(deployment.url, { logger: false });
      await device.mutation(api.devices.answerPreview, { key, previewId, answer: totals });
    }),
  );
  const seen = await client.query(api.console.policy.preview, { session });
  expect(seen?.sums).toMatchObject({ devices, now: 30 * devices, draft: 40 * devices, draftNever: 0 });
  expect(told).toEqual([0, 1]);
  await live.close();
});
