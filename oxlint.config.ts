import { defineConfig, type OxlintOverride } from "oxlint";
import type { Restriction } from "./scripts/structure/restricted-syntax.ts";

/** Untyped access. Only main/face/electron/ uses raw IPC, and only renderer/panel/bridge/ uses the bridge. */
const rawIpc: readonly Restriction[] = [
  {
    selector: "ImportSpecifier[imported.name=/^(ipcMain|ipcRenderer)$/]",
    message: "Use the donor's calls (app/contract/donor-calls.ts), not raw IPC.",
  },
  {
    selector: "MemberExpression[property.name=/^(ipcMain|ipcRenderer)$/]",
    message: "Use the donor's calls.",
  },
];
const theBridge: Restriction = {
  selector: "MemberExpression[property.name='gleaner']",
  message: "Only the panel sees the bridge.",
};
const noClock: readonly Restriction[] = [
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: "app/ has no clock: take `now`.",
  },
  {
    selector: "MemberExpression[object.name='Date'][property.name='now']",
    message: "app/ has no clock: take `now`.",
  },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: "app/ is deterministic.",
  },
];

/** Runs of these functions share their modules (`experimental_reuseContext`). */
const noModuleState: Restriction = {
  selector: ":matches(Program, ExportNamedDeclaration) > VariableDeclaration[kind='let']",
  message: "Modules of functions keep no state between runs.",
};

const registrars = "/^(query|mutation|action|internalQuery|internalMutation|internalAction)$/";
const database = ":matches([callee.object.name='db'], [callee.object.property.name='db'])";

/** Convex's own advice, for functions and schemas. */
const convexAdvice: readonly Restriction[] = [
  {
    selector: `CallExpression[callee.name=${registrars}] > :matches(ArrowFunctionExpression, FunctionExpression)`,
    message: "Register an object with `args` and `handler`.",
  },
  {
    selector: `CallExpression[callee.name=${registrars}] > ObjectExpression:not(:has(> Property[key.name='args']))`,
    message: "Name the function's `args`, so that they are checked.",
  },
  {
    selector: `CallExpression[callee.property.name=/^(get|delete)$/][arguments.length=1]${database}`,
    message: "Name the table first.",
  },
  {
    selector: `CallExpression[callee.property.name=/^(replace|patch)$/][arguments.length=2]${database}`,
    message: "Name the table first.",
  },
  {
    selector:
      "CallExpression[callee.property.name='filter'][callee.object.callee.property.name=/^(query|order|withIndex|withSearchIndex|fullTableScan|filter)$/]:has(CallExpression[callee.property.name='query'])",
    message: "This reads every row: use an index, or filter in code.",
  },
  {
    selector:
      "CallExpression[callee.property.name=/^(hourly|daily|weekly|monthly)$/] Property[key.name='minuteUTC'][value.value=0]",
    message: "Every app's jobs run at the full hour: choose another minute.",
  },
  {
    selector: "CallExpression[callee.property.name='cron'] > Literal[value=/^0+([-\\/,]\\S*)?( +\\S+){4}$/]",
    message: "Every app's jobs run at the full hour: choose another minute.",
  },
];

const literalSpread: Restriction = {
  selector: ":matches(SpreadElement, JSXSpreadAttribute) > ObjectExpression",
  message: "Write the properties themselves instead of spreading a literal.",
};

const wholeZod: Restriction = {
  selector: "ImportDeclaration[source.value='zod'] > ImportSpecifier",
  message: 'Write import * as z from "zod": bundlers then leave out what is not used.',
};

/** Of the overrides that match a file, the last one counts. */
const restrictSyntax = (
  files: string[],
  excludeFiles: string[],
  ...restrictions: readonly Restriction[]
): OxlintOverride => ({
  files,
  excludeFiles,
  rules: { "gleaner/syntax": ["error", literalSpread, wholeZod, ...restrictions] },
});

const tests = ["**/*.{test,fixture}.{ts,tsx}"];
const functions = ["convex/**/*.ts", "packages/queue/{component,client}/**/*.ts"];

export default defineConfig({
  plugins: ["typescript", "react"],
  jsPlugins: ["./scripts/structure/lint-plugin.ts"],
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: "error" },
  categories: { correctness: "error" },
  ignorePatterns: [
    "out/**",
    "**/dist/**",
    "convex/_generated/**",
    "renderer/languages/.wuchale/**",
    "packages/**/fixtures/**",
    "test/packages/fixtures/**",
    "test/queue/fixtures/**",
    "test/published/apps/**",
    "test/differential/convex/**",
    "**/*.mjs",
    "**/*.cjs",
  ],
  rules: {
    "gleaner/imports": "error",
    "gleaner/import-order": "error",
    "gleaner/syntax": ["error", literalSpread, wholeZod],
    "no-array-constructor": "error",
    "no-case-declarations": "error",
    "no-empty": "error",
    "no-fallthrough": "error",
    "no-prototype-builtins": "error",
    "no-redeclare": "error",
    "no-regex-spaces": "error",
    "no-restricted-exports": [
      "error",
      { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } },
    ],
    "no-unexpected-multiline": "error",
    "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    "no-useless-assignment": "error",
    "no-useless-constructor": "error",
    "no-var": "error",
    "prefer-const": "error",
    "prefer-rest-params": "error",
    "prefer-spread": "error",
    "preserve-caught-error": "error",
    // It takes a tuple with an element for a list.
    "react/jsx-key": "off",
    "typescript/ban-ts-comment": ["error", { minimumDescriptionLength: 10 }],
    "typescript/consistent-type-imports": "error",
    "typescript/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
    "typescript/no-deprecated": "error",
    "typescript/no-dynamic-delete": "error",
    "typescript/no-empty-object-type": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-extraneous-class": "error",
    "typescript/no-generated-empty-object-type": "error",
    "typescript/no-invalid-void-type": "error",
    "typescript/no-misused-promises": "error",
    "typescript/no-mixed-enums": "error",
    "typescript/no-namespace": "error",
    "typescript/no-non-null-asserted-nullish-coalescing": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/no-require-imports": "error",
    "typescript/no-unnecessary-boolean-literal-compare": "error",
    "typescript/no-unnecessary-condition": ["error", { allowConstantLoopConditions: true }],
    "typescript/no-unnecessary-template-expression": "error",
    "typescript/no-unnecessary-type-arguments": "error",
    "typescript/no-unnecessary-type-assertion": "error",
    "typescript/no-unnecessary-type-constraint": "error",
    "typescript/no-unnecessary-type-conversion": "error",
    "typescript/no-unnecessary-type-parameters": "error",
    "typescript/no-unsafe-argument": "error",
    "typescript/no-unsafe-assignment": "error",
    "typescript/no-unsafe-call": "error",
    "typescript/no-unsafe-enum-assignment": "error",
    "typescript/no-unsafe-enum-comparison": "error",
    "typescript/no-unsafe-function-type": "error",
    "typescript/no-unsafe-member-access": "error",
    "typescript/no-unsafe-return": "error",
    "typescript/only-throw-error": "error",
    "typescript/prefer-literal-enum-member": "error",
    "typescript/prefer-promise-reject-errors": "error",
    "typescript/prefer-reduce-type-parameter": "error",
    "typescript/prefer-return-this-type": "error",
    "typescript/related-getter-setter-pairs": "error",
    "typescript/restrict-plus-operands": [
      "error",
      {
        allowAny: false,
        allowBoolean: false,
        allowNullish: false,
        allowNumberAndString: false,
        allowRegExp: false,
      },
    ],
    "typescript/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
    // Most of our lists have texts.
    "typescript/require-array-sort-compare": "off",
    "typescript/return-await": ["error", "error-handling-correctness-only"],
    "typescript/unified-signatures": "error",
    "typescript/use-unknown-in-catch-callback-variable": "error",
  },
  overrides: [
    {
      files: ["renderer/**/*.{ts,tsx}"],
      rules: { "react/rules-of-hooks": "error", "react/unsupported-syntax": "error" },
    },
    {
      // The tools that test and measure end with their own time limits.
      files: ["**/*.{ts,tsx,js}"],
      excludeFiles: [...tests, "{test,bench,chaos}/**"],
      rules: { "gleaner/deadlines": "error" },
    },
    restrictSyntax(["app/**/*.ts"], ["**/*.test.ts"], noModuleState, ...noClock),
    restrictSyntax(functions, [], ...convexAdvice),
    restrictSyntax(["packages/queue/shared/**/*.ts"], tests, noModuleState),
    restrictSyntax(
      ["convex/**/*.ts", "packages/queue/component/**/*.ts"],
      tests,
      noModuleState,
      ...convexAdvice,
    ),
    restrictSyntax(["main/**/*.ts"], ["main/face/electron/**"], ...rawIpc),
    restrictSyntax(["renderer/**/*.{ts,tsx}"], ["renderer/panel/bridge/**"], theBridge, ...rawIpc),
    {
      // Tools that want a default export.
      files: [
        "**/*.config.{ts,js}",
        "scripts/structure/lint-plugin.ts",
        "test/run/reporters/*.ts",
        "{,bench/,bench/*/,examples/*/}convex/{schema,http,crons}.ts",
        "packages/queue/component/{schema,crons}.ts",
      ],
      rules: { "no-restricted-exports": "off" },
    },
    {
      files: ["**/*.test.{ts,tsx}", "test/**/*.ts"],
      rules: {
        "typescript/no-non-null-assertion": "off",
        "typescript/no-unsafe-assignment": "off",
        "typescript/no-unsafe-member-access": "off",
        "typescript/unbound-method": "off",
      },
    },
    {
      // Plain JavaScript has no types.
      files: ["**/*.js"],
      rules: {
        "typescript/no-unsafe-argument": "off",
        "typescript/no-unsafe-assignment": "off",
        "typescript/no-unsafe-call": "off",
        "typescript/no-unsafe-member-access": "off",
        "typescript/no-unsafe-return": "off",
      },
    },
    // Playwright reads which fixtures one needs from the parameter's pattern, empty or not.
    { files: ["test/e2e/support/*.ts"], rules: { "no-empty-pattern": "off" } },
  ],
});
