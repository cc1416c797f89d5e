import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { type Browser, chromium, type ElectronApplication, type Page } from "@playwright/test";
import { appLink, joinLink } from "../../../app/join-link.ts";
import { announceServer } from "../../../launch/backend/announce.ts";
import { startBackend } from "../../../launch/backend/backend.ts";
import { openDataFolder } from "../../../launch/core/data-folder.ts";
import type { Farm } from "../../../launch/farm/farm.ts";
import { readDemoModel } from "../../../launch/organization/demo-model.ts";
import { makeSecret } from "../../../launch/organization/secrets.ts";
import { Setup } from "../../../launch/organization/setup.ts";
import { requireChromium } from "../../../scripts/browser.ts";
import { freePorts } from "../../launch/free-port.ts";
import { signIn } from "../support/console.ts";
import { startDesktop } from "../support/desktop.ts";
import { expect, test } from "../support/farm-test.ts";
import { invite, join as joinConsole } from "../support/people.ts";

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

/** Closes the only window, and so ends the program: there is no tray yet. */
async function closeWindow(app: ElectronApplication, window: Page): Promise<void> {
  const exited = new Promise((resolve) => app.process().once("exit", resolve));
  await window.evaluate(() => close()).catch(() => undefined);
  await exited;
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

/** A program in the place of the system's, which hands an address to the browser. It writes the last one to a file. */
async function browserStarter(farm: Farm, name: string) {
  const folder = join(farm.folder.donorFolder, `${name}-bin`);
  const file = join(folder, "opened");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "xdg-open"), `#!/bin/sh\nprintf %s "$1" > ${file}\n`);
  await chmod(join(folder, "xdg-open"), 0o755);
  return {
    path: `${folder}:${process.env["PATH"] ?? ""}`,
    opened: () => readFile(file, "utf8").catch(() => ""),
  };
}

/** Begins a sign-in at the farm. Resolves to the number that the page in the browser has to show. */
async function beginSignIn(window: Page, farm: Farm): Promise<string> {
  await window.getByRole("button", { name: "Sign in to your organization" }).click();
  await window.getByLabel("Server’s address").fill(farm.backend.url);
  await window.getByRole("button", { name: "Open the sign-in page" }).click();
  await expect(window.getByRole("heading", { name: "Confirm this computer in your browser" })).toBeVisible();
  return await window.getByText(/^\d{3} \d{3}$/).innerText();
}

const shownAddress = async (window: Page): Promise<string> =>
  (await window.getByText("#/enroll-device?").innerText()).replace(/\s|\u200b/g, "");

test.describe("a member signs in", () => {
  let browser: Browser;
  let donor: Page;
  test.beforeAll(async ({ farm }) => {
    const args = ["--no-sandbox", "--disable-gpu"];
    browser = await chromium.launch({ executablePath: requireChromium(), args });
    const owner = await browser.newPage();
    await signIn(owner, farm);
    donor = await joinConsole(browser, await invite(owner, "Dora", ["Donor"]), "Dora");
    await owner.close();
  });
  test.afterAll(async () => await browser.close());

  test("and confirms the computer in a browser, so it joins without a link or a code", async ({ farm }) => {
    const name = "first-run-sign-in";
    const starter = await browserStarter(farm, name);
    const args = ["--data", folderOf(farm, name), "--name", name];
    const app = await startDesktop(args, { PATH: starter.path });
    const window = await app.firstWindow();
    const number = await beginSignIn(window, farm);
    await expect.poll(starter.opened).toContain("#/enroll-device?");
    const address = await starter.opened();
    expect(address).toBe(await shownAddress(window));
    // A page that is loaded again waits for the same confirmation.
    await window.reload();
    await expect(window.getByText(number)).toBeVisible();

    await donor.goto(address);
    await expect(
      donor.getByRole("heading", { name: "Let this computer join Demo organization?" }),
    ).toBeVisible();
    await expect(donor.getByText(name, { exact: true })).toBeVisible();
    await expect(donor.getByText(number)).toBeVisible();
    await donor.getByRole("button", { name: "The number is the same" }).click();
    await expect(donor.getByRole("heading", { name: `${name} is confirmed` })).toBeVisible();

    await expect(window.getByText("Dora", { exact: true })).toBeVisible();
    await agree(window, name);
    await donor.getByRole("link", { name: "Open the console" }).click();
    await expect(donor.getByText(name)).toBeVisible();
    await app.close();
    expect(await readFile(join(folderOf(farm, name), "device.json"), "utf8")).not.toContain("GLN-");
  });

  test("and the computer goes back to its form after a cancel, and joins after a restart", async ({
    farm,
  }) => {
    const name = "first-run-sign-in-again";
    const args = ["--data", folderOf(farm, name), "--name", name];
    // No program here opens a browser, so the person copies the address.
    const env = { PATH: join(farm.folder.donorFolder, "nothing") };
    const first = await startDesktop(args, env);
    const window = await first.firstWindow();
    const number = await beginSignIn(window, farm);
    const address = await shownAddress(window);
    await donor.goto(address);
    await donor.getByRole("button", { name: "Cancel" }).click();
    await expect(donor.getByRole("heading", { name: "Nothing was confirmed" })).toBeVisible();
    await expect(window.getByText("Waiting for your confirmation")).toBeVisible();
    await window.getByRole("button", { name: "Back" }).click();
    await expect(window.getByLabel("Server’s address")).toHaveValue(farm.backend.url);
    await window.getByRole("button", { name: "Open the sign-in page" }).click();
    await expect(window.getByText(/^\d{3} \d{3}$/)).not.toHaveText(number);
    await closeWindow(first, window);

    const again = await startDesktop(args, env);
    const page = await again.firstWindow();
    await beginSignIn(page, farm);
    await donor.goto(await shownAddress(page));
    await donor.getByRole("button", { name: "The number is the same" }).click();
    await agree(page, name);
    await again.close();
  });
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

test("it joins a server that the network offers, once its person has compared the key", async ({ farm }) => {
  const name = "first-run-offered";
  const folder = await openDataFolder(folderOf(farm, `${name}-server`));
  const port = await freePorts(2);
  const options = { host: "0.0.0.0", port, sitePort: port + 1, console: false };
  const backend = await startBackend(folder, makeSecret("gleaner|"), options);
  const pin = backend.certificate?.pin ?? "";
  const setup = new Setup(backend);
  const organization = "Offered organization";
  const { enrollmentCode } = await setup.createOrganization(organization, await readDemoModel());
  const announcement = announceServer({ organization, url: backend.publicUrl, pin });
  const app = await startDesktop(["--data", folderOf(farm, name), "--name", name]);
  const window = await app.firstWindow();
  await window.getByRole("button", { name: `Gleaner at ${organization}` }).click();
  await expect(window.getByLabel("Server’s address")).toHaveValue(backend.publicUrl);
  await window.getByRole("button", { name: "Sign in to your organization" }).click();
  await window.getByRole("button", { name: "Open the sign-in page" }).click();
  await window.getByRole("button", { name: "The key is the same" }).click();
  const page = `https://${new URL(backend.publicUrl).hostname}:${String(port + 1)}/console/#/enroll-device?`;
  expect(await shownAddress(window)).toContain(page);
  await window.getByRole("button", { name: "Back" }).click();
  await window.getByRole("button", { name: "I have a code instead" }).click();
  await window.getByLabel("Code", { exact: true }).fill(enrollmentCode);
  await window.getByRole("button", { name: "Continue" }).click();
  await expect(window.getByText(pin)).toBeVisible();
  await window.getByRole("button", { name: "The key is the same" }).click();
  await expect(window.getByRole("heading", { name: `Join ${organization}?` })).toBeVisible();
  await expect(window.getByText("the key that you compared")).toBeVisible();
  await window.getByRole("button", { name: "Join", exact: true }).click();
  await expect(window.getByRole("heading", { name, exact: true })).toBeVisible();
  await expect(window.getByText(organization)).toBeVisible();
  await app.close();
  await announcement.stop();
  // It knows the server and its key without the announcement.
  const again = await startDesktop(["--data", folderOf(farm, name), "--name", name]);
  await expect((await again.firstWindow()).getByText(organization)).toBeVisible();
  await again.close();
  await backend.child.stop();
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
  await closeWindow(app, window);
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
