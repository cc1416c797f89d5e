/** A model that works well on office computers. Its exact size and its hash are not here: the backend reads them from the hub. */
export type ShelfModel = {
  readonly name: string;
  /** On Hugging Face: user, repository and file. */
  readonly link: string;
  /** About how much each device downloads, in gigabytes. */
  readonly downloadGb: number;
  /** The least memory of a computer that runs it beside its usual programs. */
  readonly memoryGb: number;
};

/** By the memory that they need. */
export const shelf: readonly ShelfModel[] = [
  { name: "Qwen3 0.6B", link: "Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0.gguf", downloadGb: 0.6, memoryGb: 4 },
  {
    name: "Qwen3 Embedding 0.6B",
    link: "Qwen/Qwen3-Embedding-0.6B-GGUF/Qwen3-Embedding-0.6B-Q8_0.gguf",
    downloadGb: 0.6,
    memoryGb: 4,
  },
  { name: "Qwen3 4B", link: "Qwen/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf", downloadGb: 2.5, memoryGb: 8 },
  { name: "Qwen3 8B", link: "Qwen/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf", downloadGb: 5, memoryGb: 16 },
  { name: "Qwen3 14B", link: "Qwen/Qwen3-14B-GGUF/Qwen3-14B-Q4_K_M.gguf", downloadGb: 9, memoryGb: 24 },
  { name: "Qwen3 32B", link: "Qwen/Qwen3-32B-GGUF/Qwen3-32B-Q4_K_M.gguf", downloadGb: 19.8, memoryGb: 48 },
];

/** A model of the shelf for a fleet, and the devices that could run it. */
export type ShelfOffer = {
  readonly model: ShelfModel;
  readonly fitting: number;
  readonly devices: number;
};

/** A model of this memory is offered before there are devices. */
const usualGb = 8;

/**
 * Chooses a model for chats. It takes the largest one that fits at least half of the devices. If none does, it takes the
 * smallest one.
 * @param memories of the devices, in bytes.
 */
export function offerFor(memories: readonly number[]): ShelfOffer {
  const chats = shelf.filter(({ name }) => !name.includes("Embedding"));
  const devices = memories.length;
  const offers = chats.map((model): ShelfOffer => ({
    model,
    fitting: memories.filter((bytes) => bytes >= model.memoryGb * 1e9).length,
    devices,
  }));
  const [smallest] = offers;
  if (smallest === undefined) throw new Error("the shelf is empty");
  const fits = ({ model, fitting }: ShelfOffer): boolean =>
    devices === 0 ? model.memoryGb <= usualGb : fitting * 2 >= devices;
  return offers.findLast(fits) ?? smallest;
}
