/**
 * How many tokens llama.cpp computes at once, and so the largest slice in which a prompt is read; beside it there is room
 * for a token of each other sequence. Slices are measured (prefill-slices.ts): on the CPU this is less what one prompt is
 * read in than what the prompts of two jobs are, together: 3 % faster than in 128, and as fast as in 512.
 */
export const batchTokens = { cpu: 256, gpu: 512 } as const;
