import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Deployment, start, startDeployment } from "../deployment.fixture.ts";

/** A service: a donor without a panel, in which nobody could enter another code. */

let deployment: Deployment;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-join-"));
  deployment = await startDeployment("demo");
});
afterAll(async () => {
  await deployment.stop();
  await rm(folder, { recursive: true });
});

const service = (name: string, ...args: readonly string[]) =>
  start([
    ...["main/headless.ts", "--data", join(folder, name), "--backend", deployment.url],
    ...["--name", name, "--with-parent", ...args],
  ]);

it("ends with the code for wrong arguments if its enrollment code is refused, and says why", async () => {
  const { exited, lines } = await service("refused", "--code", "GLN-7K2M-9QXD-4WHT");
  expect(await exited).toBe(64);
  expect(lines).toContain(
    "This enrollment code is not known. Check it for typing errors, or ask for a new one.",
  );
});

it("keeps running with a refused code if a panel can take another one", async () => {
  const args = ["--code", "GLN-7K2M-9QXD-4WHT", "--panel-port", "0"];
  const { exited, lines, process } = await service("panel", ...args);
  await expect.poll(() => lines.join("\n")).toContain("code is not known");
  expect(await Promise.race([exited, Promise.resolve("running")])).toBe("running");
  process.kill("SIGTERM");
  expect(await exited).toBe(0);
});

it("keeps running with a refused code if its backend has forgotten the device", async () => {
  const member = await service("forgotten", "--code", "GLN-0000-1111-2222");
  await expect.poll(() => member.lines.join("\n")).toContain('"organization":"Test"');
  member.process.kill("SIGTERM");
  await member.exited;
  // A key that the backend does not know, as after a restore of an older backup.
  const file = join(folder, "forgotten", "device.json");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/"gd_[^"]+"/, `"gd_${randomBytes(32).toString("base64url")}"`));

  const { exited, lines, process } = await service("forgotten", "--code", "GLN-7K2M-9QXD-4WHT");
  await expect.poll(() => lines.join("\n")).toContain("code is not known");
  expect(await Promise.race([exited, sleep(1_000, "running")])).toBe("running");
  process.kill("SIGTERM");
  expect(await exited).toBe(0);
});
