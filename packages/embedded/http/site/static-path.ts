export type StaticFolder = {
  /** URL path of the folder, such as "/console". */
  readonly path: string;
  readonly dir: string;
};

type StaticTarget =
  | { readonly kind: "file"; readonly segments: readonly string[] }
  | { readonly kind: "redirect"; readonly to: string }
  | { readonly kind: "outside" };

/**
 * Resolves a URL path in a static folder. The path is split before decoding; a segment that is not a plain name
 * below the folder is refused.
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

/** Also refuses hidden files: a build may leave some behind, and none is for browsers. */
function isPlainName(segment: string): boolean {
  return segment !== "" && !segment.startsWith(".") && !/[/\\\0:]/.test(segment);
}
