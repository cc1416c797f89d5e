import { bundleFunctions, type BundleOutcome, orFailed } from "./bundle.ts";
import { bundleInlineQuery, type InlineOutcome } from "./inline-query.ts";
import { bundlePushed, type PushedCode } from "./pushed-code.ts";

/** The task of a bundling process: a functions folder, code that the convex command has bundled, or a query's source. */
export type BundleRequest =
  | { readonly kind: "folder"; readonly folder: string }
  | { readonly kind: "pushed"; readonly code: PushedCode }
  | { readonly kind: "query"; readonly source: string };

export type BundleAnswer = BundleOutcome | InlineOutcome;

function answerOf(request: BundleRequest): Promise<BundleAnswer> {
  switch (request.kind) {
    case "folder":
      return bundleFunctions(request.folder);
    case "pushed":
      return orFailed(() => bundlePushed(request.code));
    case "query":
      return orFailed(() => bundleInlineQuery(request.source));
  }
}

/** The process that the backend forks: receives the request, sends the answer, and ends. */
process.once("message", (request) => {
  void answerOf(request as BundleRequest).then((answer) => process.send?.(answer, () => process.exit(0)));
});
