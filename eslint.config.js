import { builtinModules } from "node:module";
import convexPlugin from "@convex-dev/eslint-plugin";
import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import reactHooks from "eslint-plugin-react-hooks";
import importSort from "eslint-plugin-simple-import-sort";
import tseslint from "typescript-eslint";

/** One entry of `no-restricted-imports`: refuses imports by pattern, with the reason. */
const refuse = (group, message) => ({ group, message });

const ourFolders = (...names) => names.flatMap((name) => [`**/${name}/**`]);

/** Our convex folder, not the package of that name. */
const onlyGenerated = {
  regex: "^\\.{1,2}/(.*/)?convex/(?!_generated)",
  message: "Only convex's generated API.",
};

const queueImports = [
  refuse(ourFolders("app", "main", "renderer", "cli", "launch"), "A package imports nothing of ours."),
  { regex: "^(node:|electron($|/))", message: "The queue runs wherever a ConvexClient does: no Node." },
];

const packagesByName = refuse(ourFolders("packages"), "Import what a package exports, by its name.");

/** The imports of each room (docs/architecture.md). test/ may import everything. */
const boundaries = {
  app: [
    { regex: "^(?!\\.{1,2}/|zod$)", message: "app/ is pure: nothing but zod and itself." },
    refuse(
      ourFolders("main", "renderer", "convex", "embedded", "launch"),
      "app/ imports nothing outside itself.",
    ),
  ],
  convex: [
    {
      regex: `^(node:|(${builtinModules.join("|")})($|/))`,
      message: "convex/ runs on Convex's default runtime: no Node.",
    },
    refuse(
      ourFolders("main", "renderer", "packages", "cli", "launch"),
      "convex/ imports app/ and the queue package, nothing else of ours.",
    ),
  ],
  main: [
    refuse(
      ourFolders("renderer", "packages", "cli", "launch"),
      "main/ imports app/, the queue's worker and convex/_generated.",
    ),
    onlyGenerated,
  ],
  renderer: [
    {
      regex: `^(node:|electron($|/)|(${builtinModules.join("|")})($|/))`,
      message: "A renderer never reaches Node.",
    },
    refuse(ourFolders("main", "packages", "cli", "launch"), "renderer/ imports app/ and convex/_generated."),
    onlyGenerated,
  ],
  "packages/queue": queueImports,
  "packages/queue/component": [
    ...queueImports,
    refuse(ourFolders("client", "worker"), "The component knows neither its app's client nor its workers."),
  ],
  "packages/queue/client": [
    ...queueImports,
    refuse(ourFolders("worker"), "An app's client is not a worker."),
  ],
  "packages/queue/worker": [
    ...queueImports,
    refuse(ourFolders("client"), "A worker imports no code that runs in an app."),
    {
      ...refuse(ourFolders("component"), "A worker's program contains no code of the component: only types."),
      allowTypeImports: true,
    },
  ],
  "packages/queue/shared": [
    ...queueImports,
    refuse(ourFolders("component", "client", "worker"), "shared/ imports nothing of the other folders."),
  ],
  launch: [
    refuse(ourFolders("cli", "renderer", "test", "chaos", "bench"), "launch/ is below cli/ and the tests."),
    packagesByName,
  ],
  cli: [
    refuse(ourFolders("renderer", "test", "chaos", "bench"), "cli/ is below the tests, and shows no page."),
    packagesByName,
  ],
  "packages/embedded": [
    refuse(ourFolders("app", "main", "renderer", "cli", "launch"), "A package imports nothing of ours."),
    {
      regex: "^(\\.{1,2}/(.*/)?convex/|@gleaner/)",
      message: "The embedded backend loads an app's functions at run time.",
    },
  ],
  examples: [
    refuse(ourFolders("app", "main", "renderer", "cli", "launch"), "An example knows only the queue."),
  ],
  sim: [
    refuse(ourFolders("app", "main", "renderer", "cli", "launch"), "sim/ simulates the queue, nothing else."),
    refuse(ourFolders("test", "chaos", "bench", "scripts"), "sim/ imports no other tool."),
  ],
  bench: [
    refuse(
      ourFolders("renderer", "cli", "test", "chaos", "sim"),
      "bench/ imports no page and no other tool.",
    ),
  ],
  chaos: [
    refuse(ourFolders("renderer", "cli", "test", "bench", "sim"), "chaos/ works on a farm of launch/farm/."),
  ],
  scripts: [
    refuse(ourFolders("main", "renderer", "cli"), "scripts/ use launch/ if they need a running farm."),
    refuse(ourFolders("test", "chaos", "bench", "sim"), "scripts/ import no other tool."),
  ],
};

/** The files outside of main/runner/ that load llama.cpp, each in a process of its own. */
const llamaUsers = ["bench/inference/direct-process.ts", "scripts/demo-model/evaluation/model.ts"];

/** llama.cpp may end its process at any moment, so no other process loads it. */
const noLlama = {
  regex: "^node-llama-cpp($|/)",
  message: "Only main/runner/ loads llama.cpp: talk to the runner through main/supervisor/.",
};

const boundary = (folder) => ({
  files: [`${folder}/**/*.{ts,tsx}`],
  ignores: ["**/*.test.ts", "**/*.test.tsx", "{app,packages}/**/*.fixture.ts", ...llamaUsers],
  rules: { "no-restricted-imports": ["error", { patterns: [...boundaries[folder], noLlama] }] },
});

const electronFree = "Only desktop.ts, tray/, window/, update/ and face/electron/ know Electron.";
const knowsElectron = [
  "main/desktop.ts",
  "main/tray/**",
  "main/window/**",
  "main/update/**",
  "main/face/electron/**",
];

const noElectron = { regex: "^electron($|/)", message: electronFree };
const noRunner = {
  regex: "^\\.{1,2}/(.*/)?runner/(?!.*\\.fixture\\.ts$)",
  message: "main/runner/ is another process: talk to it by app/contract/runner.ts.",
};
const noDonor = refuse(
  ourFolders("supervisor", "donor", "face", "sensors", "journal", "tray", "window", "update"),
  "main/runner/ runs without the donor: it talks to it by app/contract/runner.ts.",
);

const restrictImports = (files, ignores, ...patterns) => ({
  files,
  ignores,
  rules: { "no-restricted-imports": ["error", { patterns }] },
});

const tests = "**/*.test.ts";
const mainImports = [
  restrictImports(["main/**/*.test.ts"], ["main/runner/**"], noLlama),
  restrictImports(
    ["main/**/*.ts"],
    ["main/runner/**", tests, ...knowsElectron],
    ...[noElectron, noLlama, noRunner, ...boundaries.main],
  ),
  restrictImports(knowsElectron, [tests], noLlama, noRunner, ...boundaries.main),
  restrictImports(["main/runner/**/*.ts"], [tests], noElectron, noDonor, ...boundaries.main),
];

const dynamicElectron = { selector: "ImportExpression[source.value=/^electron/]", message: electronFree };
const dynamicLlama = {
  selector: "ImportExpression[source.value=/^node-llama-cpp/]",
  message: noLlama.message,
};
const everyRoom = ["**/*.{ts,tsx,js}"];

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

const literalSpread = {
  selector: ":matches(SpreadElement, JSXSpreadAttribute) > ObjectExpression",
  message: "Write the properties themselves instead of spreading a literal.",
};

const restrictSyntax = (files, ignores, ...selectors) => ({
  files,
  ignores,
  rules: { "no-restricted-syntax": ["error", literalSpread, ...selectors] },
});

const syntax = [
  restrictSyntax(everyRoom, llamaUsers, dynamicLlama),
  restrictSyntax(llamaUsers, []),
  restrictSyntax(["app/**/*.ts"], ["**/*.test.ts"], dynamicLlama, ...noClock),
  restrictSyntax(["main/runner/**/*.ts"], [], dynamicElectron, ...rawIpc),
  restrictSyntax(
    ["main/**/*.ts"],
    [...knowsElectron, "main/runner/**"],
    ...[dynamicElectron, dynamicLlama, ...rawIpc],
  ),
  restrictSyntax(["main/{tray,window,update}/**/*.ts", "main/desktop.ts"], [], dynamicLlama, ...rawIpc),
  restrictSyntax(
    ["renderer/**/*.{ts,tsx}"],
    ["renderer/panel/bridge/**"],
    dynamicLlama,
    theBridge,
    ...rawIpc,
  ),
];

export default defineConfig([
  globalIgnores([
    "out/**",
    "**/dist/**",
    "node_modules/**",
    "convex/_generated/**",
    "packages/**/fixtures/**",
    "test/{packages,queue}/fixtures/**",
    "test/conformance/convex/**",
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
  restrictImports(everyRoom, ["main/runner/**", ...llamaUsers], noLlama),
  ...Object.keys(boundaries).map(boundary),
  ...mainImports,
  ...syntax,
  {
    // Tools that want a default export.
    files: [
      "*.config.{ts,js}",
      "**/*.config.{ts,js}",
      "{,bench/,bench/*/}convex/{schema,http,crons}.ts",
      "packages/queue/component/{schema,crons}.ts",
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
