/**
 * The kind of computer that did a job, such as "linux-x64/cuda": its system, and what computed the model there if that was
 * measured. It names no single device.
 */
export function deviceClassOf(platform: string, backend: string | null): string {
  const parts = backend === null ? [platform] : [platform, backend];
  // It is sent as a header, and devices report both.
  return parts.map((part) => part.toLowerCase().replace(/[^\w.-]+/g, "-")).join("/");
}
