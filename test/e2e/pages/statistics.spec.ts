import { parseExposition, valueOf } from "../../../app/statistics/parse-exposition.fixture.ts";
import { openPage, signIn } from "../support/console.ts";
import { askFor, expect, test } from "../support/farm-test.ts";

// On a shared farm, donors of other files' tests could answer for this test's donor.
test.use({ farmName: "statistics" });

test("an administrator sees statistics, and makes the token for Prometheus", async ({ farm, page }) => {
  // The count of each minute leaves the newest half minute for the next one.
  test.setTimeout(240_000);
  const counted = { timeout: 150_000 };
  const donor = await farm.startDonor("statistics-1");
  await askFor(farm, "What is the capital of Greece?");
  await askFor(farm, "What is the capital of France?");
  await signIn(page, farm);
  await openPage(page, "Statistics");
  await page.getByRole("combobox", { name: "Time" }).selectOption("Last hour");

  await page.getByRole("button", { name: "Create token" }).click();
  const dialog = page.getByRole("dialog");
  const token = /gm_[\w-]{43}/.exec(await dialog.innerText())?.[0] ?? "";
  await page.keyboard.press("Escape");
  await expect(page.getByText(/Its token was created/)).toBeVisible();
  const scrape = async (): Promise<Response> =>
    await fetch(`${farm.backend.siteUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  // On a busy machine the donor pauses between its jobs.
  await expect(async () => {
    const metrics = parseExposition(await (await scrape()).text());
    expect(valueOf(metrics, "gleaner_devices", { state: "donating" })).toBe(1);
  }).toPass(counted);

  const models = page.getByRole("table", { name: "Statistics by Model" });
  await expect(models.getByRole("row", { name: farm.modelId })).toContainText(/\d%/, counted);
  await expect(page.getByRole("img", { name: "Jobs", exact: true })).toBeVisible();
  await page.getByRole("region", { name: "Jobs", exact: true }).getByText("As a table").click();
  const points = page.getByRole("group", { name: "Jobs, as a table" });
  await expect(points.getByRole("columnheader")).toHaveText(["Time", "Answered", "Failed or expired"]);
  await expect(page.getByText("As a table")).toHaveCount(2);
  await page.getByRole("tab", { name: "Models" }).focus();
  await page.keyboard.press("ArrowLeft");
  const devices = page.getByRole("table", { name: "Statistics by Device" });
  await expect(devices.getByRole("row", { name: "statistics-1" })).toContainText("100%", counted);
  await page.keyboard.press("ArrowLeft");
  const keys = page.getByRole("table", { name: "Statistics by API key" });
  await expect(keys.getByRole("row", { name: "First requester" })).toContainText(/\d%/);

  await page.getByRole("button", { name: "Remove token" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("The token was removed.")).toBeVisible();
  expect((await scrape()).status).toBe(401);
  await donor.stop();
});
