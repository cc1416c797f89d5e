import { fileURLToPath } from "node:url";
import { startRunner } from "./start-runner.ts";

await startRunner(fileURLToPath(import.meta.url));
