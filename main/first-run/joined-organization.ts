import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { identityFileName, storedMembership } from "../donor/organization/identity.ts";

/** The organization that the device of a data folder has joined. Null: none, or there is no file that tells it. */
export async function joinedOrganization(folder: string): Promise<string | null> {
  try {
    const stored: unknown = JSON.parse(await readFile(join(folder, identityFileName), "utf8"));
    return storedMembership.parse(stored).enrolment?.organizationName ?? null;
  } catch {
    return null;
  }
}
