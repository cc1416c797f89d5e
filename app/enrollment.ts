/** An enrollment code admits one device within a day, unless its maker asks for more. */
export const defaultCode = { uses: 1, expiresInHours: 24 } as const;
