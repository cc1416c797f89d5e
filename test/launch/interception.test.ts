import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { api } from "../../convex/_generated/api.js";
import { type Backend, startBackend } from "../../launch/backend/backend.ts";
import type { Child } from "../../launch/core/child.ts";
import { type DataFolder, openDataFolder } from "../../launch/core/data-folder.ts";
import { explain } from "../../launch/core/launch-error.ts";
import { fetchPinned } from "../../launch/core/pinned-fetch.ts";
import { startHeadlessDonor } from "../../launch/donor/donor.ts";
import { ask, makeClient } from "../../launch/farm/ask.ts";
import { demoPrompts } from "../../launch/farm/prompts.ts";
import { readDemoModel } from "../../launch/organization/demo-model.ts";
import { makeSecret } from "../../launch/organization/secrets.ts";
import { type FirstOrganization, Setup } from "../../launch/organization/setup.ts";
import { backendWebSocket } from "../../main/connection/backend-web-socket.ts";
import { openClient } from "../../main/donor/organization/organization.ts";
import { callDonor } from "../../main/face/local-socket/client.ts";
import { freePorts } from "./free-port.ts";
import { type Interceptor, type Route, startInterceptor, startRoute } from "./interception.fixture.ts";

const patience = { timeout: 60_000, interval: 100 };
const name = "donor";

let scratch: string;
let folder: DataFolder;
let backend: Backend;
let setup: Setup;
let organization: FirstOrganization;
let modelId: string;
let interceptor: Interceptor;
let route: Route;
let port: number;
let pin: string;
let donor: Child | null = null;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "gleaner-interception-"));
  folder = await openDataFolder(join(scratch, "data"));
  port = await freePorts(2);
  const options = { host: "0.0.0.0", port, sitePort: port + 1, console: false };
  backend = await startBackend(folder, makeSecret("gleaner|"), options);
  pin = backend.certificate?.pin ?? "";
  setup = new Setup(backend);
  const model = await readDemoModel();
  modelId = model.id;
  organization = await setup.createOrganization("Test", model);
  interceptor = await startInterceptor(join(scratch, "interceptor"), port);
  route = await startRoute(port);
});
afterAll(async () => {
  await donor?.stop();
  await route.close();
  await interceptor.close();
  await backend.child.stop();
  await rm(scratch, { recursive: true, force: true });
});

type Start = { readonly pin?: string; readonly code?: boolean; readonly url?: string };

/** Starts the donor at the route's address. */
async function startDonor({ pin: given, code = false, url }: Start): Promise<Child> {
  return startHeadlessDonor({
    name,
    folder: join(folder.donorFolder, name),
    logFolder: folder.logFolder,
    backendUrl: url ?? `https://127.0.0.1:${route.port}`,
    ...(given === undefined ? {} : { pin: given }),
    enrollmentCode: code ? await setup.issueEnrollmentCode(organization.organizationId, name) : null,
    panelPort: 0,
    unattended: true,
    donateNowMinutes: 60,
    env: { GLEANER_THREADS: "1" },
  });
}

async function expectRefused(start: Start, words: RegExp): Promise<void> {
  const failure: unknown = await startDonor(start).then(
    (child) => child.stop(),
    (error: unknown) => error,
  );
  expect(explain(failure)).toMatch(words);
}

async function expectJobDone(): Promise<void> {
  const [prompt] = demoPrompts(1);
  const client = makeClient(backend.siteUrl, organization.apiKey);
  // Until the donor has enrolled, no device could answer, and a call is refused at once.
  const answered = async () => (await ask(client, modelId, prompt!, false)).outcome.kind;
  await expect.poll(answered, patience).toBe("answered");
}

async function expectNothingSeen(since: number): Promise<void> {
  await expect.poll(() => interceptor.connections(), patience).toBeGreaterThan(since);
  const reason = async (): Promise<unknown> => {
    const outcome = await callDonor(join(folder.donorFolder, name), "status", null);
    return outcome.kind === "ok" ? outcome.value.activity.reason : outcome.kind;
  };
  await expect.poll(reason, patience).toBe("wrong-server");
  expect(interceptor.seen()).toBe("");
}

const readLog = (): Promise<string> => readFile(join(folder.logFolder, `${name}.log`), "utf8");
const readDevice = async () =>
  JSON.parse(await readFile(join(folder.donorFolder, name, "device.json"), "utf8")) as {
    deviceKey: string;
    enrolment: { trust: unknown } | null;
  };

test("the interceptor passes everything on, and reads the keys of those who accept its certificate", async () => {
  const other = await startInterceptor(join(scratch, "other"), port);
  const address = `https://127.0.0.1:${other.port}`;
  const client = openClient(
    address,
    backendWebSocket(other.certificate.pin, () => undefined),
  );
  const key = makeSecret("gd_");
  const enrolled = client.mutation(api.devices.enroll, { code: "GLN-NONE", key, name: "x", platform: "x" });
  expect(await enrolled).toMatchObject({ kind: "refused" });
  await client.close();
  // A WebSocket masks its messages, so the key itself is not readable in the stream. The handshake is.
  expect(other.seen()).toContain("Upgrade: websocket");
  const answer = await fetchPinned(other.certificate.pin, 30_000)(`${address}/health`, {
    headers: { authorization: `Convex ${key}` },
  });
  expect(answer.status).toBe(200);
  expect(other.seen()).toContain(key);
  await other.close();
});

test("a command with a pin sends an interceptor nothing", async () => {
  const address = `https://127.0.0.1:${interceptor.port}`;
  await expect(fetchPinned(pin, 30_000)(`${address}/health`)).rejects.toThrow();
  const [intercepted, direct] = [new Setup({ url: address, pin, adminKey: backend.adminKey }), setup];
  await expect(intercepted.organizations()).rejects.toThrow();
  expect(await direct.organizations()).toHaveLength(1);
  const secure = new Setup({ url: `https://127.0.0.1:${port}`, pin, adminKey: backend.adminKey });
  expect(await secure.organizations()).toHaveLength(1);
  expect(interceptor.seen()).toBe("");
});

test("without TLS a donor does not start, and without a pin it does not trust the certificate", async () => {
  await expectRefused({ url: `http://192.0.2.1:${port}` }, /plain HTTP .* --insecure-http/s);
  const client = openClient(`https://127.0.0.1:${interceptor.port}`);
  const before = interceptor.connections();
  client
    .mutation(api.devices.enroll, { code: "x", key: "x", name: "x", platform: "x" })
    .catch(() => undefined);
  // The second attempt shows that the first one has failed.
  await expect.poll(() => interceptor.connections(), patience).toBeGreaterThan(before + 1);
  expect(interceptor.seen()).toBe("");
  void client.close();
});

test("a donor with a pin enrolls only at the true server, and works there", async () => {
  route.lead(interceptor.port);
  const before = interceptor.connections();
  donor = await startDonor({ pin, code: true });
  await expect.poll(readLog, patience).toContain("backend.wrong-key");
  expect(interceptor.connections()).toBeGreaterThan(before);
  expect(interceptor.seen()).toBe("");
  route.lead(port);
  await expectJobDone();
  expect((await readDevice()).enrolment?.trust).toEqual({ pin, insecureHttp: false });
});

test("a server that is exchanged while the donor runs gets nothing, and the true one gets it back", async () => {
  const before = interceptor.connections();
  route.lead(interceptor.port);
  await expectNothingSeen(before);
  route.lead(port);
  await expectJobDone();
});

test("after a restart without a flag the pin still holds", async () => {
  await donor?.stop();
  donor = await startDonor({});
  await expectJobDone();
  await donor.stop();
  const before = interceptor.connections();
  route.lead(interceptor.port);
  donor = await startDonor({});
  await expectNothingSeen(before);
  await donor.stop();
});

test("another pin is refused, and with a new code the device joins as a new one", async () => {
  await donor?.stop();
  const { deviceKey } = await readDevice();
  await expectRefused({ pin: interceptor.certificate.pin }, /join again with a new enrollment code/);
  await expectRefused({ url: `http://192.0.2.1:${port}` }, /pinned key is reached with TLS/);
  expect((await readDevice()).deviceKey).toBe(deviceKey);
  donor = await startDonor({ pin: interceptor.certificate.pin, code: true });
  await expectJobDone();
  expect((await readDevice()).deviceKey).not.toBe(deviceKey);
});
