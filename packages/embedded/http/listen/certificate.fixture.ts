import "reflect-metadata";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";
import { onTestFinished } from "vitest";
import type { TlsOptions } from "./tls-files.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Writes a new self-signed certificate for localhost and its key into a folder of this test, or over given files. */
export async function certificateFiles(over?: TlsOptions): Promise<TlsOptions & { readonly cert: string }> {
  const folder = over === undefined ? await mkdtemp(join(tmpdir(), "certificate-")) : null;
  if (folder !== null) onTestFinished(() => rm(folder, { recursive: true }));
  const certFile = over?.certFile ?? join(folder ?? "", "certificate.pem");
  const keyFile = over?.keyFile ?? join(folder ?? "", "key.pem");
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const names = new SubjectAlternativeNameExtension([
    { type: "dns", value: "localhost" },
    { type: "ip", value: "127.0.0.1" },
  ]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: "CN=test",
    keys,
    signingAlgorithm: algorithm,
    extensions: [names],
  });
  const der = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  const lines = der.match(/.{1,64}/g) ?? [];
  await writeFile(
    keyFile,
    ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----", ""].join("\n"),
  );
  await chmod(keyFile, 0o600);
  const cert = certificate.toString("pem");
  await writeFile(certFile, cert);
  return { certFile, keyFile, cert };
}
