import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { aliveEveryMs } from "../../../app/policy/replay/replay.ts";
import { identityFileName } from "../../../main/donor/organization/identity.ts";
import type { JournalEntry } from "../../../main/journal/entry.ts";
import { journalFiles } from "../../../main/journal/journal.ts";
import { allRules, findingsOf } from "../support/axe.ts";
import { askFor, expect, test } from "../support/farm-test.ts";
import { themes } from "../support/gallery.ts";

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

test("Why shows when the donor donated in the week, when not, and the setting that changes it", async ({
  farm,
  page,
}) => {
  const folder = join(farm.folder.donorFolder, "why");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, journalFiles.current), journalOfYesterday());
  const donor = await farm.startDonor("why");
  await page.goto(String(donor.ready["panelUrl"]));
  await expect(page.getByRole("region", { name: "Status" })).toContainText("“Donate now” is on");
  await openTab(page, "Why");

  const week = page.getByRole("listbox", { name: /^The week/ });
  const detail = page.getByTestId("span-detail");
  await expect(week.getByRole("group")).toHaveCount(7);
  const yesterday = week.getByRole("group").nth(1);
  await expect(yesterday.getByRole("option", { name: /08:00–20:00: On battery/ })).toBeVisible();
  await expect(yesterday.getByRole("option", { name: /20:00–24:00: Not running/ })).toBeVisible();
  await yesterday.getByRole("option", { name: /On battery/ }).hover();
  await expect(detail).toContainText("This computer runs on battery.");
  await yesterday.getByRole("option", { name: /20:00–24:00/ }).click();
  await expect(detail).toContainText("it had been stopped");

  await week.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(detail).toContainText("08:00–20:00");
  const chosen = await week.getAttribute("aria-activedescendant");
  await expect(page.locator(`[id="${String(chosen)}"]`)).toHaveAccessibleName(/On battery/);
  await page.keyboard.press("ArrowDown");
  await expect(detail).toContainText("No record of this time");

  await page.getByText("As a table").click();
  await expect(page.getByRole("row", { name: /08:00–20:00 On battery/ })).toBeVisible();
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    expect(await findingsOf(page, allRules)).toEqual([]);
  }

  const reason = page
    .getByRole("list", { name: "Reasons" })
    .getByRole("listitem")
    .filter({ hasText: "On battery" });
  await expect(reason).toContainText("12h");
  await reason.getByRole("button", { name: "Setting “On battery”" }).press("Enter");
  await expect(page.getByRole("tab", { name: "Settings" })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("group", { name: "On battery" })).toBeFocused();
  await donor.stop();
});

/** A day on battery, from 8 to 20 o'clock. */
function journalOfYesterday(): string {
  const at = (hour: number): number => {
    const midnight = new Date();
    midnight.setDate(midnight.getDate() - 1);
    return midnight.setHours(hour, 0, 0, 0);
  };
  const signs: JournalEntry[] = [];
  for (let moment = at(8) + aliveEveryMs; moment < at(20); moment += aliveEveryMs) {
    signs.push({ kind: "facts", at: moment, facts: {} });
  }
  const entries: readonly JournalEntry[] = [
    { kind: "lifecycle", at: at(8), event: "start" },
    { kind: "activity", at: at(8), activity: "standby", reason: "on-battery", facts: {} },
    ...signs,
    { kind: "lifecycle", at: at(20), event: "stop" },
  ];
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole("tab", { name }).click();
}
