import { createPrivateKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { copyFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { publicKeyPattern } from "../../../app/signatures/statements.ts";
import { type Trust, trust } from "../../connection/trust.ts";
import type { Log } from "../../log.ts";
import { asideName, loadJson, saveJson } from "../../store/json-file.ts";
import { SerialWrites } from "../../store/serial-writes.ts";
import type { PinnedKey } from "./catalog-trust.ts";
import { Signer } from "./signer.ts";

/** The device's identity. Only the backend gets the device key, and it stores a hash. Nobody gets the signer's key. */
export type Identity = {
  readonly deviceKey: string;
  readonly signer: Signer;
  readonly enrollment: Enrollment | null;
  readonly organizationKey: PinnedKey | null;
};

type Enrollment = {
  readonly deviceId: string;
  readonly organizationName: string;
  /** The backend's address. Devices that enrolled with an earlier version have none before their next connection. */
  readonly server?: string | undefined;
  /** How it trusts the backend. Devices that enrolled with an earlier version have none. */
  readonly trust?: Trust | undefined;
};

/** The name of the file in the data folder. */
export const identityFileName = "device.json";

const identityFile = z.object({
  version: z.literal(1),
  deviceKey: z.string().regex(/^gd_[A-Za-z0-9_-]{43}$/),
  /** A private key of Ed25519: PKCS #8 in base64url. Files of earlier versions have none. */
  signingKey: z.string().max(200).transform(readPrivateKey).optional(),
  /** Files of earlier versions have this spelling. */
  enrolment: z
    .object({
      deviceId: z.string().min(1).max(200),
      organizationName: z.string().max(500),
      server: z.url({ protocol: /^https?$/ }).optional(),
      trust: trust.optional(),
    })
    .nullable(),
  /** The organization's pinned key. Files of earlier versions have none. */
  organizationKey: z
    .object({ publicKey: z.string().regex(publicKeyPattern), version: z.number().int().min(0) })
    .nullable()
    .optional(),
});

export type IdentityStore = {
  readonly current: () => Identity;
  /** The new name of a damaged file, in whose place this identity was made. Null if the file was good, or missing. */
  readonly damagedFile: string | null;
  readonly setEnrollment: (enrollment: Identity["enrollment"]) => Promise<void>;
  /** It is in force at once, and on disk when this resolves. */
  readonly pin: (key: PinnedKey | null) => Promise<void>;
  /** Resolves when the last change is on disk. Later changes are not stored. */
  readonly close: () => Promise<void>;
};

/**
 * Reads the device's keys or creates them. They are on disk (mode 0600) before their first use. Throws a StartRefusal
 * if the file cannot be read or is of a newer version.
 * @param replaces the file of a former identity. It is moved aside when this one enrolls and takes its place.
 */
export async function openIdentity(
  path: string,
  log: Log,
  replaces: string | null = null,
): Promise<IdentityStore> {
  const loaded = await loadJson(path, identityFile, 1);
  if (loaded.kind === "corrupt") log("error", "identity.corrupt", { movedTo: loaded.movedTo });
  const file = loaded.kind === "loaded" ? loaded.value : null;
  const privateKey = file?.signingKey ?? generateKeyPairSync("ed25519").privateKey;
  let identity: Identity = {
    deviceKey: file?.deviceKey ?? `gd_${randomBytes(32).toString("base64url")}`,
    signer: new Signer(privateKey),
    enrollment: file?.enrolment ?? null,
    organizationKey: file?.organizationKey ?? null,
  };
  const writes = new SerialWrites();
  let former = replaces;
  const write = async (): Promise<void> => {
    const { deviceKey, enrollment: enrolment, organizationKey } = identity;
    const signingKey = privateKey.export({ format: "der", type: "pkcs8" }).toString("base64url");
    const file = { version: 1, deviceKey, signingKey, enrolment, organizationKey };
    if (former !== null && enrolment !== null) {
      const keptAs = asideName(former, "left");
      await copyFile(former, keptAs);
      log("info", "identity.left", { keptAs });
      await saveJson(former, file);
      await rm(path, { force: true });
      former = null;
    } else await saveJson(former === null ? (replaces ?? path) : path, file);
  };
  const save = (): Promise<void> => writes.run(write);
  if (file?.signingKey === undefined) await save();
  return {
    current: () => identity,
    damagedFile: loaded.kind === "corrupt" ? loaded.movedTo : null,
    setEnrollment: async (enrollment) => {
      if (JSON.stringify(enrollment) === JSON.stringify(identity.enrollment)) return;
      identity = { ...identity, enrollment };
      await save();
    },
    pin: async (organizationKey) => {
      identity = { ...identity, organizationKey };
      await save();
    },
    close: () => writes.close(),
  };
}

function readPrivateKey(text: string, context: z.RefinementCtx): ReturnType<typeof createPrivateKey> {
  try {
    const key = createPrivateKey({ key: Buffer.from(text, "base64url"), format: "der", type: "pkcs8" });
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // The text is no key.
  }
  context.addIssue("has to be a private key of Ed25519");
  return z.NEVER;
}

/** The address of the backend that a device enrolled with. Null if none is known, or if the file cannot be read. */
export async function readEnrolledServer(dataDir: string): Promise<string | null> {
  try {
    const text = await readFile(join(dataDir, identityFileName), "utf8");
    return identityFile.parse(JSON.parse(text)).enrolment?.server ?? null;
  } catch {
    // Opening the identity tells what is wrong with the file.
    return null;
  }
}
