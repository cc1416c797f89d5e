/** What a device must have to get a job. Groups, tags and data classes come from the organization's administrators. */
export type Requirements = {
  /** It is in one of these groups. */
  readonly groups?: readonly string[];
  /** It has all of these tags. */
  readonly tags?: readonly string[];
  /** It has a GPU that it may use now. */
  readonly gpu?: boolean;
  /** In GB, which are 10^9 bytes. */
  readonly memoryGb?: number;
  /** Free memory of one GPU, in GB. */
  readonly vramGb?: number;
  /** The class of the request's data. */
  readonly dataClass?: string;
};

/** The header `Gleaner-Requires`: pairs as in a URL's query. None without requirements. */
export function requirementsHeaders(requires: Requirements = {}): Readonly<Record<string, string>> {
  const { groups = [], tags = [], gpu, memoryGb, vramGb, dataClass } = requires;
  const pairs = new URLSearchParams();
  for (const group of groups) pairs.append("group", group);
  for (const tag of tags) pairs.append("tag", tag);
  if (gpu === true) pairs.append("gpu", "yes");
  if (memoryGb !== undefined) pairs.append("memory", String(memoryGb));
  if (vramGb !== undefined) pairs.append("vram", String(vramGb));
  if (dataClass !== undefined) pairs.append("data-class", dataClass);
  return pairs.size === 0 ? {} : { "gleaner-requires": pairs.toString() };
}
