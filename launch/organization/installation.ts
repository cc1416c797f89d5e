import type { ModelManifest } from "../../app/contract/model-manifest.ts";
import {
  type BackendAddress,
  type DataFolder,
  type Installation,
  readInstallation,
  writeInstallation,
} from "../core/data-folder.ts";
import { fetchPinned } from "../core/pinned-fetch.ts";
import type { Setup } from "./setup.ts";

export type Installed = {
  readonly installation: Installation;
  readonly firstRun: boolean;
  /** A note for the terminal about how it was opened. Usually null. */
  readonly note: string | null;
};

/**
 * Opens the organization of this data folder, completes a setup that an earlier run did not finish, or makes a new
 * organization. After a restore on another machine it opens the backup's first organization. If the backend no longer
 * accepts the saved requester's key, issues a new one.
 */
export async function openInstallation(
  folder: DataFolder,
  setup: Setup,
  site: Pick<BackendAddress, "url" | "pin">,
  organizationName: string,
  model: ModelManifest,
): Promise<Installed> {
  const known = await readInstallation(folder);
  const existing = await setup.organizations();
  const own = existing.find(({ id }) => id === known?.organizationId) ?? existing[0];
  if (own === undefined) {
    const { organizationId, apiKey } = await setup.createOrganization(organizationName, model);
    const installation = { version: 1, organizationId, organizationName, apiKey } as const;
    await writeInstallation(folder, installation);
    const note = known === null ? null : "The database is new, so a new organization was set up in it.";
    return { installation, firstRun: true, note };
  }
  const isKnown = own.id === known?.organizationId;
  if (isKnown && (await keyWorks(site, known.apiKey))) {
    return { installation: known, firstRun: false, note: null };
  }
  const apiKey = await setup.issueKey(own.id, "Requester (new key)");
  const installation = { version: 1, organizationId: own.id, organizationName: own.name, apiKey } as const;
  await writeInstallation(folder, installation);
  return { installation, firstRun: !isKnown, note: known === null ? null : newKeyNote(isKnown, own.name) };
}

function newKeyNote(isKnown: boolean, name: string): string {
  return isKnown
    ? "The requester's key had been revoked, so a new one was issued."
    : `The database is of another installation, so its organization ${name} is used, with a new requester's key.`;
}

/** For a backend that has just started, on a slow computer. */
const answersWithinMs = 60_000;

/** Sends a request with the key. Only a 401 means that the key does not work. */
async function keyWorks({ url, pin }: Pick<BackendAddress, "url" | "pin">, apiKey: string): Promise<boolean> {
  const response = await fetchPinned(pin, answersWithinMs)(`${url}/v1/models`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  await response.body?.cancel();
  return response.status !== 401;
}
