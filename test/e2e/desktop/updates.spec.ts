import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { api } from "../../../convex/_generated/api.js";
import type { Farm } from "../../../launch/farm/farm.ts";
import { makeSecret } from "../../../launch/organization/secrets.ts";
import { callDonor } from "../../../main/face/local-socket/client.ts";
import { makeReleaseKey, signRelease } from "../../../scripts/package/sign-release.ts";
import { withVersion } from "../../launch/with-version.ts";
import { askFor, expect, test, tokensLasting } from "../support/farm-test.ts";
import { makeAppImage, makeBrokenAppImage, packWithUpdates } from "../support/packed-versions.ts";
import { serveReleases, type UpdateServer } from "../support/update-server.ts";

test.describe.configure({ mode: "serial" });

const [first, second, broken] = ["0.1.0", "0.2.0", "0.3.0"] as const;
const patient = { timeout: 60_000, intervals: [250] };

let folder: string;
let releases: string;
let data: string;
let installed: string;
let server: UpdateServer;
let program: ChildProcess;
let log = "";

const imageOf = (version: string): string => join(releases, `Gleaner-${version}.AppImage`);
const releaseFile = `stable-linux-${process.arch}.json`;

const publish = (version: string, percent: number, key = join(folder, "key.pem")): Promise<string> =>
  signRelease(imageOf(version), { key, version, percent });

async function status() {
  const outcome = await callDonor(data, "status", null);
  return outcome.kind === "ok" ? outcome.value : null;
}

const runningVersion = async (): Promise<string | null> => (await status())?.version ?? null;

/** Reads the program's device as the console does. */
async function inConsole({ backend, setup, organization }: Farm) {
  const client = new ConvexHttpClient(backend.url, { logger: false });
  const session = makeSecret("gs_");
  const token = await setup.makeSignInToken(organization.organizationId);
  await client.mutation(api.console.account.signIn, { token, session });
  const named = { session, search: "updates", paginationOpts: { numItems: 1, cursor: null } };
  return {
    read: async () => {
      const { page } = await client.query(api.console.devices.list, named);
      const { version, rolledBackVersion } = await client.query(api.console.devices.get, {
        session,
        deviceId: page[0]!.deviceId,
      });
      return { version, rolledBackVersion };
    },
    namesThatWentBack: async () => {
      const { page } = await client.query(api.console.devices.list, { ...named, concern: "rolled-back" });
      return page.map(({ name }) => name);
    },
  };
}

/** Waits until the program has asked for what the server has now. */
async function untilLooked(): Promise<void> {
  const before = server.asked(releaseFile);
  await expect.poll(() => server.asked(releaseFile), patient).toBeGreaterThan(before + 1);
}

test.beforeAll(async ({ slowFarm }) => {
  test.setTimeout(180_000);
  folder = await mkdtemp(join(tmpdir(), "gleaner-updates-"));
  releases = join(folder, "releases");
  await mkdir(releases);
  server = await serveReleases(releases);
  const key = await makeReleaseKey(join(folder, "key.pem"));
  await makeReleaseKey(join(folder, "other-key.pem"));
  const packed = await packWithUpdates(join(folder, "dist"), {
    server: server.url,
    key,
    lookEverySeconds: 1,
  });
  await makeAppImage(imageOf(first), packed);
  await makeAppImage(imageOf(second), await withVersion(packed, second, join(folder, "second")));
  await makeBrokenAppImage(imageOf(broken), join(folder, "starts"));
  installed = join(folder, "home/Gleaner.AppImage");
  await cp(imageOf(first), installed);

  data = join(slowFarm.folder.donorFolder, "updates");
  const code = await slowFarm.setup.issueEnrollmentCode(slowFarm.organization.organizationId, "updates");
  const manifest = join(slowFarm.modelFolder ?? "", "manifest.json");
  const args = ["--hidden", "--unattended", "--data", data, "--backend", slowFarm.backend.url];
  program = spawn(installed, [...args, "--name", "updates", "--model", manifest, "--donate-now", "60"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, GLEANER_CODE: code, GLEANER_THREADS: "1", XDG_CACHE_HOME: join(folder, "cache") },
  });
  for (const stream of [program.stdout, program.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => (log += text));
  }
});

test.afterAll(async () => {
  const pid = (await status())?.pid;
  if (pid !== undefined) process.kill(pid, "SIGTERM");
  await expect.poll(runningVersion, patient).toBeNull();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

test("a release is not taken before its stage, or without the signature of its makers", async () => {
  await expect.poll(runningVersion, patient).toBe(first);
  await publish(second, 0);
  await untilLooked();
  await publish(second, 100, join(folder, "other-key.pem"));
  await untilLooked();
  expect(log).toContain("update.not-signed");
  expect(server.asked(`Gleaner-${second}.AppImage`)).toBe(0);
  expect(await runningVersion()).toBe(first);
});

test("a new version waits for the job, and is installed after it", async ({ slowFarm }) => {
  await expect.poll(async () => (await status())?.activity.kind, patient).toBe("donating");
  const job = async (): Promise<unknown> => (await status())?.job;
  const tokens = await tokensLasting(slowFarm, 5);
  // The job of the measurement, too, is over.
  await expect.poll(job, patient).toBeNull();
  const answer = askFor(slowFarm, "How are you?", undefined, tokens);
  await expect.poll(job, patient).toMatchObject({ modelId: slowFarm.modelId });
  await publish(second, 100);
  await expect.poll(() => log, patient).toContain("update.ready");
  expect(await status()).toMatchObject({ version: first, job: { modelId: slowFarm.modelId } });
  expect((await answer).length).toBeGreaterThan(0);

  await expect.poll(runningVersion, patient).toBe(second);
  await expect
    .poll(() => readFileSync(installed, "utf8"), patient)
    .toBe(readFileSync(imageOf(second), "utf8"));
  // The first version ends once the second one has reached the backend.
  await expect.poll(() => program.exitCode, patient).toBe(0);
  expect(await status()).toMatchObject({ device: "updates", connection: "online" });
});

test("a version that cannot start is rolled back, not tried again, and named in the console", async ({
  slowFarm,
}) => {
  const device = await inConsole(slowFarm);
  expect(await device.read()).toEqual({ version: second, rolledBackVersion: null });
  await publish(broken, 100);
  const rolledBack = (): unknown =>
    (JSON.parse(readFileSync(join(data, "updates.json"), "utf8")) as { rolledBack: unknown }).rolledBack;
  await expect.poll(rolledBack, patient).toBe(broken);
  await expect.poll(runningVersion, patient).toBe(second);
  await untilLooked();
  expect(await readFile(join(folder, "starts"), "utf8")).toBe("started\n".repeat(2));
  expect(readFileSync(installed, "utf8")).toBe(readFileSync(imageOf(second), "utf8"));
  expect(existsSync(join(folder, "home/.Gleaner.AppImage.next"))).toBe(false);
  await expect.poll(async () => (await status())?.activity.kind, patient).toBe("donating");
  await expect.poll(device.read, patient).toEqual({ version: second, rolledBackVersion: broken });
  expect(await device.namesThatWentBack()).toEqual(["updates"]);
});
