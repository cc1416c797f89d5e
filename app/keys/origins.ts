import { quotable } from "../format/visible.ts";

/** Origins of pages in browsers, such as "https://chat.example.com". Null: those of all pages. */
export type Origins = readonly string[] | null;

export const originBounds = { most: 50, chars: 255 } as const;

/** The operator's list: a variable of the server with blanks or commas between origins. Undefined or blank: none. "*": all. */
export function listedOrigins(variable: string | undefined): Origins {
  const listed = separated(variable ?? "").map(canonical);
  return listed.includes("*") ? null : listed;
}

/**
 * The origin that browsers get in `access-control-allow-origin`; null: pages of this origin may not read answers.
 * @param origin of the page that calls, as its browser tells it; null outside of browsers.
 */
export function allowedOrigin(allowed: Origins, origin: string | null): string | null {
  if (allowed === null) return "*";
  return origin !== null && allowed.includes(origin.toLowerCase()) ? origin : null;
}

/** Why a page may not call, for the developer of the page. */
export function foreignPageWords(origin: string): string {
  return (
    `Pages of ${quotable(origin)} may not call this API from browsers. An owner or an administrator can allow them in the ` +
    "console: API keys, Change pages."
  );
}

/** The origins that some of several lists have. */
export function unionOf(lists: readonly Origins[]): Origins {
  const known = lists.filter((list) => list !== null);
  return known.length < lists.length ? null : [...new Set(known.flat())];
}

type ParsedOrigins =
  | { readonly kind: "ok"; readonly origins: string[] | null }
  | { readonly kind: "wrong"; readonly why: string };

/** Parses typed origins, one a line. None: null, which leaves the choice to the operator. "*": all pages. */
export function parseOrigins(typed: string): ParsedOrigins {
  const origins = [...new Set(separated(typed).map(canonical))];
  const why = originsMistake(origins);
  if (why !== null) return { kind: "wrong", why };
  return { kind: "ok", origins: origins.length === 0 ? null : origins };
}

/** Any scheme, since the pages of some programs have their own: app://obsidian.md. No path and no account. */
const form = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.[\]:_-]+$/;

/** Why an organization may not have this list; null if it may. */
export function originsMistake(origins: readonly string[]): string | null {
  const { most, chars } = originBounds;
  if (origins.length > most) return `List at most ${String(most)} origins.`;
  if (origins.includes("*") && origins.length > 1) return 'List either "*" for all pages, or origins.';
  const wrong = origins.find((each) => each !== "*" && (each.length > chars || !isOrigin(each)));
  if (wrong === undefined) return null;
  return `“${wrong.slice(0, 80)}” is no origin. Write each as https://chat.example.com, without a path.`;
}

function separated(list: string): readonly string[] {
  return list.split(/[\s,]+/).filter((each) => each !== "");
}

/** Every runtime has it, but no library of types that all rooms share. */
declare const URL: {
  new (address: string): { readonly href: string; readonly origin: string };
  canParse(address: string): boolean;
};

const web = /^https?:\/\//;

function isOrigin(each: string): boolean {
  return form.test(each) && (!web.test(each) || (URL.canParse(each) && new URL(each).origin === each));
}

/** As browsers write it. People may add a slash at its end, a default port, capitals or letters beyond ASCII. */
function canonical(typed: string): string {
  const plain = typed.toLowerCase().replace(/\/+$/, "");
  if (!web.test(plain) || !URL.canParse(plain)) return plain;
  const { href, origin } = new URL(plain);
  return href === `${origin}/` ? origin : plain;
}
