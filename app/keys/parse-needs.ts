import { type DeviceNeeds, needLimits } from "./requirements.ts";

/**
 * Parses the header of a request: pairs as in a URL's query, such as `tag=owned&gpu=yes&memory=16`. `group` and `tag` may be
 * repeated.
 * @returns the requirements, or why the header is wrong.
 */
export function parseNeeds(header: string): DeviceNeeds | string {
  if (header.length > needLimits.headerChars)
    return `must have at most ${String(needLimits.headerChars)} characters`;
  const pairs = pairsIn(header);
  if (pairs === null) return "must have pairs as in the query of a URL, such as tag=owned&gpu=yes";
  const of = (name: string) => pairs.flatMap(([key, value]) => (key === name ? [value.trim()] : []));
  const unknown = pairs.find(([key]) => !names.includes(key));
  if (unknown !== undefined) return `may have ${names.join(", ")} only`;
  const single = ["gpu", "memory", "vram", "data-class"].find((name) => of(name).length > 1);
  if (single !== undefined) return `must have ${single} once only`;
  if (pairs.some(([, value]) => value.trim() === "" || value.length > needLimits.nameChars))
    return `must have values of 1 to ${String(needLimits.nameChars)} characters`;
  const [groups, tags] = [of("group"), of("tag")];
  if (Math.max(groups.length, tags.length) > needLimits.names)
    return `may name ${String(needLimits.names)} groups and tags each at most`;
  const [gpu, dataClass] = [of("gpu")[0], of("data-class")[0]];
  if (gpu !== undefined && gpu !== "yes") return "can say gpu=yes only";
  const [memoryGb, vramGb] = [gigabytesIn(of("memory")[0]), gigabytesIn(of("vram")[0])];
  const wrong = memoryGb === null ? "memory" : vramGb === null ? "vram" : null;
  if (memoryGb === null || vramGb === null)
    return `must have a whole number of GB from 1 to ${String(needLimits.memoryGb)} as ${String(wrong)}`;
  return {
    ...(groups.length === 0 ? {} : { groups }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(gpu === undefined ? {} : { gpu: true }),
    ...(memoryGb === undefined ? {} : { memoryGb }),
    ...(vramGb === undefined ? {} : { vramGb }),
    ...(dataClass === undefined ? {} : { dataClass }),
  };
}

/** The same requirements as the text of such a header. */
export function needsText({
  groups = [],
  tags = [],
  gpu = false,
  memoryGb,
  vramGb,
  dataClass,
}: DeviceNeeds): string {
  const pairs: (readonly [string, string | number])[] = [
    ...groups.map((group) => ["group", group] as const),
    ...tags.map((tag) => ["tag", tag] as const),
    ...(gpu ? [["gpu", "yes"] as const] : []),
    ...(memoryGb === undefined ? [] : [["memory", memoryGb] as const]),
    ...(vramGb === undefined ? [] : [["vram", vramGb] as const]),
    ...(dataClass === undefined ? [] : [["data-class", dataClass] as const]),
  ];
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

const names = ["group", "tag", "gpu", "memory", "vram", "data-class"];

/** Null if it is no whole number within the limits. */
function gigabytesIn(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return value < 1 || value > needLimits.memoryGb ? null : value;
}

/** Null if the escapes are wrong. */
function pairsIn(header: string): readonly (readonly [string, string])[] | null {
  try {
    return header
      .split("&")
      .filter((pair) => pair.trim() !== "")
      .map((pair) => {
        const [name = "", ...value] = pair.replaceAll("+", " ").split("=");
        return [decodeURIComponent(name.trim()), decodeURIComponent(value.join("="))];
      });
  } catch {
    return null;
  }
}
