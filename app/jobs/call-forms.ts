/** The calls whose answers differ from the usual answer of their job's kind, with their paths. */
export const callPaths = {
  response: "/v1/responses",
  message: "/v1/messages",
  "ollama-chat": "/api/chat",
  "ollama-generate": "/api/generate",
  "ollama-embed": "/api/embed",
  "ollama-embeddings": "/api/embeddings",
} as const;

/** The form in which such a call answers. */
export type CallForm = keyof typeof callPaths;

export const callForms = Object.keys(callPaths) as CallForm[];
