import { createPrivateKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { type StartSentence, startSentence } from "../../../app/contract/sentences/start-sentences.ts";
import { publicKeyPattern } from "../../../app/signatures/statements.ts";
import { type Trust, trust } from "../../connection/trust.ts";
import { errorName, type Log } from "../../log.ts";
import { asideName, loadJson, readJson, saveJson } from "../../store/json-file.ts";
import { SerialWrites } from "../../store/serial-writes.ts";
import { StartRefusal } from "../../store/start-refusal.ts";
import type { PinnedKey } from "./catalog-trust.ts";
import type { KeyVault } from "./key-vault.ts";
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

const secrets = z.object({
  deviceKey: z.string().regex(/^gd_[A-Za-z0-9_-]{43}$/),
  /** A private key of Ed25519: PKCS #8 in base64url. Files of earlier versions have none. */
  signingKey: z.string().max(200).transform(readPrivateKey).optional(),
});

/** The part of the identity's file that is not secret. */
const storedMembership = z.object({
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

const plainFile = secrets.extend(storedMembership.shape).extend({ version: z.literal(1) });
/** The secrets are encrypted with a key of the system's keychain. */
const sealedFile = storedMembership.extend({ version: z.literal(2), sealed: z.base64().min(1).max(10_000) });
/** A file with encrypted keys has both of them. */
const sealedSecrets = secrets.required();
const identityFile = z.discriminatedUnion("version", [plainFile, sealedFile]);
const newestVersion = 2;

/** The secrets cannot be read here, but may be in another session. The file stays. */
export class SealedKeyRefusal extends StartRefusal {
  /** The enrollment of that device, which is not secret. */
  readonly enrollment: Identity["enrollment"];

  constructor(sentence: StartSentence, enrollment: Identity["enrollment"], options?: ErrorOptions) {
    super(sentence, options);
    this.enrollment = enrollment;
  }
}

export type IdentityStore = {
  readonly current: () => Identity;
  /** `keychain`: the system's keychain encrypts the device's keys. `file`: they are plain, and only the file's owner can read them. */
  readonly keyStorage: "keychain" | "file";
  /** The new name of a damaged file, in whose place this identity was made. Null if the file was good, or missing. */
  readonly damagedFile: string | null;
  readonly setEnrollment: (enrollment: Identity["enrollment"]) => Promise<void>;
  /** It is in force at once, and on disk when this resolves. */
  readonly pin: (key: PinnedKey | null) => Promise<void>;
  /** Resolves when the last change is on disk. Later changes are not stored. */
  readonly close: () => Promise<void>;
};

type IdentityOptions = {
  /** Encrypts the keys. Null: the keys are plain in their file. */
  readonly vault: KeyVault | null;
  readonly log: Log;
  /** The file of a former identity. It is moved aside when this one enrolls and takes its place. */
  readonly replaces?: string;
};

/**
 * Reads the device's keys or creates them. They are on disk (mode 0600) before their first use, and encrypted if there is a
 * keychain. Throws a StartRefusal if the file cannot be read or is of a newer version, a SealedKeyRefusal if the keychain that
 * encrypted it is not here.
 */
export async function openIdentity(
  path: string,
  { vault, log, replaces }: IdentityOptions,
): Promise<IdentityStore> {
  const loaded = await loadJson(path, identityFile, newestVersion);
  if (loaded.kind === "corrupt") log("error", "identity.corrupt", { movedTo: loaded.movedTo });
  const file = loaded.kind === "loaded" ? loaded.value : null;
  const kept = file === null ? null : file.version === 1 ? file : await unsealed(path, file, vault);
  const privateKey = kept?.signingKey ?? generateKeyPairSync("ed25519").privateKey;
  let identity: Identity = {
    deviceKey: kept?.deviceKey ?? `gd_${randomBytes(32).toString("base64url")}`,
    signer: new Signer(privateKey),
    enrollment: file?.enrolment ?? null,
    organizationKey: file?.organizationKey ?? null,
  };
  const { deviceKey } = identity;
  const signingKey = privateKey.export({ format: "der", type: "pkcs8" }).toString("base64url");
  const sealed = file?.version === 2 ? file.sealed : await sealedWith(vault, { deviceKey, signingKey }, log);
  const stored = sealed === null ? { version: 1, deviceKey, signingKey } : { version: 2, sealed };
  const writes = new SerialWrites();
  let former = replaces ?? null;
  const write = async (): Promise<void> => {
    const { enrollment: enrolment, organizationKey } = identity;
    const file = { ...stored, enrolment, organizationKey };
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
  if (kept?.signingKey === undefined || file?.version !== stored.version) await save();
  return {
    current: () => identity,
    keyStorage: sealed === null ? "file" : "keychain",
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

/** Throws a SealedKeyRefusal if they cannot be decrypted. */
async function unsealed(
  path: string,
  { sealed, enrolment }: z.output<typeof sealedFile>,
  vault: KeyVault | null,
): Promise<z.output<typeof sealedSecrets>> {
  if (vault === null) {
    throw new SealedKeyRefusal(startSentence("keychain-elsewhere", path), enrolment);
  }
  try {
    return sealedSecrets.parse(JSON.parse(await vault.open(sealed)));
  } catch (error) {
    throw new SealedKeyRefusal(startSentence("keychain-cannot-decrypt", path), enrolment, { cause: error });
  }
}

/** Null without a keychain, or if it fails: then the keys stay plain. */
async function sealedWith(vault: KeyVault | null, keys: object, log: Log): Promise<string | null> {
  try {
    return vault === null ? null : await vault.seal(JSON.stringify(keys));
  } catch (error) {
    log("error", "identity.not-sealed", { error: errorName(error) });
    return null;
  }
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

/** Reads the file, opens no keys and changes nothing. Throws a StartRefusal if the file exists but cannot be read. */
export async function readIdentityFile(dataDir: string) {
  return readJson(join(dataDir, identityFileName), identityFile, newestVersion);
}

/** The address of the backend that a device enrolled with. Null if none is known, or if the file cannot be read. */
export async function readEnrolledServer(dataDir: string): Promise<string | null> {
  // Opening the identity tells what is wrong with the file.
  const read = await readIdentityFile(dataDir).catch(() => null);
  return read?.kind === "loaded" ? (read.value.enrolment?.server ?? null) : null;
}
