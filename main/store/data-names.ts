/** Names of files and folders in a donor's data folder. The journal and the identity name their own. */
export const dataNames = {
  settings: "settings.json",
  policy: "policy.json",
  /** Measured facts of models: memory, speed, backend. */
  knowledge: "models.json",
  /** Measured hours of donation. */
  comfort: "comfort.json",
  models: "models",
  gpuCache: "gpu-cache",
} as const;
