import type { SecureContextOptions } from "node:tls";

/**
 * Pre-shared key with an ephemeral exchange: both ends prove that they know the organization's secret, the
 * traffic is encrypted, and a leaked secret does not open recorded traffic. It needs no certificates. This is
 * the only such suite in both Node's and Electron's TLS libraries; it is of TLS 1.2.
 */
export const officeTls = {
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
} as const satisfies SecureContextOptions;
