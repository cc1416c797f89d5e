import type { ReadSet, Timestamp } from "../model/types.ts";
import type { CommitRecord } from "../snapshot/write-log.ts";
import { mergedRanges } from "../transaction/read-set.ts";
import { type Interval, IntervalIndex } from "./interval-index.ts";

type OnInvalidated = (ts: Timestamp) => void;

type Subscription = {
  readonly since: Timestamp;
  readonly onInvalidated: OnInvalidated;
  readonly intervals: readonly { readonly index: string; readonly interval: Interval<Subscription> }[];
};

/**
 * Maps keys to subscribers. A commit's cost depends on the keys it wrote and the subscribers they match, not on the
 * number of subscribers.
 */
export class Subscriptions {
  readonly #byIndex = new Map<string, IntervalIndex<Subscription>>();
  readonly #active = new Set<Subscription>();

  get size(): number {
    return this.#active.size;
  }

  /**
   * Calls back once, for the first commit after `since` that writes into the read set. Returns a function that ends
   * the subscription.
   */
  add(readSet: ReadSet, since: Timestamp, onInvalidated: OnInvalidated): () => void {
    const intervals: { index: string; interval: Interval<Subscription> }[] = [];
    const subscription = { since, onInvalidated, intervals };
    for (const [index, ranges] of mergedRanges(readSet)) {
      const tree = this.#treeOf(index);
      for (const { lower, upper } of ranges)
        intervals.push({ index, interval: tree.add(lower, upper, subscription) });
    }
    this.#active.add(subscription);
    return () => this.#remove(subscription);
  }

  notify(commits: readonly CommitRecord[]): void {
    for (const { ts, changes } of commits) this.#fire(this.#metBy(changes, ts), ts);
  }

  /** For changes without keys, such as schema changes. */
  notifyAll(ts: Timestamp): void {
    this.#fire([...this.#active], ts);
  }

  #metBy(changes: CommitRecord["changes"], ts: Timestamp): Iterable<Subscription> {
    const met = new Set<Subscription>();
    const found = (subscription: Subscription): void => {
      if (ts > subscription.since) met.add(subscription);
    };
    changes.visitAll(
      (index) => this.#byIndex.get(index),
      (tree, key) => tree.visit(key, found),
    );
    return met;
  }

  #fire(met: Iterable<Subscription>, ts: Timestamp): void {
    for (const subscription of met) {
      // An earlier callback may have ended this subscription.
      if (!this.#active.has(subscription)) continue;
      this.#remove(subscription);
      try {
        subscription.onInvalidated(ts);
      } catch (error) {
        // A subscriber's bug must not keep the others from being called.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  #remove(subscription: Subscription): void {
    if (!this.#active.delete(subscription)) return;
    for (const { index, interval } of subscription.intervals) {
      const tree = this.#treeOf(index);
      tree.remove(interval);
      if (tree.size === 0) this.#byIndex.delete(index);
    }
  }

  #treeOf(index: string): IntervalIndex<Subscription> {
    let tree = this.#byIndex.get(index);
    if (tree === undefined) {
      tree = new IntervalIndex();
      this.#byIndex.set(index, tree);
    }
    return tree;
  }
}
