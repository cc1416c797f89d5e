const maxSaidChars = 240;

/** The words of a socket, or of nodemailer, for a server that cannot be reached. */
const unreached = /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|Connection timeout|EAI_AGAIN/;

/** Why a mail was not sent: what to do, if it is known, and then the server's own words. */
export function problemWords(error: unknown): string {
  const said = error instanceof Error ? error.message.replace(/\s+/g, " ").trim() : "unknown error";
  const bounded = said.slice(0, maxSaidChars);
  return unreached.test(said)
    ? `The mail server cannot be reached (${bounded}). Check its name and port.`
    : bounded;
}
