import { isBuiltin } from "node:module";

/** The imports that a room's files are allowed besides those of the room itself. */
export type Row = {
  /** Rooms, folders and files of this repository. "*" is everything. */
  readonly rooms: readonly string[];
  /** Of these only types. */
  readonly types?: readonly string[];
  /** Packages with their subpaths, but of our own packages exactly the named export. `node:` is all of Node. */
  readonly packages: readonly string[];
  /** The additional imports of tests and fixtures: paths or packages. */
  readonly tests?: readonly string[];
};

/**
 * Each room and what it may import; docs/architecture.md shows the same table. A folder with a row of its own is not
 * part of the room around it: that room needs to name it. Tests and fixtures may also import everything in their
 * top-level room or package.
 */
export const rooms: Readonly<Record<string, Row>> = {
  app: { rooms: [], packages: ["zod"] },
  "packages/queue": {
    rooms: ["packages/queue/component"],
    packages: ["convex", "convex-test", "@convex-dev/crons"],
  },
  "packages/queue/shared": { rooms: [], packages: ["convex"] },
  "packages/queue/component": {
    rooms: ["packages/queue/shared"],
    packages: ["convex", "convex-helpers", "@convex-dev/crons", "cron-parser"],
    tests: ["convex-test"],
  },
  "packages/queue/client": {
    rooms: ["packages/queue/shared", "packages/queue/component"],
    packages: ["convex", "convex-helpers"],
    tests: ["convex-test"],
  },
  "packages/queue/worker": {
    rooms: ["packages/queue/shared"],
    types: ["packages/queue/component"],
    packages: ["convex"],
    tests: ["zod"],
  },
  "packages/embedded": {
    rooms: [],
    packages: [
      "node:",
      "acorn",
      "acorn-walk",
      "convex",
      "esbuild",
      "jose",
      "prom-client",
      "ws",
      "yauzl",
      "yazl",
      "zod",
    ],
    tests: ["@peculiar/x509", "openai", "reflect-metadata"],
  },
  "packages/client": { rooms: [], packages: ["convex", "openai", "zod"] },
  convex: {
    rooms: ["app"],
    packages: [
      "@gleaner/queue",
      "@gleaner/queue/convex.config",
      "@gleaner/queue/validators",
      "@gleaner/queue/work",
      "@convex-dev/rate-limiter",
      "@noble/ciphers",
      "@noble/hashes",
      "@remix-run/multipart-parser",
      "@simplewebauthn/server",
      "convex",
      "convex-helpers",
      "fflate",
      "node:dns",
      "node:http",
      "node:https",
      "node:net",
      "nodemailer",
      "oauth4webapi",
    ],
    tests: [
      "packages/queue/component",
      "@gleaner/queue/test",
      "@seriousme/openapi-schema-validator",
      "convex-test",
      "oidc-provider",
      "openai",
      "smtp-server",
    ],
  },
  main: {
    rooms: ["app", "convex/_generated"],
    packages: [
      "@gleaner/queue/worker",
      "node:",
      "convex",
      "dbus-native",
      "electron",
      "electron-log",
      "electron-updater",
      "koffi",
      "multicast-dns",
      "systeminformation",
      "ws",
      "x11",
      "zod",
    ],
    tests: ["packages/queue/worker", "@xmldom/xmldom", "plist"],
  },
  "main/runner": {
    rooms: ["app", "main/store"],
    packages: ["node:", "koffi", "node-llama-cpp", "zod"],
    tests: ["scripts/demo-model"],
  },
  renderer: {
    rooms: ["app", "convex/_generated"],
    packages: [
      "@fontsource/arimo",
      "@fontsource/cousine",
      "@noble/hashes",
      "@simplewebauthn/browser",
      "convex",
      "convex-helpers",
      "lucide-react",
      "radix-ui",
      "react",
      "react-dom",
      "uplot",
      "uqr",
      "virtual:catalogs",
      "virtual:server-sentences",
      "wuchale",
      "zod",
    ],
  },
  launch: {
    rooms: [
      "app",
      "convex/_generated",
      "main/connection",
      "main/first-run",
      "main/headless",
      "main/store",
      "resources/demo-model",
    ],
    packages: [
      "@electron/get",
      "@gleaner/embedded/start-line",
      "@peculiar/x509",
      "node:",
      "convex",
      "multicast-dns",
      "openai",
      "reflect-metadata",
      "undici",
      "zod",
    ],
    tests: ["main/first-run"],
  },
  cli: {
    rooms: [
      "app",
      "launch/core",
      "launch/donor",
      "launch/organization",
      "main/connection",
      "main/face",
      "main/first-run",
      "main/journal",
      "main/managed",
      "main/store",
    ],
    packages: ["@gleaner/client/http", "@gleaner/embedded/operator", "node:", "csv-parse", "zod"],
    tests: ["main/log.ts"],
  },
  scripts: {
    rooms: ["app/openapi", "app/signatures", "launch/farm", "resources/demo-model"],
    packages: ["node:", "@oxlint/plugins", "@playwright/test", "node-llama-cpp", "oxc-parser", "zod"],
    tests: ["main/update", "oxlint"],
  },
  bench: {
    rooms: [
      "app",
      "convex/_generated",
      "launch",
      "main/deployment.fixture.ts",
      "main/donor/organization/signer.ts",
      "main/runner",
      "main/supervisor",
      "packages/embedded",
      "scripts/browser.ts",
      "scripts/chart",
      "scripts/demo-model/gguf",
      "scripts/package",
    ],
    packages: [
      "@gleaner/embedded/operator",
      "@gleaner/queue",
      "@gleaner/queue/convex.config",
      "@gleaner/queue/validators",
      "@gleaner/queue/work",
      "@gleaner/queue/worker",
      "@playwright/test",
      "node:",
      "@noble/hashes",
      "convex",
      "convex-test",
      "dbus-native",
      "node-llama-cpp",
      "x11",
      "zod",
    ],
  },
  sim: {
    rooms: ["app", "packages/queue/component", "packages/queue/shared", "scripts/chart"],
    packages: ["node:", "zod"],
  },
  chaos: {
    rooms: [
      "app",
      "bench/requests/stand-in.ts",
      "bench/trust/answers.ts",
      "convex/_generated",
      "convex/testing/signing.fixture.ts",
      "launch/core",
      "launch/farm",
      "launch/organization",
      "main/runner/runner.fixture.ts",
      "scripts/demo-model/gguf",
    ],
    packages: ["@gleaner/queue/validators", "node:", "convex", "openai"],
  },
  examples: {
    rooms: [],
    packages: [
      "@gleaner/client",
      "@gleaner/queue",
      "@gleaner/queue/convex.config",
      "@gleaner/queue/work",
      "@gleaner/queue/worker",
      "node:",
      "convex",
      "zod",
    ],
    tests: ["main/deployment.fixture.ts"],
  },
  resources: { rooms: [], packages: [] },
  test: { rooms: ["*"], packages: ["*"] },
};

/** Tests and fixtures of every room may import these. */
const testPackages = ["node:", "vitest", "fast-check", "ajv"];

/** Only these folders and files import the package, whatever their room may import. */
export const restrictedPackages: Readonly<Record<string, readonly string[]>> = {
  electron: ["main/desktop", "main/desktop.ts", "main/face/electron", "main/tray", "main/window"],
  "electron-updater": ["main/update"],
  // A wrong native call ends its process.
  koffi: ["main/desktop/memory", "main/runner"],
  // llama.cpp may end its process at any moment, so each of these runs in a process of its own.
  "node-llama-cpp": [
    "main/runner",
    "bench/inference/direct-process.ts",
    "scripts/demo-model/evaluation/model.ts",
  ],
};

export type Import = {
  /** For a file of ours its path from the repository's root, else the package's name with its subpath. */
  readonly target: string;
  readonly relative: boolean;
  readonly typeOnly: boolean;
};

/** The reason why the file may not have this import, or null if it may. `file` is a path from the root. */
export function refusal(file: string, { target, relative, typeOnly }: Import): string | null {
  const owner = rowOf(file);
  const row = rooms[owner ?? ""];
  if (owner === null || row === undefined) {
    return file.includes("/") ? `${file} is in no room of scripts/structure/rooms.ts.` : null;
  }
  const restricted = relative ? undefined : restrictedPackages[packageOf(target)];
  if (restricted?.some((path) => isWithin(file, path)) === false) {
    return `Only ${restricted.join(", ")} may import ${packageOf(target)}.`;
  }
  const test = isTest(file);
  const tests = test ? (row.tests ?? []) : [];
  const allowed = relative
    ? rowOf(target) === owner ||
      (test && isWithin(target, roomOf(file))) ||
      [...row.rooms, ...(typeOnly ? (row.types ?? []) : []), ...tests].some((entry) => covers(entry, target))
    : [...row.packages, ...tests, ...(test ? testPackages : [])].some((entry) => isPackage(target, entry));
  const entries = [...row.rooms, ...(row.types ?? []).map((entry) => `types of ${entry}`), ...row.packages];
  return allowed ? null : `${owner}/ may import only ${["itself", ...entries].join(", ")}.`;
}

/** The innermost room of the table that has the file, or null. */
function rowOf(path: string): string | null {
  const found = Object.keys(rooms).filter((room) => isWithin(path, room));
  return found.toSorted((a, b) => b.length - a.length)[0] ?? null;
}

/** Whether the entry has the path, and no room inside the entry does. */
function covers(entry: string, path: string): boolean {
  return entry === "*" || (isWithin(path, entry) && isWithin(entry, rowOf(path) ?? ""));
}

function isPackage(specifier: string, entry: string): boolean {
  if (entry === "*" || specifier === entry) return true;
  if (entry === "node:") return isBuiltin(specifier);
  return !entry.startsWith("@gleaner/") && isWithin(specifier, entry);
}

/** The name of a package, without the subpath. */
function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** The top-level folder of a file, or its package. */
export function roomOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  if (!path.includes("/")) return ".";
  return first === "packages" ? `${first}/${second}` : first;
}

/** True for tests and their fixtures. */
export function isTest(path: string): boolean {
  return /\.(test|fixture|spec|child)\.tsx?$|(^|\/)fixtures\/|^test\//.test(path);
}
