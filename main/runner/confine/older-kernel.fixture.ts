import { fileURLToPath } from "node:url";
import { startRunner } from "../start-runner.ts";
import { landlockOfTest } from "./landlock-of-test.fixture.ts";

/** A runner that acts as if the kernel were older. */
await startRunner(fileURLToPath(import.meta.url), landlockOfTest(process.env));
