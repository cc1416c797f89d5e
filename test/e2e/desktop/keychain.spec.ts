import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { paths } from "../../../launch/core/paths.ts";
import { startDesktop } from "../support/desktop.ts";
import { expect, test } from "../support/farm-test.ts";
import { hasKeyring, startKeyring, startWithKeyring } from "../support/keyring.ts";

const inFile = "This system offers no keychain, so this computer’s key is in a file that only you can read.";
const inKeychain = "This computer’s key is encrypted with your keychain.";

async function openAbout(window: Page): Promise<void> {
  await expect(window.getByText("Demo organization")).toBeVisible();
  await window.getByRole("tab", { name: "About" }).click();
}

test("the key moves from a file to the system's keychain, and no other program reads it there", async ({
  farm,
}) => {
  const name = "keychain";
  const folder = join(farm.folder.donorFolder, name);
  const file = join(folder, "device.json");
  const code = await farm.setup.issueEnrollmentCode(farm.organization.organizationId, name);
  const args = ["--data", folder, "--backend", farm.backend.url, "--name", name];
  const plain = await startDesktop(args, { GLEANER_CODE: code });
  const executable = await plain.evaluate(() => process.execPath);
  const window = await plain.firstWindow();
  await openAbout(window);
  await expect(window.getByText(inFile)).toBeVisible();
  await plain.close();
  const { deviceKey } = JSON.parse(await readFile(file, "utf8")) as { deviceKey: string };
  expect(deviceKey).toMatch(/^gd_/);

  test.skip(!hasKeyring(), "gnome-keyring-daemon is not installed");
  const keys = await mkdtemp(join(tmpdir(), "gleaner-keyring-"));
  const keyring = await startKeyring(keys);
  for (const start of ["the first", "the second"]) {
    const app = await startWithKeyring(executable, args);
    await openAbout(app.window);
    await expect(app.window.getByText(inKeychain), `${start} start`).toBeVisible();
    await app.stop();
    const text = await readFile(file, "utf8");
    expect(text).toContain('"sealed"');
    expect(text).not.toContain(deviceKey);
  }
  const headless = spawnSync(process.execPath, [paths.headlessEntry, ...args], {
    encoding: "utf8",
    timeout: 20_000,
  });
  expect(headless).toMatchObject({ status: 1 });
  expect(headless.stderr).toContain("encrypted with its user's keychain, which cannot be used here");
  expect(await readFile(file, "utf8")).toContain('"sealed"');
  keyring.stop();
  await rm(keys, { recursive: true, force: true });
});
