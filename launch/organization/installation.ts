import type { ModelManifest } from "../../app/contract/model-manifest.ts";
import { type DataFolder, type Installation, readInstallation, writeInstallation } from "../core/data-folder.ts";
import type { FirstOrganization, Setup } from "./setup.ts";

export type Installed = {
  readonly installation: Installation;
  readonly firstRun: boolean;
  /** What the person at the terminal should know about how it was opened; null when there is nothing. */
  readonly note: string | null;
};

/**
 * The organization of this data folder: the one that is there, a setup that an earlier run did not finish
 * (completed now), or a new one. The requester's key that is kept for the printed steps is issued anew when
 * the backend does not take it any more.
 */
export async function openInstallation(
  folder: DataFolder,
  setup: Setup,
  siteUrl: string,
  organizationName: string,
  model: ModelManifest,
): Promise<Installed> {
  const known = await readInstallation(folder);
  const existing = await setup.organizations();
  const own =
    existing.find(({ id }) => id === known?.organizationId) ?? (known === null ? existing[0] : undefined);
  if (own === undefined) {
    const made = await setup.createOrganization(organizationName, model);
    const installation = { version: 1, organizationName, ...pick(made) } as const;
    await writeInstallation(folder, installation);
    const note = known === null ? null : "The database is new, so a new organization was set up in it.";
    return { installation, firstRun: true, note };
  }
  if (known !== null && (await keyWorks(siteUrl, known.apiKey))) {
    return { installation: known, firstRun: false, note: null };
  }
  const apiKey = await setup.issueKey(own.id, "Requester (issued anew)");
  const installation = { version: 1, organizationId: own.id, organizationName: own.name, apiKey } as const;
  await writeInstallation(folder, installation);
  const note =
    known === null ? null : "The requester's key was revoked meanwhile, so another one was issued.";
  return { installation, firstRun: known === null, note };
}

function pick({
  organizationId,
  apiKey,
}: FirstOrganization): Pick<Installation, "organizationId" | "apiKey"> {
  return { organizationId, apiKey };
}

/** Asks as a requester would. Anything but a plain refusal is left for the requester to see. */
async function keyWorks(siteUrl: string, apiKey: string): Promise<boolean> {
  const response = await fetch(`${siteUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
  await response.body?.cancel();
  return response.status !== 401;
}
