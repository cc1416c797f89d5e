/** Encrypts a text with a key that the system keeps for this user. */
export type KeyVault = {
  /** Resolves to base64. */
  readonly seal: (text: string) => Promise<string>;
  /** Rejects if the system does not give the key, or if another one was used. */
  readonly open: (sealed: string) => Promise<string>;
};
