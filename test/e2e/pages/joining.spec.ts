import { expect, test } from "../support/farm-test.ts";

test("a link shows how to join to somebody without an account, and its command joins", async ({
  farm,
  page,
}) => {
  const code = await farm.setup.issueEnrollmentCode(farm.organization.organizationId, "linked");
  await page.goto(`${farm.backend.siteUrl}/console/#join=${code}`);
  await expect(page.getByRole("heading", { name: "Let this computer join" })).toBeVisible();
  const command = await page.locator("code", { hasText: "npm run donate" }).innerText();
  const [, given = "", backendUrl = ""] =
    /GLEANER_CODE=(\S+) npm run donate -- --backend (\S+)/.exec(command.replace(/\u200b/g, "")) ?? [];
  expect(backendUrl).toBe(farm.backend.url);
  const reports: string[] = [];
  const donor = await farm.startDonor("linked", {
    enrollmentCode: given,
    backendUrl,
    onMembership: (report) => reports.push(JSON.stringify(report)),
  });
  await expect.poll(() => reports.at(-1)).toContain("Demo organization");
  await donor.stop();
});

test("a link that is no code shows no command", async ({ farm, page }) => {
  await page.goto(`${farm.backend.siteUrl}/console/#join=$(id)`);
  await expect(page.getByRole("heading", { name: "Sign in to your organization" })).toBeVisible();
  await expect(page.getByText("npm run donate")).toHaveCount(0);
});
