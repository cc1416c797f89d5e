const mib = 2 ** 20;

/** This much always stays free, in bytes, whatever the rules say. */
const lastBytes = 1_024 * mib;

/** A model file on the disk. `pinned` means that it runs or loads. */
export type StoredFile = {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly lastUsedAt: number;
  readonly pinned: boolean;
  /** Whether the organization still offers it. */
  readonly wanted: boolean;
};

type RoomRequest = {
  /** The missing bytes. */
  readonly comingBytes: number;
  /** The bytes of incomplete files. */
  readonly partBytes: number;
  readonly freeBytes: number;
  readonly quotaBytes: number;
  readonly keepFreeBytes: number;
  readonly files: readonly StoredFile[];
};

export type Room =
  { readonly kind: "ok"; readonly evict: readonly string[] } | { readonly kind: "over-quota" | "disk-full" };

/**
 * Chooses the files to delete so that one more fits: first those no longer offered, then the least recently
 * used, never one in use. Chooses none if that would not be enough.
 */
export function makeRoom(ask: RoomRequest): Room {
  const keepFree = Math.max(lastBytes, ask.keepFreeBytes);
  let held = ask.partBytes + ask.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let free = ask.freeBytes;
  const inQuota = (): boolean => held + ask.comingBytes <= ask.quotaBytes;
  const onDisk = (): boolean => free - ask.comingBytes >= keepFree;
  const evict: string[] = [];
  for (const file of inOrder(ask.files)) {
    if (inQuota() && onDisk()) break;
    evict.push(file.sha256);
    held -= file.sizeBytes;
    free += file.sizeBytes;
  }
  if (!inQuota()) return { kind: "over-quota" };
  return onDisk() ? { kind: "ok", evict } : { kind: "disk-full" };
}

function inOrder(files: readonly StoredFile[]): readonly StoredFile[] {
  return files
    .filter(({ pinned }) => !pinned)
    .toSorted((a, b) => Number(a.wanted) - Number(b.wanted) || a.lastUsedAt - b.lastUsedAt);
}
