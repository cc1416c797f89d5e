const maxProblemChars = 300;

/** The words of a socket, or of nodemailer, for a server that cannot be reached. */
const unreached = /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|Connection timeout|EAI_AGAIN/;

/** Why a mail was not sent: what to do, if it is known, and then the server's own words. */
export function problemWords(error: unknown): string {
  const said = error instanceof Error ? error.message.replace(/\s+/g, " ").trim() : "unknown error";
  const words = unreached.test(said)
    ? `The mail server cannot be reached. Check its name and port. (${said})`
    : said;
  return words.slice(0, maxProblemChars);
}
