import convexPlugin from "@convex-dev/eslint-plugin";
import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import reactHooks from "eslint-plugin-react-hooks";
import importSort from "eslint-plugin-simple-import-sort";
import tseslint from "typescript-eslint";
import { callDeadlines } from "./scripts/structure/call-deadlines.ts";
import { roomImports } from "./scripts/structure/room-imports.ts";

/** Untyped access. Only main/face/electron/ uses raw IPC, and only renderer/panel/bridge/ uses the bridge. */
const rawIpc = [
  {
    selector: "ImportSpecifier[imported.name=/^(ipcMain|ipcRenderer)$/]",
    message: "Use the donor's calls (app/contract/donor-calls.ts), not raw IPC.",
  },
  {
    selector: "MemberExpression[property.name=/^(ipcMain|ipcRenderer)$/]",
    message: "Use the donor's calls.",
  },
];
const theBridge = {
  selector: "MemberExpression[property.name='gleaner']",
  message: "Only the panel sees the bridge.",
};
const noClock = [
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
const noModuleState = {
  selector: ":matches(Program, ExportNamedDeclaration) > VariableDeclaration[kind='let']",
  message: "Modules of functions keep no state between runs.",
};

const literalSpread = {
  selector: ":matches(SpreadElement, JSXSpreadAttribute) > ObjectExpression",
  message: "Write the properties themselves instead of spreading a literal.",
};

const wholeZod = {
  selector: "ImportDeclaration[source.value='zod'] > ImportSpecifier",
  message: 'Write import * as z from "zod": bundlers then leave out what is not used.',
};

const restrictSyntax = (files, ignores, ...selectors) => ({
  files,
  ignores,
  rules: { "no-restricted-syntax": ["error", literalSpread, wholeZod, ...selectors] },
});

const syntax = [
  restrictSyntax(["**/*.{ts,tsx,js}"], []),
  restrictSyntax(["app/**/*.ts"], ["**/*.test.ts"], noModuleState, ...noClock),
  restrictSyntax(
    ["convex/**/*.ts", "packages/queue/{component,shared}/**/*.ts"],
    ["**/*.{test,fixture}.ts"],
    noModuleState,
  ),
  restrictSyntax(["main/**/*.ts"], ["main/face/electron/**"], ...rawIpc),
  restrictSyntax(["renderer/**/*.{ts,tsx}"], ["renderer/panel/bridge/**"], theBridge, ...rawIpc),
];

export default defineConfig([
  globalIgnores([
    "out/**",
    "**/dist/**",
    "node_modules/**",
    "convex/_generated/**",
    "renderer/languages/.wuchale/**",
    "packages/**/fixtures/**",
    "test/{packages,queue}/fixtures/**",
    "test/published/apps/**",
    "test/differential/convex/**",
    "**/*.mjs",
    "**/*.cjs",
  ]),
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    plugins: { "simple-import-sort": importSort },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "no-undef": "off",
      "simple-import-sort/imports": ["error", { groups: [["^\\u0000", "^node:", "^@?\\w", "^"]] }],
      "no-restricted-exports": [
        "error",
        { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } },
      ],
      // Overflows its stack on Convex's recursive Value type.
      "@typescript-eslint/no-unsafe-class-instance-assignment": "off",
      "@typescript-eslint/consistent-type-imports": "error",
      // A function may promise without awaiting: it implements an asynchronous contract.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/no-unnecessary-condition": ["error", { allowConstantLoopConditions: true }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    },
  },
  ...convexPlugin.configs.recommended.map((config) => ({
    ...config,
    files: ["convex/**/*.ts", "packages/queue/{component,client}/**/*.ts"],
  })),
  { files: ["renderer/**/*.{ts,tsx}"], ...reactHooks.configs.flat.recommended },
  {
    files: ["**/*.{ts,tsx,js}"],
    plugins: { rooms: { rules: { imports: roomImports, deadlines: callDeadlines } } },
    rules: { "rooms/imports": "error" },
  },
  {
    // The tools that test and measure end with their own time limits.
    files: ["**/*.{ts,tsx,js}"],
    ignores: ["**/*.{test,fixture}.{ts,tsx}", "{test,bench,chaos}/**"],
    rules: { "rooms/deadlines": "error" },
  },
  ...syntax,
  {
    // Tools that want a default export.
    files: [
      "*.config.{ts,js}",
      "**/*.config.{ts,js}",
      "{,bench/,bench/*/}convex/{schema,http,crons}.ts",
      "packages/queue/component/{schema,crons}.ts",
      "test/run/reporters/*.ts",
    ],
    rules: { "no-restricted-exports": "off" },
  },
  {
    files: ["**/*.test.{ts,tsx}", "test/**/*.ts"],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/unbound-method": "off",
    },
  },
  // Playwright reads which fixtures one needs from the parameter's pattern, empty or not.
  { files: ["test/e2e/support/*.ts"], rules: { "no-empty-pattern": "off" } },
  { files: ["**/*.js"], ...tseslint.configs.disableTypeChecked },
]);
