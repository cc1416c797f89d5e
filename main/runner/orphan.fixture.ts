import { fileURLToPath } from "node:url";
import { forkRunner } from "./fork-runner.ts";

/** A donor that has a runner, says its process id, and then does nothing: to be killed. */
const child = forkRunner(fileURLToPath(new URL(process.argv[2] ?? "", import.meta.url)))();
child.onMessage((message) => process.stdout.write(`${JSON.stringify({ pid: child.pid, message })}\n`));
