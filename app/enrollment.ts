/** What an enrollment code admits, unless its maker asks for more: one device, within a day. */
export const defaultCode = { uses: 1, expiresInHours: 24 } as const;
