import type { ReactNode } from "react";

/** An ear of grain in the current color. scripts/icons draws the same shape for the app's icon. */
export function Logo({ size = 20 }: { readonly size?: number }): ReactNode {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="currentColor" aria-hidden className="shrink-0">
      <path d="M16 2 Q20.5 6.5 16 12.5 Q11.5 6.5 16 2Z" />
      <path d="M14.9 19.5 Q7.2 18.2 6.3 9.6 Q14.3 11.2 14.9 19.5Z" />
      <path d="M17.1 19.5 Q24.8 18.2 25.7 9.6 Q17.7 11.2 17.1 19.5Z" />
      <path d="M14.9 27.2 Q7.6 26.4 6.3 18.6 Q13.8 19.6 14.9 27.2Z" />
      <path d="M17.1 27.2 Q24.4 26.4 25.7 18.6 Q18.2 19.6 17.1 27.2Z" />
      <rect x="15" y="13" width="2" height="17.5" rx="1" />
    </svg>
  );
}
