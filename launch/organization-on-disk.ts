import { readInstallation, writeInstallation, type DataFolder, type Installation } from "./data-folder.ts";
import type { DemoModel } from "./demo-model.ts";
import type { Setup } from "./organization.ts";

export type Installed = { readonly installation: Installation; readonly firstRun: boolean };

/**
 * The organization of this data folder: the one that is there, a setup that an earlier run did not finish
 * (completed now, with a key issued anew), or a new one.
 */
export async function openInstallation(
  folder: DataFolder,
  setup: Setup,
  organizationName: string,
  model: DemoModel,
): Promise<Installed> {
  const known = await readInstallation(folder);
  if (known !== null) return { installation: known, firstRun: false };
  const existing = (await setup.organizations())[0];
  const organization =
    existing === undefined
      ? { ...(await setup.createOrganization(organizationName, model)), name: organizationName }
      : {
          organizationId: existing.id,
          name: existing.name,
          apiKey: await setup.issueKey(existing.id, "Requester (issued anew)"),
        };
  const installation: Installation = {
    version: 1,
    organizationId: organization.organizationId,
    organizationName: organization.name,
    apiKey: organization.apiKey,
  };
  await writeInstallation(folder, installation);
  return { installation, firstRun: true };
}
