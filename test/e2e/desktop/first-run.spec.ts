import { writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { appLink, joinLink } from "../../../app/join-link.ts";
import { announceServer } from "../../../launch/backend/announce.ts";
import type { Farm } from "../../../launch/farm/farm.ts";
import { startDesktop } from "../support/desktop.ts";
import { expect, test } from "../support/farm-test.ts";

test.describe.configure({ mode: "serial" });

const issueCode = (farm: Farm, label: string): Promise<string> =>
  farm.setup.issueEnrollmentCode(farm.organization.organizationId, label);

const folderOf = (farm: Farm, name: string): string => join(farm.folder.donorFolder, name);

/** Joins on the page that shows the organization, and waits for the panel. */
async function agree(window: Page, name: string): Promise<void> {
  await expect(window.getByRole("heading", { name: "Join Demo organization?" })).toBeVisible();
  await expect(window.getByText("Gleaner never")).toBeVisible();
  await window.getByRole("button", { name: "Join", exact: true }).click();
  await expect(window.getByRole("heading", { name, exact: true })).toBeVisible();
  await expect(window.getByText("Demo organization")).toBeVisible();
}

test("a computer that knows no server joins by a pasted link, and knows it after a restart", async ({
  farm,
}) => {
  const name = "first-run-link";
  const args = ["--data", folderOf(farm, name), "--name", name];
  const code = await issueCode(farm, name);
  const first = await startDesktop(args);
  const window = await first.firstWindow();
  await window.getByLabel("Invitation link").fill("https://example.org/");
  await window.getByRole("button", { name: "Continue" }).click();
  await expect(window.getByRole("alert")).toContainText("no invitation link");
  const url = farm.backend.url;
  await window
    .getByLabel("Invitation link")
    .fill(joinLink(`${farm.backend.siteUrl}/console/`, { code, url, pin: null }));
  await window.keyboard.press("Enter");
  await agree(window, name);
  await first.close();

  const again = await startDesktop(args);
  const panel = await again.firstWindow();
  await expect(panel.getByRole("heading", { name, exact: true })).toBeVisible();
  await expect(panel.getByText("Demo organization")).toBeVisible();
  await again.close();
});

test("it joins by an address and a code, and says what is wrong with either", async ({ farm }) => {
  const name = "first-run-code";
  const code = await issueCode(farm, name);
  const app = await startDesktop(["--data", folderOf(farm, name), "--name", name]);
  const window = await app.firstWindow();
  await window.getByRole("button", { name: "I have a code instead" }).click();
  const address = window.getByLabel("Server’s address");
  const codeField = window.getByLabel("Code", { exact: true });
  const next = window.getByRole("button", { name: "Continue" });
  await address.fill("http://127.0.0.1:1");
  await codeField.fill(code);
  await next.click();
  await expect(window.getByRole("alert")).toContainText("127.0.0.1:1 cannot be reached: connection refused");
  await address.fill(farm.backend.url);
  await codeField.fill("GLN-2222-2222-2222");
  await next.click();
  await expect(window.getByRole("alert")).toContainText("This enrollment code is not known");
  await address.fill("http://192.0.2.1:3210");
  await next.click();
  await expect(window.getByRole("heading", { name: "This connection is not encrypted" })).toBeVisible();
  await window.getByRole("button", { name: "Back" }).click();
  await address.fill(farm.backend.url);
  await codeField.fill(code);
  await next.click();
  await agree(window, name);
  await app.close();
});

test("it sends nothing to an announced server before its person has compared the key", async ({ farm }) => {
  const name = "first-run-unconfirmed";
  let connections = 0;
  const stranger = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  const { port } = stranger.address() as AddressInfo;
  const pin = `sha256:${"ab".repeat(32)}`;
  const url = `https://127.0.0.1:${String(port)}`;
  const announcement = announceServer({ organization: "A stranger", url, pin });
  const app = await startDesktop(["--data", folderOf(farm, name), "--name", name]);
  const window = await app.firstWindow();
  await window.getByRole("button", { name: "Gleaner at A stranger" }).click();
  await window.getByLabel("Code", { exact: true }).fill("GLN-2222-2222-2222");
  await window.getByRole("button", { name: "Continue" }).click();
  await expect(window.getByRole("heading", { name: "Is this your organization’s server?" })).toBeVisible();
  await expect(window.getByText(pin)).toBeVisible();
  expect(connections).toBe(0);
  await window.getByRole("button", { name: "The key is the same" }).click();
  await expect(window.getByRole("alert")).toBeVisible();
  expect(connections).toBeGreaterThan(0);
  await app.close();
  await announcement.stop();
  stranger.close();
});

test("a link opens the page with the invitation, and nothing is joined without consent", async ({ farm }) => {
  const name = "first-run-app-link";
  const code = await issueCode(farm, name);
  const link = appLink({ code, url: farm.backend.url, pin: null });
  const app = await startDesktop(["--data", folderOf(farm, name), "--name", name, link]);
  const window = await app.firstWindow();
  await expect(window.getByLabel("Invitation link")).toHaveValue(link);
  await window.getByRole("button", { name: "Continue" }).click();
  await expect(window.getByRole("heading", { name: "Join Demo organization?" })).toBeVisible();
  await window.getByRole("button", { name: "Back" }).click();
  await expect(window.getByLabel("Invitation link")).toHaveValue(link);
  const exited = new Promise((resolve) => app.process().once("exit", resolve));
  await window.evaluate(() => close()).catch(() => undefined);
  await exited;
  // The code was not used up.
  const again = await startDesktop(["--data", folderOf(farm, name), "--name", name, link]);
  const page = await again.firstWindow();
  await page.getByRole("button", { name: "Continue" }).click();
  await agree(page, name);
  await again.close();
});

test("managed settings let it join without a click, and lock rules", async ({ farm }) => {
  const name = "managed-code";
  const file = join(farm.folder.donorFolder, `${name}.json`);
  const code = await issueCode(farm, name);
  const settings = { server: farm.backend.url, code, rules: { quiet: true } };
  await writeFile(file, JSON.stringify(settings));
  const app = await startDesktop(["--data", folderOf(farm, name), "--name", name], { GLEANER_MANAGED: file });
  const window = await app.firstWindow();
  await expect(window.getByRole("heading", { name, exact: true })).toBeVisible();
  await expect(window.getByText("Demo organization")).toBeVisible();
  await window.getByRole("tab", { name: "Settings" }).click();
  await window.getByText("Power and heat").click();
  const quiet = window.getByRole("group", { name: "Quiet" });
  await expect(quiet).toContainText("Set by this computer’s administrator");
  await expect(quiet.getByRole("switch")).toHaveCount(0);
  await app.close();
});

test("managed settings without a code ask only for one, and allow no other server", async ({ farm }) => {
  const name = "managed-server";
  const file = join(farm.folder.donorFolder, `${name}.json`);
  await writeFile(file, JSON.stringify({ server: farm.backend.url }));
  const app = await startDesktop(["--data", folderOf(farm, name), "--name", name], { GLEANER_MANAGED: file });
  const window = await app.firstWindow();
  await expect(window.getByText(farm.backend.url)).toBeVisible();
  await expect(window.getByLabel("Server’s address")).toHaveCount(0);
  await window.getByRole("button", { name: "I have a link" }).click();
  const other = appLink({ code: "GLN-2222-2222-2222", url: "https://other.example", pin: null });
  await window.getByLabel("Invitation link").fill(other);
  await window.getByRole("button", { name: "Continue" }).click();
  await expect(window.getByRole("alert")).toContainText("allows no other server");
  await window.getByRole("button", { name: "I have a code instead" }).click();
  await window.getByLabel("Code", { exact: true }).fill(await issueCode(farm, name));
  await window.getByRole("button", { name: "Continue" }).click();
  await agree(window, name);
  await app.close();
});
