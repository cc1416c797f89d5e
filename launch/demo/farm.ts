import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBackend, type Backend } from "../backend.ts";
import type { Child } from "../child.ts";
import { openDataFolder, type DataFolder } from "../data-folder.ts";
import { readDemoModel } from "../demo-model.ts";
import { startHeadlessDonor } from "../donor.ts";
import { Setup, type FirstOrganization } from "../organization.ts";
import { makeSecret } from "../secrets.ts";

/** A whole Gleaner of its own in a temporary folder, on free ports: nothing of it stays. */
export type Farm = {
  readonly backend: Backend;
  readonly setup: Setup;
  readonly organization: FirstOrganization;
  readonly modelId: string;
  readonly folder: DataFolder;
  /** Enrols a device of that name and starts its donor, with one thread for the model. */
  startDonor(name: string): Promise<Child>;
  /** SIGKILL to the backend, then a new one on the same file and ports. */
  crashBackend(): Promise<void>;
  close(): Promise<void>;
};

export async function startFarm(): Promise<Farm> {
  const model = await readDemoModel();
  const path = await mkdtemp(join(tmpdir(), "gleaner-farm-"));
  const folder = await openDataFolder(path);
  const adminKey = makeSecret("gleaner|");
  const donors: Child[] = [];
  let backend = await startBackend(folder, adminKey, { port: 0, sitePort: 0 }, { console: false });
  const setup = new Setup(backend);
  const organization = await setup.createOrganization("Demo organization", model);
  return {
    backend,
    setup,
    organization,
    modelId: model.id,
    folder,
    startDonor: async (name) => {
      const donor = await startHeadlessDonor({
        name,
        folder: join(folder.donorFolder, name),
        logFolder: folder.logFolder,
        backendUrl: backend.url,
        enrolmentCode: await setup.issueEnrolmentCode(organization.organizationId, name),
        panelPort: 0,
        unattended: true,
        donateNowMinutes: null,
        env: { GLEANER_THREADS: "1" },
      });
      donors.push(donor);
      return donor;
    },
    crashBackend: async () => {
      const ports = { port: portOf(backend.url), sitePort: portOf(backend.siteUrl) };
      backend.child.kill();
      await backend.child.ended;
      backend = await startBackend(folder, adminKey, ports, { console: false });
    },
    close: async () => {
      await Promise.all(donors.map((donor) => donor.stop()));
      await backend.child.stop();
      await rm(path, { recursive: true, force: true });
    },
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
