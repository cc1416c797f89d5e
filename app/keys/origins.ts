/**
 * The origin that browsers get in `access-control-allow-origin`; null: pages of this origin may not read answers.
 * @param allowed the origins that the operator allows, with blanks or commas between them. Undefined or blank: all.
 * @param origin of the page that calls, as its browser tells it; null outside of browsers.
 */
export function allowedOrigin(allowed: string | undefined, origin: string | null): string | null {
  const listed = (allowed ?? "").split(/[\s,]+/).filter((each) => each !== "");
  if (listed.length === 0 || listed.includes("*")) return "*";
  if (origin === null) return null;
  return listed.some((each) => sameOrigin(each, origin)) ? origin : null;
}

/** An operator may write an address with a slash at its end, or in capitals. */
function sameOrigin(listed: string, origin: string): boolean {
  return listed.toLowerCase().replace(/\/+$/, "") === origin.toLowerCase();
}
