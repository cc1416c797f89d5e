import type { Language } from "../../../app/format/languages.ts";
import { endPageWords } from "../../../app/mail/mails.ts";

declare const process: { readonly env: { readonly CONVEX_SITE_URL?: string } };

export const endMailsPath = "/alerts/end";

/** The link in each mail. Its secret ends these mails, and opens nothing else. */
export function endMailsAddress(token: string): string {
  const { CONVEX_SITE_URL: siteUrl = "" } = process.env;
  return `${siteUrl.replace(/\/$/, "")}${endMailsPath}?token=${token}`;
}

/** Asks first: programs that look through mails open links, too. */
export function askPage(language: Language): string {
  const { question, act } = endPageWords(language);
  return page(language, question, `<form method="post"><button>${act}</button></form>`);
}

export function endedPage(language: Language): string {
  const { ended, advice } = endPageWords(language);
  return page(language, ended, `<p>${advice}</p>`);
}

function page(language: Language, title: string, content: string): string {
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>body{font:16px/1.5 system-ui;max-width:36em;margin:4em auto;padding:0 1em;color-scheme:light dark}
button{font:inherit;padding:.5em 1em}</style></head><body><h1>${title}</h1>${content}</body></html>`;
}
