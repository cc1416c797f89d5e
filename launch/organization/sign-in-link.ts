/** The address of the console that a backend serves with its API. */
export function consoleOf(siteUrl: string): string {
  return `${siteUrl}/console/`;
}

/** The link that signs a member in, once. @param consoleUrl the console's address, without a fragment. */
export function signInLink(consoleUrl: string, token: string): string {
  return `${consoleUrl}#signin=${token}`;
}
