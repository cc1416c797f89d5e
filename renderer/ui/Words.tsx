import { Fragment, type ReactNode } from "react";

/**
 * Text that wraps between its words, and inside of a word only if that is longer than a line. A browser also breaks lines
 * after hyphens, so that "--pin" would end a line as "--".
 */
export function Words({ text }: { readonly text: string }): ReactNode {
  return text.split(" ").map((word, place) => (
    <Fragment key={place}>
      {place === 0 ? "" : " "}
      <span className="inline-block max-w-full wrap-anywhere">{word}</span>
    </Fragment>
  ));
}
