/** Requirements that a device must meet to get a job. Each name is the organization's own. */
export type DeviceNeeds = {
  /** The device is in one of them. */
  readonly groups?: readonly string[];
  /** The device has all of them. */
  readonly tags?: readonly string[];
  readonly gpu?: boolean;
  /** The least memory of the device in GB: 10^9 bytes, so that a laptop with "16 GB" has 16. */
  readonly memoryGb?: number;
  /** The least memory of a GPU that is free, in GB as above. */
  readonly vramGb?: number;
  readonly dataClass?: string;
};

/** `memoryGb` also bounds the GPU's memory. */
export const needLimits = { names: 8, nameChars: 120, memoryGb: 4_096, headerChars: 2_048 } as const;

/** Tags by which devices tell that they have a GPU, also while they may not use it. */
export const gpuTags: readonly string[] = ["backend:cuda", "backend:vulkan", "backend:metal"];

/** The memory in the unit of devices' reports. */
export function mebibytesOf(memoryGb: number): number {
  return Math.floor((memoryGb * 1e9) / 2 ** 20);
}

/** The reverse of `mebibytesOf`. */
export function gigabytesOf(mebibytes: number): number {
  return Math.ceil((mebibytes * 2 ** 20) / 1e9);
}

export type TightenedNeeds =
  | { readonly kind: "ok"; readonly needs: DeviceNeeds }
  /** The request contradicts its key, or would loosen what the key requires. */
  | { readonly kind: "looser"; readonly why: string };

/** The requirements of a key together with those of a request. A request can add to them, and never take any away. */
export function tighten(key: DeviceNeeds, asked: DeviceNeeds): TightenedNeeds {
  const { groups: ofKey = [] } = key;
  const { groups = [] } = asked;
  const outside = groups.find((group) => ofKey.length > 0 && !ofKey.includes(group));
  if (outside !== undefined) {
    return {
      kind: "looser",
      why: `This API key's jobs go to the groups ${ofKey.join(", ")} only, not to ${outside}.`,
    };
  }
  if (key.dataClass !== undefined && asked.dataClass !== undefined && asked.dataClass !== key.dataClass) {
    return {
      kind: "looser",
      why: `This API key's jobs have the data class ${key.dataClass}, not ${asked.dataClass}.`,
    };
  }
  const tags = [...new Set([...(key.tags ?? []), ...(asked.tags ?? [])])].sort();
  const memoryGb = Math.max(key.memoryGb ?? 0, asked.memoryGb ?? 0);
  const vramGb = Math.max(key.vramGb ?? 0, asked.vramGb ?? 0);
  const named = groups.length > 0 ? groups : ofKey;
  const dataClass = key.dataClass ?? asked.dataClass;
  return {
    kind: "ok",
    needs: {
      ...(named.length === 0 ? {} : { groups: [...new Set(named)].sort() }),
      ...(tags.length === 0 ? {} : { tags }),
      ...(key.gpu === true || asked.gpu === true ? { gpu: true } : {}),
      ...(memoryGb === 0 ? {} : { memoryGb }),
      ...(vramGb === 0 ? {} : { vramGb }),
      ...(dataClass === undefined ? {} : { dataClass }),
    },
  };
}

/** Requirements in words, for the audit trail and the console. */
export function needWords({
  groups = [],
  tags = [],
  gpu = false,
  memoryGb = 0,
  vramGb = 0,
  dataClass,
}: DeviceNeeds): string[] {
  return [
    ...(groups.length === 0 ? [] : [`group ${groups.join(" or ")}`]),
    ...tags.map((tag) => `tag ${tag}`),
    ...(gpu ? ["GPU"] : []),
    ...(memoryGb === 0 ? [] : [`${String(memoryGb)} GB`]),
    ...(vramGb === 0 ? [] : [`${String(vramGb)} GB of GPU memory`]),
    ...(dataClass === undefined ? [] : [`data class ${dataClass}`]),
  ];
}
