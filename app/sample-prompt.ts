/** The question of every example that people copy. The demo model is very small, but answers this one right. */
export const samplePrompt = "Return JSON with name and city: Anna Weber lives in Lyon.";
