/** The kinds of calls that an API key may be allowed to make. A key without a list may make all. */
export const keyScopes = ["inference", "batches", "jobs", "usage"] as const;
export type KeyScope = (typeof keyScopes)[number];

/** A short name of each, and its calls. */
export const scopeWords: Readonly<Record<KeyScope, { readonly name: string; readonly calls: string }>> = {
  inference: {
    name: "Ask models",
    calls: "Chats, completions, responses, messages, embeddings, rankings and tokens.",
  },
  batches: { name: "Batches and files", calls: "Batches, and the files of batches." },
  jobs: { name: "Jobs", calls: "The states, answers, priorities and cancellation of the key’s own jobs." },
  usage: { name: "Usage", calls: "The key’s own usage, budgets and credits." },
};

const byPath: readonly (readonly [prefix: string, scope: KeyScope | null])[] = [
  ["/v1/models", null],
  ["/api/tags", null],
  ["/api/show", null],
  ["/api/version", null],
  ["/v1/batches", "batches"],
  ["/v1/files", "batches"],
  ["/v1/uploads", "batches"],
  ["/v1/jobs", "jobs"],
  ["/v1/receipts", "jobs"],
  ["/v1/usage", "usage"],
  ["/v1/budgets", "usage"],
  ["/v1/credits", "usage"],
];

/** The scope that a call needs, by the path of its URL. Null: every key may list the models that it may ask. */
export function scopeOfPath(pathname: string): KeyScope | null {
  const found = byPath.find(([prefix]) => pathname === prefix || pathname.startsWith(`${prefix}/`));
  return found === undefined ? "inference" : found[1];
}

/** The refusal of a call, and who can change that. */
export function missingScopeWords(scope: KeyScope): string {
  const { name } = scopeWords[scope];
  return `This API key lacks the scope “${scope}” (${name}), which this call needs. An owner or administrator can add it on the console's page API keys.`;
}

/** The refusal of a call whose answer the key could not fetch later. */
export function missingAnswerScopeWords(scope: KeyScope): string {
  const { name } = scopeWords[scope];
  return `This API key lacks the scope “${scope}” (${name}), so it could not fetch the answer later, as “Prefer: respond-async” asks. An owner or administrator can add it on the console's page API keys.`;
}
