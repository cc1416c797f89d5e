/** How the connection to a mail server is protected, with the console's words. */
const words = {
  starttls: "STARTTLS (usually port 587)",
  tls: "TLS from the start (usually port 465)",
  none: "No TLS (only for a server on this computer)",
} as const;

export type MailSecurity = keyof typeof words;

export const mailSecurities = Object.keys(words) as readonly MailSecurity[];

export function mailSecurityWords(security: MailSecurity): string {
  return words[security];
}
