import { type Native, native } from "./confine/native.ts";

type Library = ReturnType<Native["open"]>;
type Call = (...args: readonly unknown[]) => unknown;

/** NVML's library comes with NVIDIA's driver. */
const names: Partial<Record<NodeJS.Platform, string>> = { linux: "libnvidia-ml.so.1", win32: "nvml.dll" };

/**
 * The energy that NVIDIA's cards have used since their driver was loaded, by NVML's nvmlDeviceGetTotalEnergyConsumption, which
 * cards since Volta have. Opens the library at the first read, so never call it before the process is confined.
 * @returns a function that reads it, in joules; null without a card, and if one of them does not count.
 */
export function cardCounter(
  open: (name: string) => Library | null = openLibrary,
  platform: NodeJS.Platform = process.platform,
): () => number | null {
  let counters: readonly (() => number | null)[] | undefined;
  return () => {
    counters ??= countersOf(names[platform], open);
    const joules = counters.map((read) => read());
    if (joules.length === 0 || joules.includes(null)) return null;
    return joules.reduce<number>((sum, each) => sum + (each ?? 0), 0);
  };
}

function openLibrary(name: string): Library | null {
  return native()?.open(name) ?? null;
}

function countersOf(
  name: string | undefined,
  open: (name: string) => Library | null,
): readonly (() => number | null)[] {
  try {
    const library = name === undefined ? null : open(name);
    return library === null ? [] : cardsOf(library);
  } catch {
    // There is no driver of NVIDIA, or one that is too old for these calls.
    return [];
  }
}

function cardsOf(library: Library): readonly (() => number | null)[] {
  const begin = library.func("int nvmlInit_v2()") as Call;
  const countCards = library.func("int nvmlDeviceGetCount_v2(_Out_ uint32_t *count)") as Call;
  const handleOf = library.func(
    "int nvmlDeviceGetHandleByIndex_v2(uint32_t index, _Out_ void **card)",
  ) as Call;
  const energyOf = library.func(
    "int nvmlDeviceGetTotalEnergyConsumption(void *card, _Out_ uint64_t *millijoules)",
  ) as Call;
  const count = [0];
  if (begin() !== 0 || countCards(count) !== 0) return [];
  return Array.from({ length: count[0] ?? 0 }, (_, index) => {
    const handle: [unknown] = [null];
    const hasHandle = handleOf(index, handle) === 0;
    return () => {
      const millijoules: [number | bigint] = [0];
      const isRead = hasHandle && energyOf(handle[0], millijoules) === 0;
      return isRead ? Number(millijoules[0]) / 1_000 : null;
    };
  });
}
