import { visibleText } from "./format/visible.ts";
import { limits } from "./jobs/limits.ts";
import { decoded } from "./join-link.ts";

/** An enrollment code admits one device within a day, unless its maker asks for more. */
export const defaultCode = { uses: 1, expiresInHours: 24 } as const;

/** A computer that a member confirmed has this long to join, and waits as long for the confirmation; in ms. */
export const confirmedForMs = 10 * 60_000;

/** A computer that asks a member to confirm it on a page of the console. It keeps the code itself for its own enrollment. */
export type DeviceRequest = {
  /** SHA-256 of its one-use code, in hex. */
  readonly codeHash: string;
  /** The name that it will have. */
  readonly device: string;
};

/** The part of the confirmation page's address after the console's own address. */
export function deviceRequestHash({ codeHash, device }: DeviceRequest): string {
  return `#/enroll-device?code=${codeHash}&device=${encodeURIComponent(device)}`;
}

const requestHash = /^#\/enroll-device\?code=([0-9a-f]{64})&device=([^&]{1,2000})$/;

/** Reads the hash of such an address, which anybody can make. Null if it is none. */
export function readDeviceRequest(hash: string): DeviceRequest | null {
  const [, codeHash, named] = requestHash.exec(hash) ?? [];
  if (codeHash === undefined || named === undefined) return null;
  const device = visibleText(decoded(named) ?? "").trim();
  return device === "" || device.length > limits.nameChars ? null : { codeHash, device };
}

/**
 * The number that the computer and the page show, so that nobody confirms a computer of somebody else: "482 913". It follows
 * from the hash, so an address cannot name another one.
 */
export function confirmationNumber(codeHash: string): string {
  const digits = String(Number.parseInt(codeHash.slice(0, 12), 16) % 1_000_000).padStart(6, "0");
  return `${digits.slice(0, 3)} ${digits.slice(3)}`;
}
