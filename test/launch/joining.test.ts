import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { afterAll, beforeAll, expect, test } from "vitest";
import { confirmationNumber, readDeviceRequest } from "../../app/enrollment.ts";
import { api } from "../../convex/_generated/api.js";
import { type Backend, startBackend } from "../../launch/backend/backend.ts";
import { type DataFolder, openDataFolder } from "../../launch/core/data-folder.ts";
import { readDemoModel } from "../../launch/organization/demo-model.ts";
import { makeSecret } from "../../launch/organization/secrets.ts";
import { type FirstOrganization, Setup } from "../../launch/organization/setup.ts";
import { close, freePorts, listen } from "./free-port.ts";
import { type Program, run } from "./program.ts";

/** `gleaner donate` as a person types it, against a real backend with TLS. */

let scratch: string;
let folder: DataFolder;
let backend: Backend;
let setup: Setup;
let organization: FirstOrganization;
let url: string;
let pin: string;
let donors = 0;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "gleaner-joining-"));
  folder = await openDataFolder(join(scratch, "data"));
  const port = await freePorts(2);
  const options = { host: "0.0.0.0", port, sitePort: port + 1, console: false };
  backend = await startBackend(folder, makeSecret("gleaner|"), options);
  url = `https://127.0.0.1:${port}`;
  pin = backend.certificate?.pin ?? "";
  setup = new Setup(backend);
  organization = await setup.createOrganization("Acme", await readDemoModel());
});
afterAll(async () => {
  await backend.child.stop();
  await rm(scratch, { recursive: true, force: true });
});

const env = { DISPLAY: "", WAYLAND_DISPLAY: "", GLEANER_THREADS: "1" };
const newFolder = (): string => join(scratch, `donor-${++donors}`);
const newCode = (): Promise<string> => setup.issueEnrollmentCode(organization.organizationId, "test");

function donate(data: string, args: readonly string[], code?: string): Program {
  const given = code === undefined ? {} : { GLEANER_CODE: code };
  const own = ["donate", "--panel-port", "0", "--name", "laptop", "--data", data];
  return run("cli/gleaner.ts", [...own, ...args], { ...env, ...given });
}

async function stop(program: Program): Promise<void> {
  program.interrupt();
  expect(await program.ended).toBe(0);
}

async function statusOf(data: string): Promise<string> {
  const program = run("cli/gleaner.ts", ["status", "--data", data], {});
  await program.ended;
  return program.output();
}

const deviceFile = (data: string): string => join(data, "donor/device.json");

async function readDevice(data: string) {
  return JSON.parse(await readFile(deviceFile(data), "utf8")) as Record<string, unknown>;
}

/** Joins, and stops. */
async function joined(data: string): Promise<void> {
  const program = donate(data, ["--backend", url, "--pin", pin], await newCode());
  await program.until("Joined Acme as laptop.");
  await stop(program);
}

test("a wrong pin ends the command with the reason", async () => {
  const wrong = `sha256:${"a".repeat(64)}`;
  const program = donate(newFolder(), ["--backend", url, "--pin", wrong], await newCode());
  expect(await program.ended).toBe(1);
  expect(program.output()).toContain("has another key than the one in --pin");
  expect(program.output()).toContain("not the fingerprint of the certificate");
});

test("a certificate of no known authority ends the command, which then names --pin", async () => {
  const program = donate(newFolder(), ["--backend", url], await newCode());
  expect(await program.ended).toBe(1);
  expect(program.output()).toMatch(
    /cannot tell whether https:\S+ is your organization's server.* --pin sha256:…/s,
  );
});

test("a used code is explained in the terminal and in the status, and the panel takes another", async () => {
  const data = newFolder();
  const code = await newCode();
  const first = donate(newFolder(), ["--backend", url, "--pin", pin], code);
  await first.until("Joined Acme as laptop.");
  await stop(first);
  const program = donate(data, ["--backend", url, "--pin", pin], code);
  const reason = "This enrollment code has no uses left. Ask your administrator for a new one.";
  await program.until(reason);
  await program.until("Enter a new code in the panel");
  expect(await statusOf(data)).toContain(reason);
  await stop(program);
});

test("an unknown code is explained", async () => {
  const program = donate(newFolder(), ["--backend", url, "--pin", pin], "GLN-7K2M-9QXD-4WHT");
  await program.until("This enrollment code is not known.");
  await stop(program);
});

test("a donor that cannot reach its server says so, and keeps trying", async () => {
  const data = newFolder();
  const port = await freePorts(1);
  const program = donate(data, ["--backend", `http://127.0.0.1:${port}`], await newCode());
  await program.until(`http://127.0.0.1:${port} cannot be reached (connection refused).`);
  expect(await statusOf(data)).toContain("cannot be reached (connection refused). Gleaner keeps trying.");
  await stop(program);
});

test("with --sign-in a member confirms the computer on a page, and nobody types a code", async () => {
  const data = newFolder();
  const program = donate(data, ["--backend", url, "--pin", pin, "--sign-in"]);
  const text = await program.until("Ctrl-C cancels.");
  const [address = ""] = /https:\S+#\S+/.exec(text) ?? [];
  expect(address).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/console\/#/);
  const request = readDeviceRequest(new URL(address).hash);
  if (request === null) throw new Error(text);
  expect(request.device).toBe("laptop");
  expect(text).toContain(`the number ${confirmationNumber(request.codeHash)}`);
  // Over loopback the backend needs no TLS.
  const client = new ConvexHttpClient(url.replace("https:", "http:"), { logger: false });
  const [token, session] = [await setup.makeSignInToken(organization.organizationId), makeSecret("gs_")];
  await client.mutation(api.console.account.signIn, { token, session });
  await client.mutation(api.console.codes.confirmDevice, { session, ...request });
  await program.until("Confirmed. This computer joins Acme.");
  await program.until("Joined Acme as laptop.");
  await stop(program);
  // As from a service that has the option in its command.
  const again = donate(data, ["--backend", url, "--pin", pin, "--sign-in"]);
  await again.until("This computer belongs to Acme already, so --sign-in does nothing.");
  await again.until("Ctrl-C stops it");
  await stop(again);
});

test("a sign-in that its person cancels, and one beside a code, end the command", async () => {
  const program = donate(newFolder(), ["--backend", url, "--pin", pin, "--sign-in"]);
  await program.until("Ctrl-C cancels.");
  program.interrupt();
  expect(await program.ended).toBe(1);
  expect(program.output()).toContain("The sign-in was canceled.");
  const both = donate(newFolder(), ["--backend", url, "--pin", pin, "--sign-in"], "GLN-7K2M-9QXD-4WHT");
  expect(await both.ended).toBe(2);
  expect(both.output()).toContain("Give either --sign-in or GLEANER_CODE, not both.");
});

test("a sign-in at a server that cannot be reached or trusted says why", async () => {
  const port = await freePorts(1);
  const away = donate(newFolder(), ["--backend", `http://127.0.0.1:${port}`, "--sign-in"]);
  expect(await away.ended).toBe(1);
  expect(away.output()).toContain("cannot be reached: connection refused");
  const wrong = donate(newFolder(), ["--backend", url, "--pin", `sha256:${"a".repeat(64)}`, "--sign-in"]);
  expect(await wrong.ended).toBe(1);
  expect(wrong.output()).toContain("Nothing was sent to it");
});

test("without a code the command says how to join", async () => {
  const program = donate(newFolder(), ["--backend", url, "--pin", pin]);
  await program.until("belongs to no organization yet");
  await program.until("GLEANER_CODE=GLN-…");
  await stop(program);
});

test("a code that is none stops the command with the reason", async () => {
  const args = ["--backend", url, "--pin", pin];
  const empty = donate(newFolder(), args, " ");
  expect(await empty.ended).toBe(2);
  expect(empty.output()).toContain("GLEANER_CODE is empty.");
  const short = donate(newFolder(), args, "abc");
  expect(await short.ended).toBe(2);
  expect(short.output()).toBe("GLEANER_CODE is no enrollment code, such as GLN-7K2M-9QXD-4WHT.\n");
});

test("a device file of a newer version stops the start, and stays", async () => {
  const data = newFolder();
  await joined(data);
  const newer = JSON.stringify({ version: 1_000, secret: "kept" });
  await writeFile(deviceFile(data), newer);
  const program = donate(data, ["--backend", url, "--pin", pin]);
  expect(await program.ended).toBe(1);
  expect(program.output()).toContain("newer version of Gleaner");
  expect(await readFile(deviceFile(data), "utf8")).toBe(newer);
});

test("a damaged device file is kept, and the donor says that it has to join again", async () => {
  const data = newFolder();
  await joined(data);
  await writeFile(deviceFile(data), '{"version":1,"deviceKey":');
  const program = donate(data, ["--backend", url, "--pin", pin]);
  await program.until("device.json was damaged");
  expect(await statusOf(data)).toMatch(/enrollment code.*device\.json was damaged.*device\.json\.corrupt-/s);
  expect((await readdir(join(data, "donor"))).some((file) => file.includes(".corrupt-"))).toBe(true);
  await stop(program);
});

test("a device whose signing key differs says so and joins again, as a new device", async () => {
  const data = newFolder();
  await joined(data);
  const device = await readDevice(data);
  const { privateKey } = generateKeyPairSync("ed25519");
  const signingKey = privateKey.export({ format: "der", type: "pkcs8" }).toString("base64url");
  await writeFile(deviceFile(data), JSON.stringify({ ...device, signingKey }));
  const program = donate(data, ["--backend", url]);
  await program.until("another key than it has now");
  const command = /GLEANER_CODE=GLN-… gleaner donate --backend URL --rejoin/;
  expect(program.output()).toMatch(command);
  expect(await statusOf(data)).toMatch(command);
  await stop(program);

  const refused = donate(data, ["--backend", url, "--rejoin"], "GLN-7K2M-9QXD-4WHT");
  await refused.until("This enrollment code is not known.");
  await stop(refused);
  expect((await readDevice(data))["deviceKey"]).toBe(device["deviceKey"]);

  const again = donate(data, ["--backend", url, "--rejoin"], await newCode());
  await again.until("Joined Acme as laptop.");
  expect((await readDevice(data))["deviceKey"]).not.toBe(device["deviceKey"]);
  expect(await statusOf(data)).not.toContain("another key than");
  await stop(again);
});

test("the panel takes a free port if the default one is taken", async () => {
  const taken = await listen(3212).catch(() => null);
  const own = ["donate", "--name", "laptop", "--data", newFolder(), "--backend", url, "--pin", pin];
  const program = run("cli/gleaner.ts", own, { ...env, GLEANER_CODE: await newCode() });
  expect(await program.until("The panel: ")).toMatch(/The panel: http:\/\/127\.0\.0\.1:(?!3212)\d+\//);
  await stop(program);
  if (taken !== null) await close(taken);
});

test("a panel port that the person chose and that is taken ends the command", async () => {
  const port = await freePorts(1);
  const taken = await listen(port);
  const args = ["--backend", url, "--pin", pin, "--panel-port", String(port)];
  const program = donate(newFolder(), args, await newCode());
  expect(await program.ended).toBe(1);
  expect(program.output()).toContain(`Port ${port} is taken`);
  expect(program.output()).toContain("--panel-port 0");
  expect(program.output()).not.toContain("npm start");
  await close(taken);
});

test("managed settings name the server and the code, and lock rules", async () => {
  const [data, file] = [newFolder(), join(scratch, "managed.json")];
  const rules = { allowOnBattery: false, idleAfterSeconds: 300 };
  await writeFile(
    file,
    JSON.stringify({ server: url, pin, code: await newCode(), rules, wallpaper: "blue" }),
  );
  const managed = { GLEANER_MANAGED: file };
  const args = ["donate", "--panel-port", "0", "--name", "laptop", "--data", data];
  const program = run("cli/gleaner.ts", args, { ...env, ...managed });
  await program.until("Joined Acme as laptop.");
  const listed = run("cli/gleaner.ts", ["rules", "--data", data], {});
  await listed.ended;
  expect(listed.output()).toMatch(/idleAfterSeconds +5 minutes +this computer's administrator, locked/);
  expect(listed.output()).toMatch(/allowLeave +not allowed +this computer's administrator, locked/);
  const change = run("cli/gleaner.ts", ["rules", "idleAfterSeconds", "30", "--data", data], {});
  expect(await change.ended).toBe(1);
  const left = run("cli/gleaner.ts", ["leave", "--yes", "--data", data], {});
  expect(await left.ended).toBe(1);
  await stop(program);

  const checked = run("cli/gleaner.ts", ["managed"], managed);
  expect(await checked.ended).toBe(1);
  expect(checked.output()).toContain("Not understood: wallpaper");
  expect(checked.output()).not.toContain(JSON.parse(await readFile(file, "utf8")).code);

  const other = run("cli/gleaner.ts", [...args, "--backend", "https://192.0.2.1:9"], { ...env, ...managed });
  expect(await other.ended).toBe(1);
  expect(other.output()).toContain(`allows no other server than ${url}`);
});

test("managed settings that cannot be read stop the start", async () => {
  const file = join(scratch, "broken.json");
  await writeFile(file, "{");
  const program = run("cli/gleaner.ts", ["donate", "--data", newFolder()], { ...env, GLEANER_MANAGED: file });
  expect(await program.ended).toBe(1);
  expect(program.output()).toMatch(/broken\.json is no JSON.*gleaner managed checks it/s);
});
