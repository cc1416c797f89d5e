import { once } from "node:events";
import { parseArgs } from "node:util";
import { assertNever } from "../packages/queue/shared/assert-never.ts";
import { type Message, messagesOf } from "./cluster/json-objects.ts";
import { linesOf } from "./cluster/lines.ts";
import { bounds } from "./cluster/messages.ts";
import { ClusterNode } from "./cluster/node.ts";
import { broken, reply, tooLong } from "./cluster/reply.ts";

const exitUsage = 2;
const usage = `npm run -s cluster-node -- [--seed N]
  JSON messages on standard input, one answer a line on standard output (sim/README.md).
  --seed N   the seed of the random victims (5)`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { seed: { type: "string", default: "5" }, help: { type: "boolean", default: false } },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const seed = Number(values.seed);
  if (!/^\d{1,10}$/.test(values.seed)) {
    console.error(`--seed takes a whole number, not "${values.seed}".\n\n${usage}`);
    return exitUsage;
  }
  const node = new ClusterNode(seed);
  for await (const message of messagesOf(linesOf(process.stdin, bounds.messageBytes), bounds.messageBytes)) {
    const answer = answerTo(node, message);
    if (!process.stdout.write(`${answer}\n`)) await once(process.stdout, "drain");
  }
  return 0;
}

function answerTo(node: ClusterNode, message: Message): string {
  switch (message.kind) {
    case "message":
      return reply(node, message.text);
    case "too long":
      return tooLong();
    case "broken":
      return broken(message.reason);
    default:
      return assertNever(message);
  }
}

// The reader may close its end first. That is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error instanceof TypeError && "code" in error ? `${error.message}\n\n${usage}` : error);
    process.exitCode = exitUsage;
  },
);
