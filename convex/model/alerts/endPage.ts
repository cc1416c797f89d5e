declare const process: { readonly env: { readonly CONVEX_SITE_URL?: string } };

export const endMailsPath = "/alerts/end";

/** The link in each mail. Its secret ends these mails, and opens nothing else. */
export function endMailsAddress(token: string): string {
  const { CONVEX_SITE_URL: siteUrl = "" } = process.env;
  return `${siteUrl.replace(/\/$/, "")}${endMailsPath}?token=${token}`;
}

/** Asks first: programs that look through mails open links, too. */
export const askPage = page(
  "Do you want no more alerts by mail?",
  '<form method="post"><button>End these mails</button></form>',
);

export const endedPage = page(
  "You get no more alerts by mail",
  "<p>An administrator can choose you again.</p>",
);

function page(title: string, content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>body{font:16px/1.5 system-ui;max-width:36em;margin:4em auto;padding:0 1em;color-scheme:light dark}
button{font:inherit;padding:.5em 1em}</style></head><body><h1>${title}</h1>${content}</body></html>`;
}
