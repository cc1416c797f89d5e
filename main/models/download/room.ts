const mib = 2 ** 20;

/** Never less than this stays free, whatever the rules say. */
const lastBytes = 1_024 * mib;

/** A model file that is on the disk. `pinned`: it runs, or is about to be loaded. */
export type StoredFile = {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly lastUsedAt: number;
  readonly pinned: boolean;
  /** The organization still offers it. */
  readonly wanted: boolean;
};

export type RoomAsk = {
  /** Bytes that are still to come. */
  readonly comingBytes: number;
  /** Bytes that are here of files that are not whole yet. */
  readonly partBytes: number;
  readonly freeBytes: number;
  readonly quotaBytes: number;
  readonly keepFreeBytes: number;
  readonly files: readonly StoredFile[];
};

export type Room =
  { readonly kind: "ok"; readonly evict: readonly string[] } | { readonly kind: "over-quota" | "disk-full" };

/**
 * Which files have to go for one more to fit: those that nobody offers any more first, then those that were used
 * longest ago; never one that runs. Nothing goes where that would not be enough.
 */
export function makeRoom(ask: RoomAsk): Room {
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
