import { createHmac, timingSafeEqual } from "node:crypto";
import { fileTag, type OfficeKey } from "./secrets.ts";

/** A device's announcement to devices with the same secret. */
export type Announcement = {
  /** A random id for this run of the program. */
  readonly id: string;
  readonly address: string;
  readonly port: number;
  /** The files that it shares or fetches, by their tags. `complete` means the whole file. */
  readonly files: readonly { readonly tag: string; readonly complete: boolean }[];
};

/** The most files that fit into one packet. */
const maxFiles = 40;

export type AnnouncedFile = { readonly sha256: string; readonly complete: boolean };

/** The fields of an announcement's TXT record. */
export function txtOf(
  key: OfficeKey,
  device: Pick<Announcement, "id" | "address" | "port">,
  files: readonly AnnouncedFile[],
): string[] {
  const words = files
    .slice(0, maxFiles)
    .map(({ sha256, complete }) => `${fileTag(key.secret, sha256)}${complete ? "+" : "-"}`);
  return [`o=${key.tag}`, `s=${signature(key, device, words)}`, ...words.map((word) => `f=${word}`)];
}

/** Null if no device with one of these keys signed it for this address. */
export function readTxt(
  txt: readonly string[],
  device: Pick<Announcement, "id" | "address" | "port">,
  keys: readonly OfficeKey[],
): { readonly key: OfficeKey; readonly announcement: Announcement } | null {
  const all = (name: string): string[] =>
    txt.filter((field) => field.startsWith(`${name}=`)).map((field) => field.slice(name.length + 1));
  const key = keys.find(({ tag }) => tag === all("o")[0]);
  if (key === undefined) return null;
  const words = all("f");
  if (words.length > maxFiles || words.some((word) => !/^[\w-]{12}[+-]$/.test(word))) return null;
  const given = Buffer.from(all("s")[0] ?? "");
  const expected = Buffer.from(signature(key, device, words));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const files = words.map((word) => ({ tag: word.slice(0, 12), complete: word.endsWith("+") }));
  return { key, announcement: { ...device, files } };
}

function signature(
  { secret }: OfficeKey,
  { id, address, port }: Pick<Announcement, "id" | "address" | "port">,
  words: readonly string[],
): string {
  const subject = ["announce", id, address, port, ...words].join(" ");
  return createHmac("sha256", secret).update(subject).digest("base64url").slice(0, 22);
}
