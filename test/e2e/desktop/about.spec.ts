import { join } from "node:path";
import { root } from "../../../launch/core/paths.ts";
import { programVersion } from "../../../main/program-files.ts";
import { startDesktop } from "../support/desktop.ts";
import { expect, test } from "../support/farm-test.ts";

test("the window copies the diagnostics, although it may ask for no permission", async ({ farm }) => {
  const name = "about-desktop";
  const code = await farm.setup.issueEnrollmentCode(farm.organization.organizationId, name);
  const folder = join(farm.folder.donorFolder, name);
  const app = await startDesktop(["--data", folder, "--backend", farm.backend.url, "--name", name], {
    GLEANER_CODE: code,
  });
  const window = await app.firstWindow();
  await expect(window.getByText("Demo organization")).toBeVisible();
  await window.getByRole("tab", { name: "About" }).click();
  await window.getByRole("button", { name: "Show diagnostics" }).click();
  await app.evaluate(({ clipboard }) => clipboard.writeText("something else"));
  await window.getByRole("button", { name: "Copy diagnostics" }).click();
  await expect(window.getByText("Diagnostics copied.")).toBeVisible();
  const copied = await app.evaluate(({ clipboard }) => clipboard.readText());
  // Electron finds no version of a program that is not packed.
  expect(copied).toContain(`Version: ${programVersion(join(root, "package.json"))}`);
  expect(copied).toContain(`Backend: ${farm.backend.url}`);
  await app.close();
});
