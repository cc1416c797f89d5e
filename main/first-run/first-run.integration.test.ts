import { createHash, randomBytes } from "node:crypto";
import { ConvexHttpClient } from "convex/browser";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { confirmedForMs, readDeviceRequest } from "../../app/enrollment.ts";
import { type ManagedSettings, noManagedSettings } from "../../app/managed/managed-settings.ts";
import { api } from "../../convex/_generated/api.js";
import { type Deployment, startDeployment } from "../deployment.fixture.ts";
import type { Handlers } from "../face/answer-call.ts";
import { type Agreed, firstRun } from "./first-run.ts";

/** Signing in at a real backend, without a window. */

let deployment: Deployment;
let client: ConvexHttpClient;
let session: string;
let opened: string[];
let agreed: Agreed[];
let confirmations: number;

const secret = (): string => `gs_${randomBytes(32).toString("base64url")}`;

beforeAll(async () => {
  deployment = await startDeployment("demo");
  client = new ConvexHttpClient(deployment.url, { logger: false });
  const { organizations } = (await deployment.admin("setup:status", {})) as {
    organizations: readonly { id: string }[];
  };
  const token = secret();
  session = secret();
  await deployment.admin("setup:signInLink", {
    organizationId: organizations[0]?.id,
    resetSecondFactor: false,
    tokenHash: createHash("sha256").update(token).digest("hex"),
  });
  await client.mutation(api.console.account.signIn, { token, session });
});
afterAll(async () => await deployment.stop(), 30_000);

beforeEach(() => {
  opened = [];
  agreed = [];
  confirmations = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

function newRun(managed: ManagedSettings = noManagedSettings): Handlers<"setup"> {
  return firstRun({
    setup: () => ({
      version: "1",
      device: "laptop",
      server: null,
      link: null,
      member: null,
      departure: null,
    }),
    onAgreed: (to) => {
      agreed.push(to);
      return { kind: "ok", value: null };
    },
    onStay: () => ({ kind: "ok", value: null }),
    openPage: (address) => {
      opened.push(address);
      return Promise.resolve(true);
    },
    onConfirmed: () => (confirmations += 1),
    managed,
    log: () => undefined,
  });
}

const given = { insecureHttp: false, isPinConfirmed: false };
const here = () => ({ invitation: { server: deployment.url, announcedPin: null }, ...given });
const byCode = () => ({
  invitation: { server: deployment.url, announcedPin: null, code: "GLN-0000-1111-2222" },
  ...given,
});

/** Confirms the computer of the page that was opened last. */
async function confirm(): Promise<void> {
  const request = readDeviceRequest(new URL(opened.at(-1) ?? "").hash);
  if (request === null) throw new Error("no page was opened");
  await client.mutation(api.console.codes.confirmDevice, { session, ...request });
}

it("finds the organization once a member has confirmed the computer, and joins by a code of its own", async () => {
  const run = newRun();
  expect(await run.lookUp(here())).toMatchObject({ value: { kind: "sign-in", isOpen: true } });
  expect(await run.getSetup(null)).toMatchObject({ value: { signIn: { address: opened[0] } } });
  // The first page to wait may be gone by then.
  const waits = [run.awaitSignIn(null), run.awaitSignIn(null)];
  await confirm();
  const found = { kind: "found", organization: "Test", owner: "Owner", proof: "this-computer" };
  for (const wait of waits) expect(await wait).toMatchObject({ value: found });
  expect(await run.awaitSignIn(null)).toMatchObject({ value: found });
  expect(confirmations).toBe(1);
  expect(await run.join(null)).toMatchObject({ kind: "ok" });
  expect(agreed).toEqual([
    { url: deployment.url, pin: null, insecureHttp: false, code: expect.stringMatching(/^GLN(-\w{4}){8}$/) },
  ]);
  expect(opened.join()).not.toContain(agreed[0]?.code);
});

it("joins nothing by a sign-in that its person canceled", async () => {
  const run = newRun();
  await run.lookUp(here());
  const waiting = run.awaitSignIn(null);
  await run.cancelSignIn(null);
  expect(await waiting).toMatchObject({ kind: "refused", message: "The sign-in was canceled." });
  await confirm();
  expect(await run.getSetup(null)).toMatchObject({ value: { signIn: null } });
  expect(await run.openSignIn(null)).toMatchObject({ kind: "refused" });
  expect(await run.join(null)).toMatchObject({ kind: "refused" });
});

it("joins by the code that its person entered after all", async () => {
  const run = newRun();
  await run.lookUp(here());
  await confirm();
  expect(await run.lookUp(byCode())).toMatchObject({ value: { kind: "found", owner: null } });
  await run.join(null);
  expect(agreed).toMatchObject([{ code: "GLN-0000-1111-2222" }]);
});

it("lets its person join for ten minutes after the confirmation", async () => {
  const run = newRun();
  await run.lookUp(here());
  await confirm();
  await run.awaitSignIn(null);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + confirmedForMs + 1 });
  expect(await run.join(null)).toMatchObject({
    kind: "refused",
    message: expect.stringContaining("expired") as string,
  });
  expect(agreed).toEqual([]);
});

it("waits for ten minutes", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const run = newRun();
  await run.lookUp(here());
  const waiting = run.awaitSignIn(null);
  vi.advanceTimersByTime(confirmedForMs);
  expect(await waiting).toMatchObject({
    kind: "refused",
    message: expect.stringContaining("Nobody confirmed") as string,
  });
});

it("opens the same page again", async () => {
  const run = newRun();
  await run.lookUp(here());
  expect(await run.openSignIn(null)).toEqual({ kind: "ok", value: { isOpen: true } });
  expect(opened).toHaveLength(2);
  expect(opened[1]).toBe(opened[0]);
  await run.cancelSignIn(null);
});

it("opens no page of a server that its management forbids, that is not encrypted or that is not reached", async () => {
  const managed = { ...noManagedSettings, server: "https://office:3210" };
  const at = (server: string) => ({ ...here(), invitation: { server, announcedPin: null } });
  expect(await newRun(managed).lookUp(at("https://elsewhere:3210"))).toMatchObject({ kind: "refused" });
  expect(await newRun().lookUp(at("http://192.0.2.1:3210"))).toMatchObject({
    value: { kind: "unencrypted" },
  });
  expect(await newRun().lookUp(at("http://127.0.0.1:1"))).toMatchObject({
    kind: "refused",
    message: expect.stringContaining("cannot be reached") as string,
  });
  expect(opened).toEqual([]);
});
