import { Component, type ReactNode } from "react";

type Props = {
  readonly fallback: (error: unknown, retry: () => void) => ReactNode;
  readonly children: ReactNode;
};
type State = { readonly failed: { readonly error: unknown } | null };

/** Shows `fallback` for an error thrown while rendering; `retry` renders the children afresh. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failed: null };

  static getDerivedStateFromError(error: unknown): State {
    return { failed: { error } };
  }

  override render(): ReactNode {
    const { failed } = this.state;
    if (failed === null) return this.props.children;
    return this.props.fallback(failed.error, () => this.setState({ failed: null }));
  }
}
