const maxSaidChars = 240;

/** The words of a socket, or of nodemailer, for a server that cannot be reached. */
const unreached = /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|Connection timeout|EAI_AGAIN/;

/**
 * Why a mail was not sent: what happened, then the server's own words, and what to do. A console finds the sentences in its
 * language, but the server's words stay as they are.
 */
export function problemWords(error: unknown): string {
  const said = error instanceof Error ? error.message.replace(/\s+/g, " ").trim() : "unknown error";
  const bounded = said.slice(0, maxSaidChars);
  if (unreached.test(said)) {
    return `The mail server cannot be reached (${bounded}). Check its name and port.`;
  }
  switch (codeOf(error)) {
    case "EAUTH":
      return `The mail server refused the login (${bounded}). Check the user and the password.`;
    case "EENVELOPE":
      return `The mail server refused the sender or the recipient (${bounded}). Check both addresses.`;
    case "ETLS":
      return `No encrypted connection to the mail server was possible (${bounded}). Check the kind of encryption and the port.`;
    default:
      return `The mail server did not take the mail (${bounded}). Check its settings.`;
  }
}

/** The kind of error, as nodemailer names it. */
function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}
