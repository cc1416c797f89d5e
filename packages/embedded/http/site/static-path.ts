export type StaticFolder = {
  /** Where the folder shows, e.g. "/console". */
  readonly path: string;
  readonly dir: string;
};

export type StaticTarget =
  | { readonly kind: "file"; readonly segments: readonly string[] }
  | { readonly kind: "redirect"; readonly to: string }
  | { readonly kind: "outside" };

/**
 * What a URL's path means to a static folder. Paths are taken apart before they are decoded, and a segment
 * that could mean anything but a name below the folder makes it no file of ours.
 */
export function staticTarget(folder: StaticFolder, urlPath: string): StaticTarget | null {
  const base = folder.path.replace(/\/+$/, "");
  if (urlPath === base && base !== "") return { kind: "redirect", to: `${base}/` };
  if (!urlPath.startsWith(`${base}/`)) return null;
  const segments = urlPath
    .slice(base.length + 1)
    .split("/")
    .map(decodedSegment);
  if (segments.at(-1) === "") segments.pop();
  const names = segments.filter((segment) => segment !== null);
  if (names.length !== segments.length || !names.every(isPlainName)) return { kind: "outside" };
  return { kind: "file", segments: names };
}

function decodedSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** No hidden files either: a build may leave some behind, and none is meant for browsers. */
function isPlainName(segment: string): boolean {
  return segment !== "" && !segment.startsWith(".") && !/[/\\\0:]/.test(segment);
}
