import { RuleTester } from "oxlint/plugins-dev";
import { describe, it } from "vitest";
import { importOrder } from "./import-order.ts";

RuleTester.describe = describe;
RuleTester.it = it;

const errors = [{ message: "Sort the imports: npm run -s lint -- --fix." }];
const lines = (...all: readonly string[]): string => all.join("\n");

new RuleTester({ languageOptions: { parserOptions: { lang: "ts" } } }).run("import-order", importOrder, {
  valid: [
    "",
    'import "./b.css";\nimport "./a.css";\nimport { a, type B, c as d } from "./a.ts";',
    lines(
      'import { join } from "node:path";',
      'import ts from "typescript";',
      'import { z } from "../../z.ts";',
      'import { a } from "../a.ts";',
      'import { b } from "./b.ts";',
    ),
    'import { z } from "./z.ts";\nz();\nimport { a } from "./a.ts";',
    'import { a } from "a"; // about a\nimport { b } from "b";',
  ],
  invalid: [
    {
      code: 'import { b } from "./b.ts";\nimport { a } from "a";\n\nimport "effect";\nb();',
      output: 'import "effect";\nimport { a } from "a";\nimport { b } from "./b.ts";\nb();',
      errors,
    },
    {
      code: 'import { b, a as c, type A10, A9 } from "x";',
      output: 'import { a as c, A9, type A10, b } from "x";',
      errors,
    },
    {
      code: 'import { a } from "./a-b.ts";\nimport { b } from "./a/b.ts";',
      output: 'import { b } from "./a/b.ts";\nimport { a } from "./a-b.ts";',
      errors,
    },
    { code: 'import { b } from "b"; // about b\nimport { a } from "a";', output: null, errors },
  ],
});
