/** How members prove who they are, with the console's words. */
const words = {
  link: "One-time link",
  invitation: "Invitation",
  password: "Password",
  passkey: "Passkey",
  "single-sign-on": "Single sign-on",
} as const;

export type SignInMethod = keyof typeof words;

export const signInMethods = Object.keys(words) as readonly SignInMethod[];

export function signInMethodWords(method: SignInMethod): string {
  return words[method];
}
