import type { Page } from "@playwright/test";
import { askFor, expect, test } from "../support/farm-test.ts";

const question = "What is the capital of Greece?";
const answer = "The capital of Greece is Athens.";

test.use({ viewport: { width: 420, height: 640 } });

test("the panel shows the activity, the jobs and their earnings", async ({ farm, page }) => {
  const donor = await farm.startDonor("panel-1");
  await page.goto(String(donor.ready["panelUrl"]));
  await expect(status(page)).toContainText("“Donate now” is on");
  await expect(page.getByText("Demo organization")).toBeVisible();

  expect(await askFor(farm, question)).toBe(answer);

  await page.getByRole("tab", { name: "History" }).click();
  const row = page.getByRole("option", { name: /gleaner-demo/ }).first();
  await expect(row).toContainText("gleaner-demo");
  await expect(row).toContainText(/\+[\d.]+ m?cr/);
  await row.click();
  await expect(page.getByTestId("job-detail")).toContainText(/tokens in × .* out ×/);
  await donor.stop();
});

test("a pause set with the keyboard stops the jobs and shows its reason", async ({ farm, page }) => {
  const donor = await farm.startDonor("panel-2");
  await page.goto(String(donor.ready["panelUrl"]));
  await expect(status(page)).toContainText("“Donate now” is on");

  await page.getByRole("button", { name: "Pause" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Until I resume" }).waitFor();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await expect(status(page)).toContainText("Paused by you");

  let answered = false;
  const asked = askFor(farm, question).then((text) => {
    answered = true;
    return text;
  });
  await page.waitForTimeout(1_500);
  expect(answered).toBe(false);

  await page.getByRole("button", { name: "Resume" }).focus();
  await page.keyboard.press("Enter");
  // Headless and unattended: it donates at any time unless other programs use the processor.
  await page.getByRole("button", { name: /Donate now/ }).click();
  expect(await asked).toBe(answer);
  await donor.stop();
});

test("a wrong enrollment code is explained, and a valid one joins the organization", async ({
  farm,
  page,
}) => {
  const donor = await farm.startDonor("panel-3", { enrollmentCode: null });
  await page.goto(String(donor.ready["panelUrl"]));
  await expect(status(page)).toContainText("Not enrolled");

  await page.getByLabel("Enrollment code").fill("GLN-0000-0000-0000");
  await page.getByRole("button", { name: "Join" }).click();
  await expect(page.getByLabel("Enrollment code")).toHaveAccessibleDescription(/code is not known/);
  await expect(status(page)).toContainText("This enrollment code is not known.");

  const code = await farm.setup.issueEnrollmentCode(farm.organization.organizationId, "panel-3");
  await page.getByLabel("Enrollment code").fill(code.toLowerCase());
  await page.getByRole("button", { name: "Join" }).click();
  await expect(page.getByText("Demo organization")).toBeVisible();
  await donor.stop();
});

test("the panel works only at the printed address, and only in the tab that opened it", async ({
  farm,
  page,
  context,
}) => {
  const donor = await farm.startDonor("panel-4");
  const url = new URL(String(donor.ready["panelUrl"]));
  await page.goto(url.href);
  await expect(status(page)).toContainText("“Donate now” is on");
  expect(page.url()).not.toContain("token");
  await page.reload();
  await expect(status(page)).toContainText("“Donate now” is on");
  expect(await context.cookies()).toEqual([]);

  const other = await context.newPage();
  await other.goto(url.origin);
  await expect(other.getByText("Open the printed address")).toBeVisible();
  await other.goto("about:blank");
  const opened = await other.evaluate(
    (address) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(address);
        socket.onopen = () => resolve("open");
        socket.onerror = () => resolve("refused");
      }),
    `ws://${url.host}/bridge`,
  );
  expect(opened).toBe("refused");
  await donor.stop();
});

test("the panel shows a lost connection to the donor", async ({ farm, page }) => {
  const donor = await farm.startDonor("panel-5");
  await page.goto(String(donor.ready["panelUrl"]));
  await expect(status(page)).toContainText("“Donate now” is on");
  donor.kill();
  await expect(page.getByText(/connection|not running|stopped|lost/i).first()).toBeVisible();
});

function status(page: Page) {
  return page.getByRole("region", { name: "Status" });
}
