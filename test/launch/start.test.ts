import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { ConvexHttpClient } from "convex/browser";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { api } from "../../convex/_generated/api.js";
import { startBackend } from "../../launch/backend/backend.ts";
import { openDataFolder } from "../../launch/core/data-folder.ts";
import { fetchPinned } from "../../launch/core/pinned-fetch.ts";
import { listDevices } from "../../launch/farm/watcher.ts";
import { makeSecret } from "../../launch/organization/secrets.ts";
import { Setup } from "../../launch/organization/setup.ts";
import { close, freePorts, listen } from "./free-port.ts";
import { type Program, run } from "./program.ts";

const shell = promisify(execFile);
const ready = "Ctrl-C stops everything";
const completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().min(1) }) })).length(1),
  usage: z.object({ prompt_tokens: z.number().positive(), completion_tokens: z.number().positive() }),
});

let folder: string;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-start-"));
  port = await freePorts(3);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function start(...args: string[]): Program {
  return run("launch/start.ts", ["--headless", "--port", String(port), ...args], { GLEANER_DATA: folder });
}

async function stop(program: Program): Promise<void> {
  program.interrupt();
  expect(await program.ended, program.output()).toBe(0);
}

/** Runs the printed curl command in a shell. */
async function runPrintedCurl(output: string): Promise<z.infer<typeof completion>> {
  const lines = output.split("\n").map((line) => line.trim());
  const from = lines.findIndex((line) => line.startsWith("curl "));
  const to = lines.findIndex((line, index) => index >= from && line.startsWith("-d "));
  const command = lines.slice(from, to + 1).join("\n");
  const { stdout } = await shell("sh", ["-c", `${command} --silent --show-error`], { timeout: 60_000 });
  return completion.parse(JSON.parse(stdout));
}

/** Signs in as an admin on the running backend. */
async function asAdmin(at = folder): Promise<{ client: ConvexHttpClient; session: string }> {
  const adminKey = (await readFile(join(at, "admin-key"), "utf8")).trim();
  const setup = new Setup({ url: `http://127.0.0.1:${port}`, adminKey });
  const [organization] = await setup.organizations();
  const token = await setup.makeSignInToken(organization!.id);
  const client = new ConvexHttpClient(`http://127.0.0.1:${port}`, { logger: false });
  const session = makeSecret("gs_");
  await client.mutation(api.console.account.signIn, { token, session });
  return { client, session };
}

async function revoke(key: string): Promise<void> {
  const { client, session } = await asAdmin();
  const keys = await client.query(api.console.keys.names, { session });
  const { keyId } = keys.find(({ prefix }) => key.startsWith(prefix))!;
  await client.mutation(api.console.keys.revoke, { session, keyId });
}

/** Reads the data folder with a backend and no donor. */
async function deviceIsOnline(): Promise<boolean> {
  const data = await openDataFolder(folder);
  const adminKey = (await readFile(data.adminKeyFile, "utf8")).trim();
  const options = { host: "127.0.0.1", port, sitePort: port + 1, console: false };
  const backend = await startBackend(data, adminKey, options);
  const { client, session } = await asAdmin();
  const devices = await listDevices(client, session);
  await backend.child.stop();
  return devices.some(({ online }) => online);
}

function printedKey(output: string): string {
  return /sk-gleaner-[\w-]+/.exec(output)?.[0] ?? "";
}

test("the printed steps work: curl answers, the console opens, Ctrl-C stops, and a second start finds the data", async () => {
  const first = start("--organization", "Acme");
  const printed = await first.until(ready);
  expect(printed).toContain("Acme");
  expect(printed).toContain(folder);

  const answer = await runPrintedCurl(printed);
  expect(answer.choices[0]?.message.content).toContain("Lyon");

  const link = /http:\S+#signin=\S+/.exec(printed)?.[0] ?? "";
  const page = await fetch(link.split("#")[0] ?? "");
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("<title>");
  await stop(first);

  const second = start();
  const again = await second.until(ready);
  expect(again).toContain("Acme");
  expect(printedKey(again)).toBe(printedKey(printed));
  await runPrintedCurl(again);
  await stop(second);
});

test("a second start beside a running one prints a new sign-in link, and so does gleaner sign-in-link", async () => {
  const first = start();
  await first.until(ready);
  const signsIn = new RegExp(`http://127\\.0\\.0\\.1:${String(port + 1)}/console/#signin=gs_[\\w-]+`);
  const second = start();
  expect(await second.ended).toBe(0);
  expect(second.output()).toMatch(/Gleaner runs already for .+\. Its data is in /);
  expect(second.output()).toMatch(signsIn);
  const command = run("cli/gleaner.ts", ["sign-in-link", "--print-secrets"], { GLEANER_DATA: folder });
  expect(await command.ended).toBe(0);
  expect(command.output()).toMatch(signsIn);
  await stop(first);

  const late = run("cli/gleaner.ts", ["sign-in-link", "--print-secrets"], { GLEANER_DATA: folder });
  expect(await late.ended).toBe(1);
  expect(late.output()).toContain("Nothing answers at http://127.0.0.1:");
  expect(late.output()).not.toContain("at TCPConnectWrap");
});

test("without a terminal no secret is printed, and the printed steps still work", async () => {
  const program = run("launch/start.ts", ["--headless", "--port", String(port), "--host", "0.0.0.0"], {
    GLEANER_DATA: folder,
    GLEANER_PRINT_SECRETS: "",
  });
  const printed = await program.until(ready);
  const secrets = join(folder, "secrets");
  const read = async (name: string): Promise<string> => (await readFile(join(secrets, name), "utf8")).trim();
  expect(await read("sign-in-link")).toContain("#signin=gs_");
  expect(await read("panel-link")).toMatch(/^http:/);
  for (const name of ["sign-in-link", "api-key", "panel-link", "enrollment-code"]) {
    const secret = await read(name);
    expect(secret.length).toBeGreaterThan(10);
    expect(printed).not.toContain(secret);
    expect((await stat(join(secrets, name))).mode & 0o077).toBe(0);
    expect(printed).toContain(join(secrets, name));
  }
  expect(printed).not.toMatch(/sk-gleaner-|gs_|GLN-/);
  const answer = await runPrintedCurl(printed);
  expect(answer.choices[0]?.message.content).toContain("Lyon");
  await stop(program);
  for (const name of ["backend.log", "donor.log"]) {
    expect(await readFile(join(folder, "logs", name), "utf8")).not.toContain(await read("panel-link"));
  }
  // On a terminal the secrets are printed, so no files are left.
  const again = start();
  await again.until(ready);
  await expect(stat(secrets)).rejects.toThrow(/ENOENT/);
  await stop(again);
});

test("only its owner can read the data folder", async () => {
  expect((await stat(folder)).mode & 0o077).toBe(0);
  expect((await stat(join(folder, "admin-key"))).mode & 0o077).toBe(0);
  expect((await stat(join(folder, "signing-key"))).mode & 0o077).toBe(0);
});

test("the catalog is signed, its key is not in the database, and this computer has pinned it", async () => {
  const signingKey = (await readFile(join(folder, "signing-key"), "utf8")).trim();
  expect(signingKey).toMatch(/^[\w-]{43}$/);
  const device = JSON.parse(await readFile(join(folder, "donor", "device.json"), "utf8")) as object;
  const pinned = { publicKey: expect.any(String) as string, version: expect.any(Number) as number };
  expect(device).toMatchObject({ organizationKey: pinned });
  expect((device as { organizationKey: { version: number } }).organizationKey.version).toBeGreaterThan(0);
  for (const file of ["backend.sqlite", "backend.sqlite-wal"]) {
    const bytes = await readFile(join(folder, file)).catch(() => Buffer.alloc(0));
    expect(bytes.includes(signingKey)).toBe(false);
  }
});

test("an interrupted setup is completed for the same organization", async () => {
  await rm(join(folder, "installation.json"));
  const program = start("--organization", "Another name");
  const printed = await program.until(ready);
  expect(printed).toContain("Acme");
  await runPrintedCurl(printed);
  await stop(program);
});

test("a revoked key is not printed again", async () => {
  const first = start();
  const key = printedKey(await first.until(ready));
  await revoke(key);
  await stop(first);
  const second = start();
  const printed = await second.until(ready);
  expect(printed).toContain("had been revoked");
  expect(printedKey(printed)).not.toBe(key);
  await runPrintedCurl(printed);
  await stop(second);
});

test("a terminal's Ctrl-C, which reaches the whole process group, stops everything in order", async () => {
  const program = run(
    "launch/start.ts",
    ["--headless", "--port", String(port)],
    { GLEANER_DATA: folder },
    { group: true },
  );
  await program.until(ready);
  program.interrupt();
  expect(await program.ended, program.output()).toBe(0);
  const log = (await readFile(join(folder, "logs/donor.log"), "utf8")).trim().split("\n");
  // The donor could say goodbye, since the backend still ran.
  expect(log.slice(-20).join("\n")).toContain("headless.leaving");
  expect(log.slice(-20).join("\n")).not.toMatch(/"level":"error"/);
  expect(await deviceIsOnline()).toBe(false);
});

test("Ctrl-C during the start stops without an error", async () => {
  for (const afterMs of [0, 600]) {
    const program = start();
    await program.until("Starting");
    await sleep(afterMs);
    program.interrupt();
    expect(await program.ended, program.output()).toBe(0);
    expect(program.output()).not.toContain("did not start");
  }
});

test("quitting the donor leaves the backend running for others", async () => {
  const program = start();
  await program.until(ready);
  const lock = await readFile(join(folder, "donor", "gleaner.lock"), "utf8");
  process.kill(Number(/\d+/.exec(lock)?.[0]), "SIGTERM");
  await program.until("donor was quit");
  expect((await fetch(`http://127.0.0.1:${port}/version`)).ok).toBe(true);
  // The printed command lets the same device donate again.
  const [, command = ""] =
    / {2}npm run -s gleaner -- (donate .+)/.exec(await program.until("donate --backend")) ?? [];
  const again = run("cli/gleaner.ts", [...command.split(" "), "--headless", "--panel-port", "0"], {});
  await again.until("Connected to Acme");
  await stop(again);
  await stop(program);
});

test("after this computer has left, the printed command joins again with a new code", async () => {
  const other = await mkdtemp(join(tmpdir(), "gleaner-left-"));
  const program = run("launch/start.ts", ["--headless", "--port", String(port)], { GLEANER_DATA: other });
  await program.until(ready);
  const left = run("cli/gleaner.ts", ["leave", "--yes", "--data", other], {});
  expect(await left.ended, left.output()).toBe(0);
  const printed = await program.until("donate --backend");
  expect(printed).toContain("belongs to no organization now");
  const [, command = ""] = / {2}GLEANER_CODE=GLN-… npm run -s gleaner -- (donate .+)/.exec(printed) ?? [];
  const adminKey = (await readFile(join(other, "admin-key"), "utf8")).trim();
  const setup = new Setup({ url: `http://127.0.0.1:${port}`, adminKey });
  const [organization] = await setup.organizations();
  const again = run("cli/gleaner.ts", [...command.split(" "), "--headless", "--panel-port", "0"], {
    GLEANER_CODE: await setup.issueEnrollmentCode(organization!.id, "again"),
  });
  await again.until("Joined ");
  await stop(again);
  await stop(program);
  await rm(other, { recursive: true, force: true });
});

test("a retired computer says so at the next start, leaves by the printed command, and then joins again", async () => {
  const other = await mkdtemp(join(tmpdir(), "gleaner-retired-"));
  const startOther = (): Program =>
    run("launch/start.ts", ["--headless", "--port", String(port)], { GLEANER_DATA: other });
  const first = startOther();
  await first.until(ready);
  const { client, session } = await asAdmin(other);
  const [device] = await listDevices(client, session);
  await client.mutation(api.console.devices.retire, { session, deviceId: device!.deviceId });
  await stop(first);

  const second = startOther();
  const printed = await second.until(ready);
  expect(printed).toContain("It donates nothing, because an administrator retired it.");
  expect(printed).not.toContain("It donates at any time");
  const [, command = ""] = / {2}npm run -s gleaner -- (leave .+)/.exec(printed) ?? [];
  const left = run("cli/gleaner.ts", command.split(" "), {});
  expect(await left.ended, left.output()).toBe(0);
  await second.until("belongs to no organization now");
  await stop(second);

  const third = startOther();
  expect(await third.until(ready)).toContain("It donates at any time");
  await stop(third);
  await rm(other, { recursive: true, force: true });
});

test.each([
  [
    "is damaged",
    { deviceKey: "gd_short" },
    "was damaged, so the donor joins again, as a new device. The former one stays",
  ],
  ["is from a start that ended before it joined", { enrolment: null }, "had not joined before"],
])("a donor whose file %s joins at the next start", async (_how, change, note) => {
  const file = join(folder, "donor", "device.json");
  const whole = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
  await writeFile(file, JSON.stringify({ ...whole, ...change }));
  const program = start();
  const printed = await program.until(ready);
  expect(printed).toContain(note);
  // Only the first run may disturb the person at the computer.
  expect(printed).not.toContain("first hour");
  await expect.poll(async () => await readFile(file, "utf8")).toContain('"deviceId"');
  await stop(program);
});

/** A start where Electron fails as it does without its sandbox. */
async function startWithoutSandbox(): Promise<Program> {
  const electron = join(folder, "electron");
  await mkdir(electron, { recursive: true });
  const script =
    '#!/bin/sh\necho "[41:1130/12:FATAL:sandbox.cc(163)] The sandbox is not configured." >&2\nexit 133\n';
  await writeFile(join(electron, "electron"), script, { mode: 0o755 });
  return run("launch/start.ts", ["--port", String(port)], {
    GLEANER_DATA: folder,
    DISPLAY: ":99",
    ELECTRON_OVERRIDE_DIST_PATH: electron,
    GLEANER_ELECTRON_ARGS: "--no-sandbox",
  });
}

test("where Electron does not start, the donor runs without a tray and says why", async () => {
  const program = await startWithoutSandbox();
  const printed = await program.until(ready);
  expect(printed).toContain(
    "without a tray because Electron does not start: The sandbox is not configured. Its panel:",
  );
  expect(printed).toMatch(/^ +http:\/\/127\.0\.0\.1:\d+\/#token=/m);
  await stop(program);
});

test("if the donor without Electron fails, too, its own reason comes first", async () => {
  const server = await listen(port + 2);
  const program = await startWithoutSandbox();
  expect(await program.ended).toBe(1);
  expect(program.output()).toMatch(
    /Port \d+ is taken by another program\.\n +Electron does not start: The sandbox is not configured\.\n +Stop that/,
  );
  await close(server);
});

test("if the database is gone, a new organization is set up, with a note", async () => {
  const other = await mkdtemp(join(tmpdir(), "gleaner-gone-"));
  const options = ["--headless", "--port", String(port)];
  const first = run("launch/start.ts", options, { GLEANER_DATA: other });
  await first.until(ready);
  await stop(first);
  for (const name of ["backend.sqlite", "backend.sqlite-wal", "backend.sqlite-shm"]) {
    await rm(join(other, name), { force: true });
  }
  const second = run("launch/start.ts", options, { GLEANER_DATA: other });
  const printed = await second.until(ready);
  expect(printed).toContain("a new organization was set up");
  await runPrintedCurl(printed);
  await stop(second);
  await rm(other, { recursive: true, force: true });
});

test.each([
  { how: "with TLS and the printed pin", args: [], secure: true },
  { how: "without TLS, if the person insists", args: ["--insecure-http"], secure: false },
])("with --host, another computer can join once $how", async ({ args, secure }) => {
  const program = start("--host", "0.0.0.0", ...args);
  const printed = await program.until(ready);
  const code = /GLEANER_CODE=(\S+)/.exec(printed)?.[1] ?? "";
  const [, url = "", trust = ""] = /--backend (\S+) (.*)/.exec(printed) ?? [];
  expect(url).not.toContain("127.0.0.1");
  expect(url).toMatch(secure ? /^https:/ : /^http:/);
  expect(trust).toMatch(secure ? /^--pin sha256:[0-9a-f]{64}$/ : /^--insecure-http$/);
  const pin = secure ? trust.slice("--pin ".length) : null;
  const answer = await runPrintedCurl(printed);
  expect(answer.choices[0]?.message.content).toContain("Lyon");
  const otherFolder = await mkdtemp(join(tmpdir(), "gleaner-other-"));
  const other = run(
    "cli/gleaner.ts",
    ["donate", "--headless", "--panel-port", "0", "--backend", url, ...trust.split(" ")],
    {
      GLEANER_DATA: otherFolder,
      GLEANER_CODE: code,
    },
  );
  await other.until("The panel: http");
  const admin = await asAdmin();
  await expect
    .poll(
      async () => (await listDevices(admin.client, admin.session)).filter(({ online }) => online).length,
      { timeout: 30_000 },
    )
    .toBe(2);
  // The console makes its command of this.
  const { session } = admin;
  expect(await admin.client.query(api.console.codes.joinAddress, { session })).toEqual({ url, pin });
  await stop(other);
  await rm(otherFolder, { recursive: true, force: true });
  const client = new ConvexHttpClient(url, { logger: false, fetch: fetchPinned(pin, 30_000) });
  const again = { code, name: "third", platform: "test", key: makeSecret("gd_") };
  expect(await client.mutation(api.devices.enroll, again)).toMatchObject({
    kind: "refused",
    reason: "used-up",
  });
  const links = printed.match(/https?:\S+(?=#signin=)/g) ?? [];
  expect(links).toHaveLength(secure ? 2 : 1);
  for (const link of links) {
    const get = fetchPinned(link.startsWith("https:") ? pin : null, 30_000);
    const page = await get(link);
    expect(page.status).toBe(200);
    const config = (await (await get(new URL("/config", link).href)).json()) as { deploymentUrl: string };
    // On this computer the page connects over loopback, elsewhere with TLS to the address of the page.
    expect(config.deploymentUrl).toBe(link.includes("127.0.0.1") ? `http://127.0.0.1:${port}` : url);
    expect(page.headers.get("content-security-policy")).toContain(
      ` ${config.deploymentUrl} ${config.deploymentUrl.replace("http", "ws")}`,
    );
  }
  await stop(program);
});

const ownAddress = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

test.skipIf(ownAddress === undefined)(
  "with --host and one address, this computer's donor and commands use the pin, and a later start on loopback works",
  async () => {
    const program = start("--host", ownAddress ?? "");
    const printed = await program.until(ready);
    await runPrintedCurl(printed);
    const conflicts = run("cli/gleaner.ts", ["conflicts", "--json"], { GLEANER_DATA: folder });
    expect(await conflicts.ended, conflicts.output()).toBe(0);
    const settings = run("cli/gleaner.ts", ["queue-settings", "maxQueued=5000"], { GLEANER_DATA: folder });
    expect(await settings.ended, settings.output()).toBe(0);
    expect(settings.output()).toMatch(/^maxQueued +5000 +set here$/m);
    const refused = run("cli/gleaner.ts", ["queue-settings", "leaseMs=1"], { GLEANER_DATA: folder });
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toBe("leaseMs must be from 5000 to 3600000.\n");
    await stop(program);
    const again = start();
    await runPrintedCurl(await again.until(ready));
    await stop(again);
  },
);

test("a damaged installation.json is reported, with what to do", async () => {
  await writeFile(join(folder, "installation.json"), '{"version": 1, "organ');
  const program = start();
  expect(await program.ended).toBe(1);
  expect(program.output()).toContain("installation.json is damaged");
  expect(program.output()).toContain("Delete that file");
  await rm(join(folder, "installation.json"));
});

test("a file that is not a database is reported", async () => {
  const other = await mkdtemp(join(tmpdir(), "gleaner-broken-"));
  await writeFile(
    join(other, "backend.sqlite"),
    "this is not a database, however long one looks at it ".repeat(200),
  );
  const program = run("launch/start.ts", ["--headless", "--port", String(port)], { GLEANER_DATA: other });
  expect(await program.ended).toBe(1);
  expect(program.output()).toContain("backend.sqlite");
  await rm(other, { recursive: true, force: true });
});

test.each([0, 1, 2])("a taken port (the first + %i) is reported, with what to do", async (offset) => {
  const server = await listen(port + offset);
  const program = start();
  expect(await program.ended).toBe(1);
  expect(program.output()).toContain(`Port ${port + offset} is taken`);
  expect(program.output()).toContain("--port");
  await close(server);
});

test("an unknown option prints the usage", async () => {
  const program = start("--color");
  expect(await program.ended).toBe(1);
  expect(program.output()).toContain("--organization S");
});
