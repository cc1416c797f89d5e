import { adapter } from "@wuchale/jsx";
import { createHeuristic, defaultHeuristicOpts, defineConfig } from "wuchale";

const capitalized = createHeuristic({
  ...defaultHeuristicOpts,
  ignoreElements: ["code", "kbd", "path", "pre", "style"],
  ignoreCalls: ["cx"],
});

/** Words in lower case with spaces between them, such as "no limit". A list of classes has hyphens or colons. */
const phrase = /^[a-z]+['’]?[a-z]*( [\p{L}\p{N}#,.()'’“”;?…%/×+–]+)+$/u;

/** Text that is code or a name, and reads the same in every language. */
const untranslated = [
  "renderer/console/account/{agent-words.ts,QrCode.tsx}",
  "renderer/console/keys/snippets.ts",
  "renderer/console/passkeys/use-passkeys.ts",
];

/**
 * The catalogs of the console and the panel. wuchale finds the text of the pages in plain code, keeps it in
 * `renderer/languages/*.po`, and replaces it in builds. `npm run languages` brings the catalogs up to date.
 */
export default defineConfig({
  locales: ["en", "de"],
  ai: null,
  logLevel: "error",
  adapters: {
    pages: adapter({
      files: {
        include: [
          "renderer/{console,panel,rules,ui}/**/*.{ts,tsx}",
          "app/{audit,devices,facts,format,models,people,policy}/**/*.ts",
          "app/{audit,queue-settings}.ts",
        ],
        ignore: ["**/*.test.ts", ...untranslated],
      },
      localesDir: "renderer/languages",
      loader: "custom",
      heuristic: (message) =>
        capitalized(message) ||
        (message.details.call !== "cx" &&
          message.details.attribute !== "className" &&
          phrase.test(message.msgStr.join("\n"))
          ? "message"
          : false),
      // A page loads its catalog before its code, and loads anew for another language. So nothing has to react.
      runtime: {
        initReactive: ({ funcName }) => (funcName === undefined ? false : null),
        useReactive: false,
        plain: { wrapInit: (expression) => expression, wrapUse: (expression) => expression },
      },
    }),
  },
});
