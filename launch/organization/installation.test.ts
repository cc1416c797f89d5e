import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ModelManifest } from "../../app/contract/model-manifest.ts";
import { type DataFolder, openDataFolder, readInstallation, writeInstallation } from "../core/data-folder.ts";
import { openInstallation } from "./installation.ts";
import type { Setup } from "./setup.ts";

type Organizations = Awaited<ReturnType<Setup["organizations"]>>;

let folder: DataFolder;
/** Its status for each call of the API. */
let status: number;
let server: Server;
let organizations: Organizations;

beforeEach(async () => {
  folder = await openDataFolder(await mkdtemp(join(tmpdir(), "gleaner-installation-")));
  status = 200;
  server = createServer((_request, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder.path, { recursive: true });
});

const named = (...names: readonly string[]): Organizations =>
  names.map((name) => ({ id: `id of ${name}`, name })) as unknown as Organizations;

async function open() {
  const setup = {
    organizations: () => Promise.resolve(organizations),
    createOrganization: (name: string) =>
      Promise.resolve({ organizationId: `id of ${name}`, apiKey: "first key" }),
    issueKey: (organizationId: string) => Promise.resolve(`new key of ${organizationId}`),
  } as unknown as Setup;
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return openInstallation(folder, setup, { url, pin: null }, "Acme", {} as ModelManifest);
}

async function installed(): Promise<void> {
  organizations = [];
  expect(await open()).toMatchObject({ firstRun: true, installation: { apiKey: "first key" }, note: null });
  organizations = named("Acme");
}

it("keeps the key that works", async () => {
  await installed();
  expect(await open()).toMatchObject({ firstRun: false, installation: { apiKey: "first key" }, note: null });
});

it("issues a new key if the kept one was revoked, also by a restore", async () => {
  await installed();
  status = 401;
  const opened = await open();
  expect(opened).toMatchObject({ firstRun: false, installation: { apiKey: "new key of id of Acme" } });
  expect(opened.note).toContain("had been revoked");
  expect(await readInstallation(folder)).toEqual(opened.installation);
});

it("uses the organization of a backup that another installation made, with a new key", async () => {
  await installed();
  organizations = named("Umbra", "Other");
  const opened = await open();
  expect(opened).toMatchObject({
    firstRun: true,
    installation: { organizationName: "Umbra", apiKey: "new key of id of Umbra" },
  });
  expect(opened.note).toContain("Umbra");
});

it("sets up a new organization in a new database", async () => {
  await writeInstallation(folder, {
    version: 1,
    organizationId: "gone" as Organizations[number]["id"],
    organizationName: "Gone",
    apiKey: "old key",
  });
  organizations = [];
  const opened = await open();
  expect(opened).toMatchObject({ firstRun: true, installation: { organizationName: "Acme" } });
  expect(opened.note).toContain("The database is new");
});
