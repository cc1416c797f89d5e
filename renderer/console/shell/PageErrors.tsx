import { Component, type ReactNode } from "react";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { messageOf, refusalOf } from "../data/refusal.ts";
import { PageNotFetched } from "./page-not-fetched.ts";

type Props = {
  /** The thing and the filters that the page shows. An error ends with them. */
  readonly place: string;
  /** Called if the server no longer knows the session. */
  readonly onExpired: () => void;
  readonly children: ReactNode;
};
type State = { readonly place: string; readonly failed: { readonly error: unknown } | null };

/** Shows an error of a page in its place, with a button that renders the page again. */
export class PageErrors extends Component<Props, State> {
  override state: State = { place: this.props.place, failed: null };

  static getDerivedStateFromProps({ place }: Props, state: State): Partial<State> | null {
    return place === state.place ? null : { place, failed: null };
  }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { failed: { error } };
  }

  override componentDidCatch(error: unknown): void {
    if (refusalOf(error)?.code === "unauthorized") this.props.onExpired();
  }

  override render(): ReactNode {
    const { failed } = this.state;
    if (failed === null) return this.props.children;
    if (failed.error instanceof PageNotFetched) {
      return (
        <Empty
          title="This page could not be fetched"
          action={<Button onClick={() => window.location.reload()}>Reload</Button>}
        >
          The server cannot be reached, or it has a newer version of the console.
        </Empty>
      );
    }
    return (
      <Empty
        title="This page cannot be shown"
        action={<Button onClick={() => this.setState({ failed: null })}>Try again</Button>}
      >
        {messageOf(failed.error)}
      </Empty>
    );
  }
}
