import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { allRules, findingsOf } from "../support/axe.ts";
import { askFor, expect, test } from "../support/farm-test.ts";
import { type Gallery, openStory, startGallery, themes } from "../support/gallery.ts";

// It counts the jobs of its farm.
test.use({ farmName: "panel-jobs", viewport: { width: 420, height: 640 } });

/** Jobs are counted each minute, and the newest half minute waits for the next count. */
const counted = { timeout: 150_000 };

test("a donor sees what their computer earned, and how the pay of each job was calculated", async ({
  farm,
  page,
}) => {
  test.setTimeout(300_000);
  const donor = await farm.startDonor("jobs");
  await page.goto(String(donor.ready["panelUrl"]));
  const prompt = "What is the capital of Greece?";
  const answer = await askFor(farm, prompt);

  await openTab(page, "History");
  const jobs = page.getByRole("listbox", { name: /^Jobs/ });
  await expect(jobs.getByRole("option")).toHaveCount(1);
  // A new job appears by itself.
  await askFor(farm, "What is the capital of France?");
  await expect(jobs.getByRole("option")).toHaveCount(2);
  await jobs.focus();
  await page.keyboard.press("End");
  const active = await jobs.getAttribute("aria-activedescendant");
  await expect(page.locator(`[id="${String(active)}"]`)).toHaveAttribute("aria-selected", "true");
  await expect(page.locator(`[id="${String(active)}"]`)).toHaveAttribute("aria-setsize", "2");
  await expect(page.getByTestId("job-detail")).toContainText(
    /\d+ tokens in × [\d.]+ \+ \d+ out × [\d.]+ credits per 1,000/,
  );
  await expect(page.getByTestId("job-detail")).toContainText(/Energy: [\d.]+ m?Wh, (measured|estimated)/);
  await expectAccessible(page);
  const text = await page.locator("body").innerText();
  for (const secret of [prompt, answer]) expect(text).not.toContain(secret);

  await page.getByRole("combobox", { name: "Outcome" }).selectOption("Failed");
  await expect(page.getByText("No such jobs")).toBeVisible();
  await page.getByRole("combobox", { name: "Outcome" }).selectOption("Done");
  await expect(jobs.getByRole("option")).toHaveCount(2);
  await page.getByRole("searchbox", { name: "Model" }).fill("another model");
  await expect(page.getByText("No such jobs")).toBeVisible();
  await page.getByRole("searchbox", { name: "Model" }).fill(farm.modelId.slice(2).toUpperCase());
  await expect(jobs.getByRole("option")).toHaveCount(2);
  await page.getByLabel("Last day").fill("2020-01-01");
  await expect(page.getByText("No such jobs")).toBeVisible();
  await page.getByRole("button", { name: "Show all jobs" }).click();
  await expect(page.getByRole("searchbox", { name: "Model" })).toHaveValue("");
  await expect(jobs.getByRole("option")).toHaveCount(2);

  await openTab(page, "Earnings");
  const day = page.getByRole("table", { name: "Earnings" }).getByRole("row").nth(1);
  await expect(day.getByRole("cell", { name: "2", exact: true })).toBeVisible(counted);
  await expect(page.getByText("2 jobs")).toHaveCount(4);
  await expect(page.getByRole("img", { name: /^Credits earned/ }).locator("canvas")).toBeVisible();
  await page.getByText("How these numbers are known").click();
  await expect(page.getByText(/^Energy: (Estimated from the hardware|Meters counted)/)).toBeVisible();
  await expectAccessible(page);
  await expect(page.getByRole("list", { name: "Standing by model" })).toContainText("gleaner-demo");
  await page.getByRole("combobox", { name: "Time" }).selectOption("By month");
  await expect(day.getByRole("cell", { name: "2", exact: true })).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  const [, line = ""] = (await readFile(await download.path(), "utf8")).split("\r\n");
  // Its energy is measured or not, and nobody has told what carbon a kilowatt-hour has.
  expect(line).toMatch(/^\d{4}-\d\d-01,\d{4}-\d\d-\d\d,2,\d+,\d+,[\d.]+,0\.\d+,[\d.]+,,[\d.]+$/);

  await day.getByRole("button", { name: /^Jobs/ }).click();
  await expect(page.getByRole("tab", { name: "History" })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByLabel("First day")).toHaveValue(/^\d{4}-\d\d-01$/);
  await expect(jobs.getByRole("option")).toHaveCount(2);
  await donor.stop();
});

test.describe("a long history", () => {
  let gallery: Gallery;
  test.beforeAll(async () => {
    gallery = await startGallery();
  });
  test.afterAll(() => gallery.close());
  test.use({ bypassCSP: true });

  test("of 100,000 jobs scrolls to its end and back, with a few rows in the page", async ({ page }) => {
    test.setTimeout(180_000);
    await openStory(page, gallery, "panel-history-long", "light");
    const jobs = page.getByRole("listbox", { name: /^Jobs/ });
    const options = jobs.getByRole("option");
    await expect(options.first()).toHaveAttribute("aria-setsize", "-1");
    await expect
      .poll(
        async () => {
          await jobs.evaluate((box) => {
            box.scrollTop = box.scrollHeight;
          });
          return await options.last().getAttribute("aria-setsize");
        },
        { intervals: [0, 20], timeout: 120_000 },
      )
      .toBe("100000");
    await jobs.focus();
    await page.keyboard.press("End");
    await expect(options.last()).toHaveAttribute("aria-posinset", "100000");
    await expect(options.last()).toHaveAttribute("aria-selected", "true");
    expect(await options.count()).toBeLessThan(40);
    await expectAccessible(page);
    await page.keyboard.press("Home");
    await expect(options.first()).toHaveAttribute("aria-posinset", "1");
    await expect(options.first()).toContainText("gleaner-demo");
    expect(await options.count()).toBeLessThan(40);
  });

  test("the tabs stay in one row on a phone, and the keyboard reaches the last one", async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await openStory(page, gallery, "panel-working", "dark");
    const tabs = page.getByRole("tab");
    const tops = await tabs.evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    await tabs.first().focus();
    await page.keyboard.press("End");
    await expect(tabs.last()).toBeFocused();
    await expect(tabs.last()).toBeInViewport({ ratio: 1 });
    await page.keyboard.press("Home");
    await expect(tabs.first()).toBeInViewport({ ratio: 1 });
  });
});

async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    expect(await findingsOf(page, allRules)).toEqual([]);
  }
}

async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole("tab", { name }).click();
}
