/** The text in a `data:` URL (RFC 2397); null when it cannot be decoded. */
export function readDataUrl(url: string): string | null {
  const parts = /^data:([^,]*),(.*)$/is.exec(url);
  const [, header = "", data = ""] = parts ?? [];
  if (parts === null) return null;
  try {
    const decoded = decodeURIComponent(data);
    return /;\s*base64$/i.test(header) ? Buffer.from(decoded, "base64").toString("utf8") : decoded;
  } catch {
    return null;
  }
}
