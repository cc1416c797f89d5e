import { resolveCudaIn } from "./cuda-packages.ts";
import { Libraries } from "./libraries.ts";

/** Looks for CUDA as the runner does, in the folder that the environment names, and prints the outcome. */
resolveCudaIn(process.env["GLEANER_CUDA"]);
const library = await new Libraries().get("cuda", 1);
process.stdout.write(library.kind === "ready" ? "ready" : library.why);
process.exit(0);
