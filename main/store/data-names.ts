/** Names of files and folders in a donor's data folder. The journal and the identity name their own. */
export const dataNames = {
  settings: "settings.json",
  policy: "policy.json",
  /** What was found out about models. */
  knowledge: "models.json",
  models: "models",
  gpuCache: "gpu-cache",
} as const;
