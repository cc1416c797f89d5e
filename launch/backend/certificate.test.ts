import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { pinOf } from "../../main/connection/pin.ts";
import { LaunchError } from "../core/launch-error.ts";
import { namesOfThisMachine, openCertificate } from "./certificate.ts";

let folder: string;
const names = ["office", "localhost", "192.0.2.7", "127.0.0.1", "2001:db8::7"];
const dayMs = 24 * 3_600_000;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "gleaner-certificate-")), "tls");
});
afterEach(() => rm(join(folder, ".."), { recursive: true }));

const read = async (): Promise<X509Certificate> =>
  new X509Certificate(await readFile(join(folder, "certificate.pem"), "utf8"));

it("makes a certificate for all names once, which only its owner can read", async () => {
  const made = await openCertificate(folder, names);
  const certificate = await read();
  for (const name of ["office", "localhost"]) expect(certificate.checkHost(name)).toBe(name);
  for (const address of names.slice(2)) expect(certificate.checkIP(address)).toBe(address);
  expect(certificate.checkHost("elsewhere")).toBeUndefined();
  expect(certificate.ca).toBe(false);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(made).toMatchObject({ pin: pinOf(certificate.publicKey), fingerprint: certificate.fingerprint256 });
  for (const file of [folder, made.keyFile, made.certFile]) expect((await stat(file)).mode & 0o077).toBe(0);
  expect(await openCertificate(folder, names)).toEqual(made);
});

it("renews a certificate that ends soon, and keeps the key and the pin", async () => {
  const made = await openCertificate(folder, names);
  const later = Date.now() + 720 * dayMs;
  const renewed = await openCertificate(folder, names, later);
  expect(renewed.pin).toBe(made.pin);
  expect(renewed.fingerprint).not.toBe(made.fingerprint);
  expect(Date.parse((await read()).validTo)).toBeGreaterThan(later + 700 * dayMs);
});

it("makes a new certificate for a new name, and in place of a damaged one", async () => {
  const made = await openCertificate(folder, names);
  const moved = await openCertificate(folder, [...names, "198.51.100.9"]);
  expect((await read()).checkIP("198.51.100.9")).toBe("198.51.100.9");
  await writeFile(made.certFile, "damaged");
  const repaired = await openCertificate(folder, names);
  expect(new Set([made.pin, moved.pin, repaired.pin]).size).toBe(1);
});

it("refuses a damaged key instead of making another, which would change the pin", async () => {
  const { keyFile } = await openCertificate(folder, names);
  await writeFile(keyFile, "damaged");
  await expect(openCertificate(folder, names)).rejects.toThrow(LaunchError);
});

it("knows the names of this machine", () => {
  expect(namesOfThisMachine("0.0.0.0")).toEqual(expect.arrayContaining(["localhost", "127.0.0.1"]));
  expect(namesOfThisMachine("0.0.0.0")).not.toContain("0.0.0.0");
  expect(namesOfThisMachine("office.example.org")).toContain("office.example.org");
});
