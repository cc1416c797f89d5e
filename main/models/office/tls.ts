import type { SecureContextOptions } from "node:tls";

/**
 * Pre-shared key with an ephemeral exchange: both ends prove that they have the organization's secret, what passes is
 * encrypted, and a secret that is lost later opens nothing that was recorded. No certificates. The one such suite that
 * Node's and Electron's TLS libraries both have; it is of TLS 1.2.
 */
export const officeTls = {
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
} as const satisfies SecureContextOptions;
