import { assertNever } from "../../app/assert-never.ts";
import { readIdentityFile } from "../donor/organization/identity.ts";

/**
 * A data folder's membership, as the identity's file tells it. `unjoined`: the device has its keys, and has not joined yet.
 * `damaged`: the donor moves this file aside and joins as a new device. `newer`: a newer version wrote the file, and the donor
 * refuses to start with it.
 */
type StoredMembership =
  | { readonly kind: "joined"; readonly organization: string }
  | { readonly kind: "none" | "unjoined" | "damaged" | "newer" };

/** Takes a file for damaged exactly if the donor does. Throws a StartRefusal if the file exists but cannot be read. */
export async function readMembership(folder: string): Promise<StoredMembership> {
  const read = await readIdentityFile(folder);
  switch (read.kind) {
    case "absent":
      return { kind: "none" };
    case "invalid":
      return { kind: "damaged" };
    case "newer":
      return { kind: "newer" };
    case "loaded": {
      const { enrolment } = read.value;
      return enrolment === null
        ? { kind: "unjoined" }
        : { kind: "joined", organization: enrolment.organizationName };
    }
    default:
      return assertNever(read);
  }
}

/** The organization that the device of a data folder has joined. Null: none, or there is no file that tells it. */
export async function joinedOrganization(folder: string): Promise<string | null> {
  const stored = await readMembership(folder).catch(() => null);
  return stored?.kind === "joined" ? stored.organization : null;
}
