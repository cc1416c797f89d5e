import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBackend, type Backend } from "../backend.ts";
import type { Child } from "../child.ts";
import { openDataFolder } from "../data-folder.ts";
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
  readonly donors: readonly Child[];
  close(): Promise<void>;
};

export async function startFarm(donorNames: readonly string[]): Promise<Farm> {
  const model = await readDemoModel();
  const path = await mkdtemp(join(tmpdir(), "gleaner-demo-"));
  const folder = await openDataFolder(path);
  const started: Child[] = [];
  const close = async (): Promise<void> => {
    for (const child of [...started].reverse()) await child.stop();
    await rm(path, { recursive: true, force: true });
  };
  try {
    const backend = await startBackend(folder, makeSecret("gleaner|"), { port: 0, sitePort: 0 });
    started.push(backend.child);
    const setup = new Setup(backend);
    const organization = await setup.createOrganization("Demo organization", model);
    const donors = await Promise.all(
      donorNames.map(async (name) =>
        startHeadlessDonor({
          name,
          folder: join(folder.donorFolder, name),
          logFolder: folder.logFolder,
          backendUrl: backend.url,
          enrolmentCode: await setup.issueEnrolmentCode(organization.organizationId, name),
          panelPort: 0,
          unattended: true,
          donateNowMinutes: null,
          env: { GLEANER_THREADS: "1" },
        }),
      ),
    );
    started.push(...donors);
    return { backend, setup, organization, modelId: model.id, donors, close };
  } catch (error) {
    await close();
    throw error;
  }
}
