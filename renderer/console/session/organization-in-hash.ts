/** The organization in an address such as `#/sign-in?organization=ID`; null if it names none. */
export function organizationInHash(hash: string): string | null {
  return new URLSearchParams(hash.split("?")[1] ?? "").get("organization");
}

/** The part of the sign-in address of one organization after the console's own address. */
export function signInHash(organizationId: string): string {
  return `#/sign-in?organization=${encodeURIComponent(organizationId)}`;
}
