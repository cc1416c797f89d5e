import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { adapter } from "@wuchale/jsx";
import { AdapterHandler, createHeuristic, defaultHeuristicOpts, Logger, normalizeSep } from "wuchale";
import { Transformer } from "wuchale/adapter-vanilla";
import { languages } from "./app/format/languages.ts";

type Node = Parameters<Transformer["visit"]>[0];

/** wuchale does not look into `satisfies` and `while` by itself. Configurable, since a process may load this file again. */
Object.defineProperties(Transformer.prototype, {
  visitTSSatisfiesExpression: {
    configurable: true,
    get(this: Transformer) {
      return ({ expression }: { readonly expression: Node }) => this.visit(expression);
    },
  },
  visitWhileStatement: {
    configurable: true,
    get(this: Transformer) {
      return ({ body }: { readonly body: Node }) => this.visit(body);
    },
  },
});

const capitalized = createHeuristic({
  ...defaultHeuristicOpts,
  ignoreElements: ["code", "kbd", "path", "pre", "style"],
  ignoreCalls: ["cx"],
});

/** Words with spaces between them that begin with a value (#) or a mark, such as "# of 3: more" and "“Donate now”". */
const opening = /^[#(,“…](?=.* ).*\p{L}{2}/u;
/** Words in lower case with spaces between them, such as "no limit". A list of classes has hyphens or colons. */
const phrase = /^(\d[\d,]*|[a-z]+['’]?[a-z]*)( [\p{L}\p{N}#,.()'’“”;?…%/×+–]+)+$/u;

/**
 * Files with text that is code or a name, and reads the same in every language, or that only the server and commands say, in
 * English.
 */
const untranslated = [
  "app/format/languages.ts",
  "app/models/gguf.ts",
  "renderer/console/account/QrCode.tsx",
  "renderer/console/audit/export-trail.ts",
  "renderer/console/batches/batch-snippets.ts",
  "renderer/console/keys/snippets.ts",
];

/** The files with text. */
const files = {
  include: [
    "renderer/{console,panel,rules,ui}/**/*.{ts,tsx}",
    "app/{audit,comfort,devices,facts,format,mail,models,people,policy}/**/*.ts",
    "app/{audit,queue-settings,batches/parse-line,jobs/mendable,keys/addresses,keys/restriction,keys/scopes,contract/leaving,contract/needs-you,contract/pause-choices,contract/sentences/donor-sentences,contract/sentences/pay-words,contract/sentences/start-sentences,contract/job-errors,contract/span-words,credits/key-moves,credits/key-statement,credits/statement,credits/too-few,money/credits,money/formula-words,statistics/counted,trust/check-mode,trust/standing}.ts",
    // Only what refuses a member's call. The API's errors are in English.
    "convex/{access,console}/**/*.ts",
    "convex/webhooks/send.ts",
    "convex/model/{credits,fleet,keys,models,passkeys,people,policies,ratings,rollouts,secondFactor,webhooks}/**/*.ts",
    "convex/model/{mail/problem,mail/server,signIn/addresses,signIn/attempts,signIn/finish,signIn/proof,signIn/providers,signIn/sealed}.ts",
    "convex/model/{authenticate,memberCalls,owners,rates,refusedActs,devices/labels,devices/limits,devices/pauses,devices/service,requests/correction,trust/corrections,usage/budgets,usage/budgetStops}.ts",
    "main/{desktop/failed-start,tray/download-line,tray/tray-menu,tray/tray-state,window/failed-words}.ts",
  ],
  ignore: ["**/*.test.ts", "**/*.fixture.ts", ...untranslated],
};

/** Whether the server says a file's text. A console looks it up when it hears it. */
export function isOfServer(file: string): boolean {
  return file.startsWith("convex/") || file === linesOfBatches || file === tooFewCredits;
}

const linesOfBatches = "app/batches/parse-line.ts";
/** The playground shows an error of the API, which is in English for all other callers. */
const tooFewCredits = "app/credits/too-few.ts";
/** Files in which each sentence is one of the server, and not only those of refusals. */
const wholeFiles = [
  linesOfBatches,
  tooFewCredits,
  "convex/access/mail.ts",
  "convex/model/mail/problem.ts",
  "convex/model/trust/corrections.ts",
  "convex/model/usage/budgetStops.ts",
  "convex/model/webhooks/address.ts",
  "convex/webhooks/send.ts",
];

/**
 * A sentence with which the server refuses a call: the text of `refuse("conflict", "A team of this name exists already.")`. Or what is wrong
 * with a line of a batch, why a wrong answer has no correction, or why a mail or a webhook was not sent.
 */
const refusalOfServer: ReturnType<typeof createHeuristic> = ({ details, msgStr }) =>
  (details.call === "refuse" || details.call === "refuseUntil" || wholeFiles.includes(details.file)) &&
  msgStr.every((text) => /^(A |[A-Z“][a-z\d#]).* .*[^#]\.$/.test(text))
    ? "message"
    : false;

/** Finds the text in plain code, and keeps its translations in a folder. */
function pagesIn(localesDir: string): ReturnType<typeof adapter> {
  // wuchale writes what it compiles to this folder, but does not make it for a loader that is not its own.
  mkdirSync(join(localesDir, ".wuchale"), { recursive: true });
  return adapter({
    files,
    localesDir,
    loader: "custom",
    heuristic: (message) =>
      isOfServer(message.details.file)
        ? refusalOfServer(message)
        : capitalized(message) ||
          (message.details.call !== "cx" &&
          message.details.attribute !== "className" &&
          message.msgStr.every((text) => opening.test(text) || (phrase.test(text) && /\p{L}{2}/u.test(text)))
            ? "message"
            : false),
    // A page loads its catalog before its code, and reloads for another language. So nothing has to react.
    runtime: {
      initReactive: ({ funcName }) => (funcName === undefined ? false : null),
      useReactive: false,
      plain: { wrapInit: (expression) => expression, wrapUse: (expression) => expression },
    },
  });
}

const options = { locales: Object.keys(languages), ai: null, logLevel: "error" as const };

/** wuchale's work on the catalogs in a folder. It writes none of them by itself. */
export function catalogsIn(folder: string): AdapterHandler {
  return new AdapterHandler(
    pagesIn(folder),
    "pages",
    options,
    "cli",
    import.meta.dirname,
    new Logger("error"),
  );
}

/**
 * Brings the catalogs in a folder up to date with the text of the pages. Equal pages give equal catalogs: wuchale's own
 * command reads the files in the order in which the disk answers, and that order decides on the comments of a text that
 * several files have.
 */
export async function updateCatalogs(folder: string): Promise<void> {
  const handler = catalogsIn(folder);
  await handler.init(new Map());
  const catalogs = [...handler.sharedState.poFilesByLoc.values()].map(({ catalog }) => catalog);
  for (const item of catalogs.flatMap((catalog) => [...catalog.values()])) {
    item.references = [];
    item.extractedComments = [];
  }
  for (const file of globSync(files.include, { cwd: import.meta.dirname })
    .map(normalizeSep)
    .toSorted()) {
    if (!(handler.fileMatches as (file: string) => boolean)(file)) continue;
    await handler.transform(readFileSync(join(import.meta.dirname, file), "utf8"), file, -1, false, true);
  }
  for (const catalog of catalogs) {
    for (const [key, { references }] of catalog) if (references.length === 0) catalog.delete(key);
  }
  for (const language of options.locales) await handler.savePO(language);
}

/** The files with the text of mails. A server has no catalogs, so it gets the translations of just these. */
const filesOfMails: ReadonlySet<string> = new Set([
  "app/devices/attention.ts",
  "app/mail/alert-words.ts",
  "app/mail/mails.ts",
  "app/people/roles.ts",
]);

/** The text of `app/mail/translations.json`: the text of mails in English, with its translations by language. */
export async function translationsOfMails(folder: string): Promise<string> {
  const handler = catalogsIn(folder);
  await handler.init(new Map());
  const translated = options.locales
    .filter((language) => language !== "en")
    .map((language) => {
      const items = [...(handler.sharedState.poFilesByLoc.get(language)?.catalog.values() ?? [])];
      const ofMails = items.filter(({ references }) => references.some((file) => filesOfMails.has(file)));
      // A form of English is the same form there: one, or several. `sayIn` knows no other ones.
      const pairs = ofMails.flatMap(({ msgid, msgid_plural: several, msgstr: [one = "", other = ""] }) => [
        [msgid, one] as const,
        ...(several == null ? [] : [[several, other] as const]),
      ]);
      return [language, Object.fromEntries<string>(pairs.toSorted())] as const;
    });
  return `${JSON.stringify(Object.fromEntries(translated), null, 2)}\n`;
}

if (import.meta.main) {
  const folder = join(import.meta.dirname, "renderer/languages");
  await updateCatalogs(folder);
  const file = join(import.meta.dirname, "app/mail/translations.json");
  const text = await translationsOfMails(folder);
  // `npm run dev` builds again when a file changes, and each build comes here.
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}
