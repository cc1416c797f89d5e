import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { identityFileName } from "../../../main/donor/organization/identity.ts";
import { allRules, findingsOf } from "../support/axe.ts";
import { askFor, expect, test } from "../support/farm-test.ts";

test.use({ viewport: { width: 420, height: 640 }, permissions: ["clipboard-read", "clipboard-write"] });

test("About shows the diagnostics before it copies them, and no secret of the donor is in them", async ({
  farm,
  page,
}) => {
  const code = await farm.setup.issueEnrollmentCode(farm.organization.organizationId, "about");
  const donor = await farm.startDonor("about", { enrollmentCode: code });
  const panelUrl = String(donor.ready["panelUrl"]);
  await page.goto(panelUrl);
  const prompt = "What is the capital of Greece?";
  const answer = await askFor(farm, prompt);

  await openTab(page, "About");
  await expect(page.getByRole("region", { name: "About Gleaner" })).toContainText("background service");
  await page.getByRole("button", { name: "Show diagnostics" }).click();
  const shown = page.getByRole("group", { name: "The text of the diagnostics" });
  await expect(shown).toContainText(`Backend: ${farm.backend.url}`);
  const text = await shown.innerText();
  for (const words of ["Connection: Connected", "gleaner-demo: Ready", "Memory:", "Reason: donate-now"]) {
    expect(text).toContain(words);
  }
  const device = await readFile(join(farm.folder.donorFolder, "about", identityFileName), "utf8");
  const { deviceKey, signingKey } = JSON.parse(device) as Readonly<Record<string, string>>;
  const token = new URLSearchParams(new URL(panelUrl).hash.slice(1)).get("token");
  for (const secret of [
    deviceKey,
    signingKey,
    token,
    code,
    farm.organization.apiKey,
    farm.adminKey,
    prompt,
    answer,
  ]) {
    expect(secret?.length).toBeGreaterThan(10);
    expect(text).not.toContain(secret);
  }
  expect(await findingsOf(page, allRules)).toEqual([]);

  // The button has the focus.
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status").filter({ hasText: "Diagnostics copied." })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await shown.textContent());
  await donor.stop();
});

async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole("tab", { name }).click();
}
