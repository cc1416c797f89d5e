import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { start, type Started } from "./deployment.fixture.ts";

let folder: string;
let started: Started[] = [];

const donor = async (backend = ["--backend", "http://127.0.0.1:9"]): Promise<Started> => {
  const one = await start(["main/headless.ts", "--data", folder, ...backend, "--with-parent"]);
  started.push(one);
  return one;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-headless-"));
});
afterEach(async () => {
  for (const { process, exited } of started) {
    process.kill("SIGKILL");
    await exited;
  }
  started = [];
  await rm(folder, { recursive: true });
});

it("refuses to start in a folder that another donor uses, but starts after its crash or stop", async () => {
  const first = await donor();
  await expect(donor()).rejects.toThrow(/ended with 1:\nAnother Gleaner already uses this folder/);
  first.process.kill("SIGKILL");
  await first.exited;
  const second = await donor();
  second.process.kill("SIGTERM");
  await second.exited;
  expect(await readdir(folder)).not.toContain("gleaner.lock");
});

it("starts without an address only if the device enrolled at one before", async () => {
  await expect(donor([])).rejects.toThrow(/ended with 64:\n--backend: has to be the http or https address/);
  const enrolment = { deviceId: "d1", organizationName: "Acme", server: "http://127.0.0.1:9" };
  const deviceKey = `gd_${"a".repeat(43)}`;
  await writeFile(join(folder, "device.json"), JSON.stringify({ version: 1, deviceKey, enrolment }));
  await donor([]);
});
