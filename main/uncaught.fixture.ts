import { jsonLinesLog } from "./log.ts";
import { logUncaught } from "./uncaught.ts";

logUncaught(
  jsonLinesLog((line) => process.stderr.write(line)),
  () => process.exit(1),
);
const fail = (): unknown => JSON.parse("Quokka");
if (process.argv[2] === "rejects") void Promise.resolve().then(fail);
else setTimeout(fail);
