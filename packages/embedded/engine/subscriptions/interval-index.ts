import { compareKeys, higherBound, isBelow, type Key } from "../../values/keys/key.ts";

/** Handle of an added interval, to remove it. */
export type Interval<V> = {
  readonly lower: Key;
  /** Exclusive; null means unbounded. */
  readonly upper: Key | null;
  readonly value: V;
  /** Distinguishes intervals that begin at the same key. */
  readonly serial: number;
};

type Node<V> = {
  readonly interval: Interval<V>;
  readonly priority: number;
  left: Tree<V>;
  right: Tree<V>;
  /** The highest upper bound in this subtree. */
  reach: Key | null;
};
type Tree<V> = Node<V> | null;

/**
 * Finds the half-open key intervals that contain a key. A treap ordered by lower bound, in which each node knows
 * how far its subtree reaches. A lookup costs O(log n) per interval found.
 */
export class IntervalIndex<V> {
  #root: Tree<V> = null;
  #serial = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(lower: Key, upper: Key | null, value: V): Interval<V> {
    const interval = { lower, upper, value, serial: this.#serial++ };
    const node = { interval, priority: Math.random(), left: null, right: null, reach: upper };
    this.#root = inserted(this.#root, node);
    this.#size += 1;
    return interval;
  }

  /** Removes an interval that `add` returned. Removing it twice does nothing. */
  remove(interval: Interval<V>): void {
    this.#root = without(this.#root, interval, () => (this.#size -= 1));
  }

  /** Calls back with the value of each interval that contains the key. Returns the number of visited nodes. */
  visit(key: Key, found: (value: V) => void): number {
    return visitTree(this.#root, key, found);
  }
}

function visitTree<V>(tree: Tree<V>, key: Key, found: (value: V) => void): number {
  if (tree === null || !isBelow(key, tree.reach)) return 0;
  const looked = visitTree(tree.left, key, found) + 1;
  const { lower, upper, value } = tree.interval;
  if (compareKeys(lower, key) > 0) return looked;
  if (isBelow(key, upper)) found(value);
  return looked + visitTree(tree.right, key, found);
}

/** Inserts a node by its priority. Only the reach of the nodes above changes. */
function inserted<V>(tree: Tree<V>, node: Node<V>): Node<V> {
  if (tree === null) return node;
  if (node.priority > tree.priority) {
    [node.left, node.right] = split(tree, node.interval);
    return updated(node);
  }
  if (compareIntervals(tree.interval, node.interval) < 0) tree.right = inserted(tree.right, node);
  else tree.left = inserted(tree.left, node);
  tree.reach = higherBound(tree.reach, node.interval.upper);
  return tree;
}

function without<V>(tree: Tree<V>, interval: Interval<V>, removed: () => void): Tree<V> {
  if (tree === null) return null;
  const order = compareIntervals(tree.interval, interval);
  if (order === 0) {
    removed();
    return merge(tree.left, tree.right);
  }
  if (order < 0) tree.right = without(tree.right, interval, removed);
  else tree.left = without(tree.left, interval, removed);
  return updated(tree);
}

/** Splits into the nodes before an interval, and the rest. */
function split<V>(tree: Tree<V>, at: Interval<V>): [Tree<V>, Tree<V>] {
  if (tree === null) return [null, null];
  if (compareIntervals(tree.interval, at) < 0) {
    const [before, after] = split(tree.right, at);
    tree.right = before;
    return [updated(tree), after];
  }
  const [before, after] = split(tree.left, at);
  tree.left = after;
  return [before, updated(tree)];
}

/** Joins two trees; all of the first comes before the second. */
function merge<V>(before: Tree<V>, after: Tree<V>): Tree<V> {
  if (before === null) return after;
  if (after === null) return before;
  if (before.priority > after.priority) {
    before.right = merge(before.right, after);
    return updated(before);
  }
  after.left = merge(before, after.left);
  return updated(after);
}

function updated<V>(node: Node<V>): Node<V> {
  const { left, right, interval } = node;
  let reach = interval.upper;
  if (left !== null) reach = higherBound(reach, left.reach);
  if (right !== null) reach = higherBound(reach, right.reach);
  node.reach = reach;
  return node;
}

function compareIntervals(left: Interval<unknown>, right: Interval<unknown>): number {
  return compareKeys(left.lower, right.lower) || left.serial - right.serial;
}
