import "reflect-metadata";
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from "node:crypto";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { type Pin, pinOf } from "../../main/connection/pin.ts";
import { replaceFile } from "../../main/store/replace-file.ts";
import { LaunchError } from "../core/launch-error.ts";

export type Certificate = {
  readonly certFile: string;
  readonly keyFile: string;
  /** Of the public key. It stays when the certificate is renewed. */
  readonly pin: Pin;
  /** Of the certificate, as browsers show it. */
  readonly fingerprint: string;
};

const dayMs = 24 * 3_600_000;
/** Apple's systems refuse certificates that are valid for more than 825 days. */
const validMs = 800 * dayMs;
const renewBeforeMs = 90 * dayMs;
/** Other computers' clocks may be behind. */
const backdatedMs = dayMs;

const keyKind = { name: "ECDSA", namedCurve: "P-256" } as const;

/**
 * Opens the backend's self-signed certificate and key in a folder that only its owner can read, and makes what is
 * missing. A certificate that ends soon, or lacks a name, is replaced. The key stays, and so does the pin.
 * @param names DNS names and IP addresses of this machine.
 */
export async function openCertificate(
  folder: string,
  names: readonly string[],
  now = Date.now(),
): Promise<Certificate> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const keyFile = join(folder, "key.pem");
  const certFile = join(folder, "certificate.pem");
  const key = await openKey(keyFile);
  let certificate = await readCertificate(certFile);
  if (certificate === null || !isUsable(certificate, key, names, now)) {
    const pem = await makeCertificate(key, names, now);
    await replaceFile(certFile, pem);
    certificate = new X509Certificate(pem);
  }
  const { fingerprint256: fingerprint } = certificate;
  return { certFile, keyFile, pin: pinOf(createPublicKey(key)), fingerprint };
}

/** The names and addresses by which other computers may reach this machine, and those for programs on it. */
export function namesOfThisMachine(host: string): readonly string[] {
  const own = hostname();
  const addresses = Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address }) => address).filter((address) => !address.startsWith("fe80:")),
  );
  const named = host === "0.0.0.0" || host === "::" ? [] : [host];
  const names = [own, ...(own.includes(".") ? [] : [`${own}.local`]), "localhost", ...addresses, ...named];
  return [...new Set(names.filter((name) => name !== ""))];
}

async function openKey(file: string): Promise<KeyObject> {
  const text = await readText(file);
  if (text === null) {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: keyKind.namedCurve });
    await replaceFile(file, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
    return privateKey;
  }
  await chmod(file, 0o600);
  try {
    return createPrivateKey(text);
  } catch {
    throw new LaunchError(
      `${file} is damaged: it contains no private key.`,
      "Restore it from a copy. If there is none, delete it and start again: a new key is made, and every computer " +
        "has to join again with the new pin.",
    );
  }
}

async function readCertificate(file: string): Promise<X509Certificate | null> {
  const text = await readText(file);
  if (text === null) return null;
  try {
    return new X509Certificate(text);
  } catch {
    return null;
  }
}

async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new LaunchError(
      `${file} cannot be read (${(error as Error).message}).`,
      "Make it readable, and start again.",
    );
  }
}

function isUsable(
  certificate: X509Certificate,
  key: KeyObject,
  names: readonly string[],
  now: number,
): boolean {
  return (
    certificate.checkPrivateKey(key) &&
    Date.parse(certificate.validFrom) <= now &&
    Date.parse(certificate.validTo) - now > renewBeforeMs &&
    names.every(
      (name) => (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined,
    )
  );
}

async function makeCertificate(key: KeyObject, names: readonly string[], now: number): Promise<string> {
  const { subtle } = globalThis.crypto;
  const privateKey = key.export({ type: "pkcs8", format: "der" });
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [hostname().slice(0, 64) || "gleaner"] }, { O: ["Gleaner"] }],
    keys: {
      privateKey: await subtle.importKey("pkcs8", new Uint8Array(privateKey), keyKind, true, ["sign"]),
      publicKey: await subtle.importKey("spki", new Uint8Array(publicKey), keyKind, true, ["verify"]),
    },
    signingAlgorithm: { name: keyKind.name, hash: "SHA-256" },
    notBefore: new Date(now - backdatedMs),
    notAfter: new Date(now - backdatedMs + validMs),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ("dns" as const) : ("ip" as const), value })),
      ),
    ],
  });
  return `${certificate.toString("pem")}\n`;
}
