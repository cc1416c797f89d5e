import * as z from "zod";

/** Raise it when an older program could not restore the new format. */
export const backupFormat = 1;

export const database = "database.sqlite";
export const manifestName = "manifest.json";
export const filesFolder = "files";

const entry = z.object({
  name: z.string(),
  size: z.number().int().min(0),
  /** Hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const manifest = z.object({
  kind: z.literal("gleaner-backup"),
  format: z.number().int(),
  /** Time at which the copy began, in ISO 8601. */
  createdAt: z.iso.datetime(),
  /** Version of the `convex` package that the backend served. */
  convexVersion: z.string(),
  databaseFormat: z.number().int(),
  /** Timestamp of the last commit in the backup, in ns since the epoch. */
  snapshot: z.string().regex(/^\d+$/),
  tables: z.array(z.object({ name: z.string(), documents: z.number().int() })),
  entries: z.array(entry).max(1_000_001),
});

export type BackupEntry = z.output<typeof entry>;
export type BackupManifest = z.output<typeof manifest>;

type ParsedManifest =
  | { readonly kind: "ok"; readonly manifest: BackupManifest }
  | { readonly kind: "refused"; readonly reason: string };

const entryName = /^(?:database\.sqlite|files\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Reads a manifest. Accepts no entries but the database and the contents of files. */
export function parseManifest(text: string): ParsedManifest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return refused("its manifest is damaged");
  }
  const parsed = manifest.safeParse(json);
  if (!parsed.success) return refused("its manifest is not from a backup of this program");
  const { format, entries } = parsed.data;
  if (format > backupFormat) {
    return refused(
      `it has format ${String(format)}, but this program knows ${String(backupFormat)}: update the program`,
    );
  }
  const names = entries.map(({ name }) => name);
  if (new Set(names).size !== names.length || !names.includes(database))
    return refused("its manifest is damaged");
  if (!names.every((name) => entryName.test(name)))
    return refused("its manifest lists a file that does not belong in a backup");
  return { kind: "ok", manifest: parsed.data };
}

function refused(reason: string): ParsedManifest {
  return { kind: "refused", reason };
}
