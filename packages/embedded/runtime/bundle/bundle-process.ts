import { bundleFunctions } from "./bundle.ts";

/** The process that `startBackend` forks: receives the folder, sends the outcome, and ends. */
process.once("message", (directory) => {
  void bundleFunctions(directory as string).then((outcome) => process.send?.(outcome, () => process.exit(0)));
});
