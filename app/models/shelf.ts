/** A model that works well on office computers. Its size and hash are not here: the backend reads them from the hub. */
export type ShelfModel = {
  readonly name: string;
  /** On Hugging Face: user, repository and file. */
  readonly link: string;
  /** The least memory of a computer that runs it beside its usual programs. */
  readonly memoryGb: number;
};

/** By the memory that they need. */
export const shelf: readonly ShelfModel[] = [
  { name: "Qwen3 0.6B", link: "Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0.gguf", memoryGb: 4 },
  {
    name: "Qwen3 Embedding 0.6B",
    link: "Qwen/Qwen3-Embedding-0.6B-GGUF/Qwen3-Embedding-0.6B-Q8_0.gguf",
    memoryGb: 4,
  },
  { name: "Qwen3 4B", link: "Qwen/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf", memoryGb: 8 },
  { name: "Qwen3 8B", link: "Qwen/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf", memoryGb: 16 },
  { name: "Qwen3 14B", link: "Qwen/Qwen3-14B-GGUF/Qwen3-14B-Q4_K_M.gguf", memoryGb: 24 },
  { name: "Qwen3 32B", link: "Qwen/Qwen3-32B-GGUF/Qwen3-32B-Q4_K_M.gguf", memoryGb: 48 },
];
