import { createHmac, timingSafeEqual } from "node:crypto";
import { fileTag, type OfficeKey } from "./secrets.ts";

/** A device's announcement to devices with the same secret. */
export type Announcement = {
  /** A random id for this run of the program. */
  readonly id: string;
  readonly address: string;
  readonly port: number;
  /** The sender's clock, in ms since the epoch. It grows with each announcement of a device. */
  readonly sentAt: number;
  /** The time that the announcement is valid, in seconds. 0 says goodbye. */
  readonly ttl: number;
  /** The files that it shares or fetches, by their tags. `complete` means the whole file. */
  readonly files: readonly { readonly tag: string; readonly complete: boolean }[];
};

type Header = Omit<Announcement, "files">;

/** The most files that fit into one packet. */
const maxFiles = 40;
const maxTtl = 3_600;

export type AnnouncedFile = { readonly sha256: string; readonly complete: boolean };

/** The fields of an announcement's TXT record. */
export function txtOf(key: OfficeKey, header: Header, files: readonly AnnouncedFile[]): string[] {
  const words = files
    .slice(0, maxFiles)
    .map(({ sha256, complete }) => `${fileTag(key.secret, sha256)}${complete ? "+" : "-"}`);
  return [
    `o=${key.tag}`,
    `t=${header.sentAt}`,
    `l=${header.ttl}`,
    `s=${signature(key, header, words)}`,
    ...words.map((word) => `f=${word}`),
  ];
}

/** Null if no device with one of these keys signed it for this address. It may be old: `ReplayGuard` tells. */
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
  const [sentAt, ttl] = [wholeNumber(all("t")), wholeNumber(all("l"))];
  if (sentAt === null || ttl === null || ttl > maxTtl) return null;
  const header = { ...device, sentAt, ttl };
  const given = Buffer.from(all("s")[0] ?? "");
  const expected = Buffer.from(signature(key, header, words));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const files = words.map((word) => ({ tag: word.slice(0, 12), complete: word.endsWith("+") }));
  return { key, announcement: { ...header, files } };
}

/** One number as `txtOf` writes it. Null for anything else. */
function wholeNumber(fields: readonly string[]): number | null {
  const [field = ""] = fields;
  return fields.length === 1 && /^(0|[1-9]\d{0,14})$/.test(field) ? Number(field) : null;
}

function signature(
  { secret }: OfficeKey,
  { id, address, port, sentAt, ttl }: Header,
  words: readonly string[],
): string {
  const subject = ["announce 2", id, address, port, sentAt, ttl, ...words].join(" ");
  return createHmac("sha256", secret).update(subject).digest("base64url").slice(0, 22);
}
