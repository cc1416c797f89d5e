import { definePlugin } from "@oxlint/plugins";
import { callDeadlines } from "./call-deadlines.ts";
import { importOrder } from "./import-order.ts";
import { restrictedSyntax } from "./restricted-syntax.ts";
import { roomImports } from "./room-imports.ts";

/** Lint's rules of this repository. */
export default definePlugin({
  meta: { name: "gleaner" },
  rules: {
    deadlines: callDeadlines,
    "import-order": importOrder,
    imports: roomImports,
    syntax: restrictedSyntax,
  },
});
