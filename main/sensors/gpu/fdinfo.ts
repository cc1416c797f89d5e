/** An open connection to a GPU, from /proc/PID/fdinfo/N (the kernel's "DRM client usage stats"). */
export type DrmClient = {
  readonly id: string;
  /** Empty if the driver does not count. */
  readonly engines: readonly DrmEngine[];
};

type DrmEngine = {
  readonly name: string;
  /** Nanoseconds, or cycles where `total` is known. */
  readonly busy: number;
  readonly total: number | null;
  readonly count: number;
};

/**
 * amdgpu and i915 count nanoseconds (`drm-engine-*`); xe counts cycles, and all cycles that passed (`drm-total-cycles-*`).
 * Null if the text is not about a GPU. Several files may show one client, by the same `drm-client-id`.
 */
export function parseFdinfo(text: string): DrmClient | null {
  const values = new Map(
    text.split("\n").flatMap((line) => {
      const found = /^(drm-[^:]+):\s*(\S+)/.exec(line);
      return found === null ? [] : [[found[1] ?? "", found[2] ?? ""] as const];
    }),
  );
  const id = values.get("drm-client-id");
  if (id === undefined) return null;
  const numberOf = (key: string): number | null => {
    const value = Number(values.get(key) ?? NaN);
    return Number.isFinite(value) ? value : null;
  };
  const engines = [...values.keys()].flatMap((key): DrmEngine[] => {
    const name = /^drm-(?:engine|cycles)-(?!capacity-)(.+)$/.exec(key)?.[1];
    const busy = numberOf(key);
    if (name === undefined || busy === null) return [];
    const total = key.startsWith("drm-cycles-") ? numberOf(`drm-total-cycles-${name}`) : null;
    if (key.startsWith("drm-cycles-") && total === null) return [];
    return [{ name, busy, total, count: Math.max(1, numberOf(`drm-engine-capacity-${name}`) ?? 1) }];
  });
  return { id, engines };
}
